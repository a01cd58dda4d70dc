/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * FAST TCP: aims at a number of segments in the queue, and moves a fraction of the way
 * at a time.
 *
 * Source: Wei, Jin, Low and Hegde, "FAST TCP: Motivation, Architecture, Algorithms,
 * Performance", sections 3 and 4 (IEEE/ACM Transactions on Networking 14(6), 2006).
 * In Rust: congestion/fast.rs.
 *
 *	every other round trip, spread over its ACKs:
 *	  w <- min(2 w, (1 - gamma) w + gamma (baseRTT/RTT w + alpha))
 *	while RTT - baseRTT < mi_threshold:  w doubles per round trip
 *	per loss:  w <- w/2
 *
 * In equilibrium w (1 - baseRTT/RTT) = alpha: that many segments wait. The doubling is
 * its slow start. Round trips are in microseconds, averages have 24 places.
 */
#ifndef TUSKER_LAW_FAST_H
#define TUSKER_LAW_FAST_H

#include "../delay.h"

#define LAW_NAME "fast"
#define LAW_OWN_SLOW_START 1
/* alpha in segments, delays in microseconds */
#define LAW_PARAMS(P) \
	P(alpha, FX_ONE, FX(400)) \
	P(gamma, FX_ONE, FX(0.5)) \
	P(mi_threshold, 1000000, 750) \
	P(base_rtt, 1000000, 0)
#define LAW_SHOWS(S) \
	S(queuing_ms, 1000 * FX_ONE) \
	S(base_rtt_ms, 1000 * FX_ONE)

LAW_DECLARE_PARAMS;

struct law {
	struct queuing rtt;
	struct spread change;
	u8 due;		/* a round trip started and was not handled yet */
	u8 frozen;	/* the window does not change in this round trip */
};

/* After a cut, and if nothing queues: discards the change planned for the larger
 * window. */
static inline void cut(struct law *l)
{
	l->due = 0;
	l->frozen = 1;
	spread_cancel(&l->change);
}

/*
 * (1 - gamma) w + gamma (baseRTT/RTT w + alpha) - w = gamma (alpha - waiting), where
 * waiting = w queue/RTT segments are in the queue; not above w.
 */
static inline s64 way(const volatile struct params *p, fx w, fx queue, fx rtt)
{
	fx alpha = p->alpha;
	fx waiting = rtt > queue ? muldiv(w, queue, rtt) : w;

	if (alpha >= waiting)
		return fixed_min(fx_mul(p->gamma, alpha - waiting), w);
	return -(s64)fx_mul(p->gamma, waiting - alpha);
}

static inline void law_init(struct law *l, const volatile struct params *p)
{
	(void)p;
	l->frozen = 1;
}

static inline void law_observe(struct law *l, const volatile struct params *p,
			       const struct window *w, const struct ack *a)
{
	if (a->rtt)
		queuing_push(&l->rtt, p->base_rtt, a->rtt, w->cwnd);
	l->due |= a->round_start;
}

static inline void law_grow(struct law *l, const volatile struct params *p,
			    struct window *w, const struct ack *a)
{
	fx queue = queuing_queue(&l->rtt);

	if (!l->rtt.fresh || queue < p->mi_threshold << FX_BITS) {
		cut(l);
		w->cwnd = fixed_add(w->cwnd, a->credit);
		return;
	}
	if (l->due) {
		l->due = 0;
		l->frozen = !l->frozen;
		if (!l->frozen) {
			fx rtt = queuing_base(&l->rtt) + queue;

			spread_begin(&l->change, way(p, w->cwnd, queue, rtt), w->cwnd);
		}
	}
	spread_take(&l->change, a->credit, w);
	/* slow start is over, and a smaller window does not restart it */
	w->ssthresh = fixed_min(w->ssthresh, w->cwnd);
}

static inline fx law_shrink(struct law *l, const volatile struct params *p, fx w)
{
	(void)l;
	(void)p;
	return w / 2;
}

LAW_SHRINKS_ALIKE

static inline void law_shrunk(struct law *l, u64 now)
{
	(void)now;
	cut(l);
}

/* Resets the averages; the base remains. */
static inline void law_reset(struct law *l, const volatile struct params *p, u64 now)
{
	(void)p;
	(void)now;
	queuing_forget(&l->rtt);
	cut(l);
}

static inline void law_show(const struct law *l, s64 *values)
{
	values[0] = queuing_queue(&l->rtt);
	values[1] = queuing_base(&l->rtt);
}

#endif
