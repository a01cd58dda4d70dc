/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * TCP-Illinois: loss decides whether the window grows or shrinks, delay by how much.
 *
 * Source: Liu, Basar and Srikant, "TCP-Illinois: A Loss- and Delay-Based Congestion
 * Control Algorithm for High-Speed Networks", section 3 (Performance Evaluation 65,
 * 2008). In Rust: congestion/illinois.rs.
 *
 *	per ACK:   w <- w + alpha/w
 *	per loss:  w <- (1 - beta) w
 *	w < w_thresh:  alpha = 1, beta = 1/2 (Reno); otherwise once per round trip, from its
 *	average queuing delay da = mean RTT - smallest RTT, and dm = largest - smallest:
 *	  da <= d1:  alpha = alpha_max;  else alpha = k1/(k2 + da), through alpha_max at
 *	             d1 and alpha_min at dm
 *	  da <= d2:  beta = beta_min;  da >= d3: beta_max;  a straight line in between
 *	  d1 = eta1 dm,  d2 = eta2 dm,  d3 = eta3 dm
 *	Once da was above d1, alpha becomes alpha_max only after theta round trips below.
 *
 * Delays are in microseconds, means have 24 places. beta also applies to a loss in slow
 * start and to a timeout, after which alpha is 1 and beta 1/2 until a round trip has
 * been measured.
 */
#ifndef TUSKER_LAW_ILLINOIS_H
#define TUSKER_LAW_ILLINOIS_H

#include "../law.h"

#define LAW_NAME "illinois"
#define LAW_OWN_SLOW_START 0
/* the etas are compared with ratios that may be equally round: millionths represent
 * 0.1 exactly */
#define LAW_PARAMS(P) \
	P(alpha_max, FX_ONE, FX(10)) \
	P(alpha_min, FX_ONE, FX(0.3)) \
	P(beta_min, FX_ONE, FX(0.125)) \
	P(beta_max, FX_ONE, FX(0.5)) \
	P(w_thresh, FX_ONE, FX(15)) \
	P(theta, FX_ONE, FX(5)) \
	P(eta1, ETA_ONE, 10000) \
	P(eta2, ETA_ONE, 100000) \
	P(eta3, ETA_ONE, 800000)
#define ETA_ONE 1000000
#define LAW_SHOWS(S) \
	S(alpha, FX_ONE) \
	S(beta, FX_ONE)

LAW_DECLARE_PARAMS;

struct law {
	fx alpha;
	u64 sum;	/* of the RTTs of this round trip ... */
	u32 count;	/* ... and their number */
	u32 base;	/* smallest RTT; 0: none yet */
	u32 max;	/* largest RTT */
	u32 beta;	/* 24 places */
	u32 low;	/* da has been below d1 for this many round trips ... */
	u8 above;	/* ... since it was above */
};

/*
 * k1/(k2 + da), with da and dm counted from d1, in microseconds (below 2^50):
 *
 *	alpha_max alpha_min dm / (alpha_min dm + (alpha_max - alpha_min) da)
 *
 * alpha_min is at most 1, alpha_max 1000: both terms are below 2^60.
 */
static inline fx alpha_above(const volatile struct params *p, fx da, fx dm)
{
	fx max = p->alpha_max, min = p->alpha_min;
	fx low = fx_mul(min, dm);

	return muldiv(max, low, low + fx_mul(max - min, da));
}

/* Once per round trip, with its mean. */
static inline void update(struct law *l, const volatile struct params *p, fx mean)
{
	fx base = (u64)l->base << FX_BITS;
	fx dm = l->max > l->base ? (u64)(l->max - l->base) << FX_BITS : 0;
	/* a mean is never above the largest, unless that came with this ACK */
	fx da = fixed_min(mean > base ? mean - base : 0, dm);
	fx d1 = muldiv(dm, p->eta1, ETA_ONE);
	fx d2 = muldiv(dm, p->eta2, ETA_ONE);
	fx d3 = muldiv(dm, p->eta3, ETA_ONE);
	fx beta_min = p->beta_min, beta_max = p->beta_max;

	if (da > d1) {
		l->above = 1;
		l->low = 0;
		l->alpha = alpha_above(p, da - d1, dm - d1);
	} else {
		l->low++;
		if (!l->above || (u64)l->low << FX_BITS >= p->theta) {
			l->above = 0;
			l->low = 0;
			l->alpha = p->alpha_max;
		}
	}
	if (da <= d2)
		l->beta = beta_min;
	else if (da >= d3)
		l->beta = beta_max;
	else
		l->beta = beta_min + muldiv(beta_max - beta_min, da - d2, d3 - d2);
}

static inline void law_init(struct law *l, const volatile struct params *p)
{
	/* no queue has been observed */
	l->alpha = p->alpha_max;
	l->beta = FX_ONE / 2;
}

static inline void law_observe(struct law *l, const volatile struct params *p,
			       const struct window *w, const struct ack *a)
{
	fx mean = 0;

	(void)w;
	if (a->round_start) {
		/* a sum is below 2^58 */
		if (l->count)
			mean = muldiv(l->sum, FX_ONE, l->count);
		l->sum = 0;
		l->count = 0;
	}
	if (a->rtt) {
		if (!l->base || a->rtt < l->base)
			l->base = a->rtt;
		l->sum += a->rtt;
		l->count++;
	}
	if (mean)
		update(l, p, mean);
	l->max = fixed_max(l->max, a->rtt);
}

static inline void law_grow(struct law *l, const volatile struct params *p,
			    struct window *w, const struct ack *a)
{
	window_grow(w, a->credit, w->cwnd < p->w_thresh ? FX_ONE : l->alpha);
}

static inline fx law_shrink(struct law *l, const volatile struct params *p, fx w)
{
	return fx_mul(w, FX_ONE - (w < p->w_thresh ? FX_ONE / 2 : l->beta));
}

LAW_SHRINKS_ALIKE
LAW_NO_SHRUNK

static inline void law_reset(struct law *l, const volatile struct params *p, u64 now)
{
	(void)p;
	(void)now;
	l->sum = 0;
	l->count = 0;
	l->alpha = FX_ONE;
	l->beta = FX_ONE / 2;
	l->above = 0;
	l->low = 0;
}

static inline void law_show(const struct law *l, s64 *values)
{
	values[0] = l->alpha;
	values[1] = l->beta;
}

#endif
