/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * Westwood+: grows like Reno; shrinks to what the path has been carrying.
 *
 * Source: Grieco and Mascolo, "Performance evaluation and comparison of Westwood+,
 * New Reno and Vegas TCP congestion control", ACM CCR 34(2), 2004, section 2. In Rust:
 * congestion/westwood.rs.
 *
 *	per ACK:            w <- w + 1/w
 *	once per round trip of length T with d segments acknowledged:
 *	                    BWE <- filter BWE + (1 - filter) d/T
 *	per loss:           ssthresh = BWE RTT_min, w <- min(w, ssthresh)
 *	per timeout:        ssthresh = BWE RTT_min, w <- 1
 *
 * The first sample sets BWE; before it a loss halves the window. Times are in
 * microseconds, BWE is in segments per second with 20 places.
 */
#ifndef TUSKER_LAW_WESTWOOD_H
#define TUSKER_LAW_WESTWOOD_H

#include "../law.h"

#define LAW_NAME "westwood"
#define LAW_OWN_SLOW_START 0
#define LAW_PARAMS(P) \
	P(filter, LN_ONE, LN(0.9))
#define RATE_ONE (1ULL << 20)
#define LAW_SHOWS(S) \
	S(bwe, RATE_ONE) \
	S(rtt_min, 1000000)

LAW_DECLARE_PARAMS;

struct law {
	u64 bwe;
	u64 round;	/* when the current one started; 0: there is none */
	u32 delivered;
	u32 rtt_min;	/* 0: unknown */
	u8 sampled;	/* there was a sample of bwe */
};

LAW_NO_INIT

static inline void law_observe(struct law *l, const volatile struct params *p,
			       const struct window *w, const struct ack *a)
{
	(void)w;
	if (a->round_start) {
		if (l->round && a->now > l->round) {
			/* delivered 10^6 is below 2^52 */
			u64 sample = muldiv(l->delivered * 1000000ULL, RATE_ONE,
					    a->now - l->round);
			u64 old = l->sampled ? l->bwe : sample;
			u64 filter = p->filter;

			/* section 2, the discrete low-pass filter */
			l->bwe = fixed_add(mul_shift(filter, old, LN_BITS),
					   mul_shift(LN_ONE - filter, sample, LN_BITS));
			l->sampled = 1;
		}
		l->round = a->now;
		l->delivered = 0;
	}
	l->delivered = fixed_min((u64)l->delivered + a->acked, 0xffffffff);
	if (a->rtt)
		l->rtt_min = a->rtt_min;
}

static inline void law_grow(struct law *l, const volatile struct params *p,
			    struct window *w, const struct ack *a)
{
	(void)l;
	(void)p;
	window_grow(w, a->credit, FX_ONE);
}

static inline fx law_shrink(struct law *l, const volatile struct params *p, fx w)
{
	(void)p;
	/* 20 places and 4 more; rtt_min 2^4 is below 2^36 */
	if (l->sampled && l->rtt_min)
		return muldiv(l->bwe, (u64)l->rtt_min << 4, 1000000);
	return w / 2;
}

LAW_SHRINKS_ALIKE
LAW_NO_SHRUNK
LAW_NO_RESET

static inline void law_show(const struct law *l, s64 *values)
{
	values[0] = l->bwe;
	values[1] = l->rtt_min;
}

#endif
