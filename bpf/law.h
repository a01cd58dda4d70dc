/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * The interface of a law in C: tusker_core::congestion::Law, in fixed point. A law is
 * one header in laws/; it has no kernel types, no globals and no clock, and is
 * compiled twice: for the kernel (glue.bpf.h) and for the host, where it runs through
 * scripts and random steps beside the law in Rust.
 *
 * A law's header defines:
 *
 *   LAW_NAME            its name in the kernel: at most 15 characters
 *   LAW_OWN_SLOW_START  1: law_grow is also called below ssthresh
 *   LAW_PARAMS(P)       P(name, one, value) for each parameter: its name in
 *                       `tusker explain`, how many units make 1, its default
 *                       (in these units)
 *   LAW_SHOWS(S)        S(name, one) for each internal value that traces show, by
 *                       its name in Rust
 *   struct law          its state for a connection; zeroed before law_init
 *   law_init, law_observe, law_grow, law_shrink, law_shrink_outside, law_shrunk,
 *   law_reset, law_show as declared below, or LAW_NO_.. for one that does nothing
 */
#ifndef TUSKER_LAW_H
#define TUSKER_LAW_H

#include "fixed.h"

struct window {
	fx cwnd;		/* at least 1 */
	fx ssthresh;		/* FX_MAX: none yet */
};

/* One ACK. Times are microseconds of one monotonic clock. */
struct ack {
	u64 now;		/* when it arrived */
	u64 departed;		/* when the segment that caused it left; with a sample of rtt */
	s64 forward;		/* one-way delay of that segment; the clocks may differ */
	fx credit;		/* credit for growth in segments; 0: a duplicate */
	u32 acked;		/* segments newly delivered */
	u32 in_flight;		/* segments in the network after it */
	u32 rtt;		/* the sample; 0: none */
	u32 srtt;
	u32 rtt_min;		/* of the connection */
	u8 has_forward;
	u8 round_start;		/* everything outstanding at the start of the last round is acknowledged */
	u8 cwnd_limited;	/* the window limits the sender */
};

/*
 * Ranges that products must support, assumed in the laws' comments: windows below 2^22
 * segments (2^46 with 24 places), a credit below 2^16 segments (2^40), round trips
 * below 2^26 us (67 s). Beyond these, results saturate at FX_MAX; nothing wraps.
 *
 * A law's header defines these, with struct params made from LAW_PARAMS:
 *
 * static inline void law_init(struct law *l, const volatile struct params *p);
 *	A connection starts.
 * static inline void law_observe(struct law *l, const volatile struct params *p,
 *				  const struct window *w, const struct ack *a);
 *	Every ACK in every phase, before the window changes.
 * static inline void law_grow(struct law *l, const volatile struct params *p,
 *			       struct window *w, const struct ack *a);
 *	An ACK that increases the window in congestion avoidance; its credit is
 *	above 0.
 * static inline fx law_shrink(struct law *l, const volatile struct params *p, fx w);
 *	The window to which w shrinks at a congestion event. May be less than two
 *	segments, or more than w: the caller limits it. Called once for each event.
 * static inline fx law_shrink_outside(struct law *l, const volatile struct params *p, fx w);
 *	The same in slow start and at a timeout.
 * static inline void law_shrunk(struct law *l, u64 now);
 *	A congestion event has been handled.
 * static inline void law_reset(struct law *l, const volatile struct params *p, u64 now);
 *	A timeout.
 * static inline void law_show(const struct law *l, s64 *values);
 *	Internal values in the order of LAW_SHOWS.
 *
 * A law that has nothing to do in one of them writes the name of the macro below, on a
 * line of its own, instead of the function.
 */
#define LAW_NO_INIT \
	static inline void law_init(struct law *l LAW_UNUSED, \
				    const volatile struct params *p LAW_UNUSED) {}
#define LAW_NO_OBSERVE \
	static inline void law_observe(struct law *l LAW_UNUSED, \
				       const volatile struct params *p LAW_UNUSED, \
				       const struct window *w LAW_UNUSED, \
				       const struct ack *a LAW_UNUSED) {}
/* in slow start and at a timeout as at any congestion event */
#define LAW_SHRINKS_ALIKE \
	static inline fx law_shrink_outside(struct law *l, const volatile struct params *p, fx w) \
	{ return law_shrink(l, p, w); }
#define LAW_NO_SHRUNK \
	static inline void law_shrunk(struct law *l LAW_UNUSED, u64 now LAW_UNUSED) {}
#define LAW_NO_RESET \
	static inline void law_reset(struct law *l LAW_UNUSED, \
				     const volatile struct params *p LAW_UNUSED, u64 now LAW_UNUSED) {}
#define LAW_NO_SHOW \
	static inline void law_show(const struct law *l LAW_UNUSED, s64 *values LAW_UNUSED) {}
#define LAW_UNUSED __attribute__((unused))

/*
 * When these are called (tusker_core::congestion::Windowed):
 *
 *	each ACK:	law_observe;  then, except during recovery, if the
 *			window limits the sender and the credit is above 0: law_grow,
 *			below ssthresh only with LAW_OWN_SLOW_START
 *	loss or mark:	law_shrink, in slow start law_shrink_outside;  law_shrunk
 *	timeout:	law_shrink_outside, not again for the same segment;  law_reset
 *
 * where slow start means a window below ssthresh, and the value reduced is the smaller
 * of the window and the data in flight.
 */
#define LAW_PARAM_MEMBER(name, one, value) u64 name;
#define LAW_PARAM_VALUE(name, one, value) .name = value,
#define LAW_DECLARE_PARAMS struct params { LAW_PARAMS(LAW_PARAM_MEMBER) }
#define LAW_DEFAULTS { LAW_PARAMS(LAW_PARAM_VALUE) }

/* w <- w + credit a/w, a with 24 places. */
static inline void window_grow(struct window *w, fx credit, fx a)
{
	w->cwnd = fixed_add(w->cwnd, muldiv(credit, a, w->cwnd));
}

#endif
