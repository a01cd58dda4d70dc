/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * What a law in C is told, and what it may do: tusker_core::congestion::Law, in
 * fixed point. A law is one header in laws/; it has no kernel types, no globals and
 * no clock, and is compiled twice: for the kernel (glue.bpf.h) and for the host,
 * where scripts and random steps lead it beside the law in Rust.
 *
 * A law's header defines:
 *
 *   LAW_NAME            its name in the kernel: at most 15 characters
 *   LAW_OWN_SLOW_START  1: law_grow is asked below ssthresh, too
 *   LAW_PARAMS(P)       P(name, one, value) for each parameter: its name in
 *                       `tusker explain`, how many units make 1, what it is unless
 *                       someone says otherwise (in these units)
 *   LAW_SHOWS(S)        S(name, one) for each inner value that traces show, named
 *                       as the law in Rust names it
 *   struct law          what it remembers of a connection; zeroed before law_init
 *   law_init, law_observe, law_grow, law_shrink, law_shrink_outside, law_shrunk,
 *   law_reset, law_show as declared below
 */
#ifndef TUSKER_LAW_H
#define TUSKER_LAW_H

#include "fixed.h"

struct window {
	fx cwnd;		/* 1 at least */
	fx ssthresh;		/* FX_MAX: none yet */
};

/* One ACK. Times are microseconds of one clock that never goes back. */
struct ack {
	u64 now;		/* it arrived */
	u64 departed;		/* the segment that caused it left; with a sample of rtt */
	s64 forward;		/* one-way delay of that segment, of clocks that may be apart */
	fx credit;		/* segments' worth of growth; 0: a duplicate */
	u32 acked;		/* segments newly delivered */
	u32 in_flight;		/* segments in the network after it */
	u32 rtt;		/* the sample; 0: none */
	u32 srtt;
	u32 rtt_min;		/* of the connection */
	u8 has_forward;
	u8 round_start;		/* all that was outstanding when the last round began is acknowledged */
	u8 cwnd_limited;	/* the window is what limits the sender */
};

/*
 * What products must bear, as the laws' comments count on it: windows below 2^22
 * segments (2^46 with 24 places), a credit below 2^16 segments (2^40), round trips
 * below 2^26 us (67 s). Beyond them results are held at FX_MAX; nothing wraps.
 *
 * A law's header defines these, with struct params made from LAW_PARAMS:
 *
 * static inline void law_init(struct law *l, const volatile struct params *p);
 *	A connection begins.
 * static inline void law_observe(struct law *l, const volatile struct params *p,
 *				  const struct window *w, const struct ack *a);
 *	Every ACK in every phase, before the window moves.
 * static inline void law_grow(struct law *l, const volatile struct params *p,
 *			       struct window *w, const struct ack *a);
 *	An ACK that lets the window grow, in congestion avoidance: its credit is
 *	above 0.
 * static inline fx law_shrink(struct law *l, const volatile struct params *p, fx w);
 *	The window to which w shrinks at a congestion event. May be less than two
 *	segments, or more than w: whoever asks holds it. Asked once for each event.
 * static inline fx law_shrink_outside(struct law *l, const volatile struct params *p, fx w);
 *	The same in slow start and at a timeout.
 * static inline void law_shrunk(struct law *l, u64 now);
 *	A congestion event was answered.
 * static inline void law_reset(struct law *l, const volatile struct params *p, u64 now);
 *	A timeout.
 * static inline void law_show(const struct law *l, s64 *values);
 *	Inner values in the order of LAW_SHOWS.
 */

/*
 * Who asks, and when (tusker_core::congestion::Windowed):
 *
 *	each ACK:	law_observe;  then, unless a loss is being repaired, the
 *			sender's window limits it and the credit is above 0: law_grow,
 *			below ssthresh only with LAW_OWN_SLOW_START
 *	loss or mark:	law_shrink, in slow start law_shrink_outside;  law_shrunk
 *	timeout:	law_shrink_outside, not again for the same segment;  law_reset
 *
 * where slow start is a window below ssthresh, and what shrinks is the window, or
 * what is in flight if that is less.
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
