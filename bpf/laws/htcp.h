/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * H-TCP: the longer there is no loss, the faster the window grows; how far it shrinks
 * depends on the length of the queue.
 *
 * Source: Leith and Shorten, "H-TCP: TCP for high-speed and long-distance networks",
 * PFLDnet 2004; Mascolo and Vacirca, "Issues in Performance Evaluation of New TCP
 * Stacks in High Speed Networks", section II, equation 5. In Rust:
 * congestion/htcp.rs.
 *
 *	per ACK:   w <- w + alpha/w,  alpha = 2 (1 - beta) f(D)
 *	per loss:  w <- beta w
 *	D: time since the last congestion
 *	  D <= d_l:  f = 1
 *	  D >  d_l:  f = 1 + 10 (D - d_l) + ((D - d_l)/2)^2
 *	B: throughput over the last complete round trip before the loss; B': the same
 *	before the previous loss
 *	  |B - B'| > delta_b B':  beta = beta_min
 *	  otherwise:              beta = RTT_min/RTT_max, within beta_min .. beta_max
 *	rtt_scaling = 1:  f <- max(1, f RTT_min/100 ms), the ratio within 0.1 .. 2
 *
 * Times are microseconds, throughputs segments per second with 20 places.
 */
#ifndef TUSKER_LAW_HTCP_H
#define TUSKER_LAW_HTCP_H

#include "../law.h"

#define LAW_NAME "htcp"
#define LAW_OWN_SLOW_START 0
/* delta_b is compared with a ratio that may be equally round: millionths represent
 * 0.2 exactly */
#define LAW_PARAMS(P) \
	P(d_l, 1000000, 1000000) \
	P(delta_b, 1000000, 200000) \
	P(beta_min, FX_ONE, FX(0.5)) \
	P(beta_max, FX_ONE, FX(0.8)) \
	P(rtt_scaling, 1, 0)
#define RATE_ONE (1ULL << 20)
#define LAW_SHOWS(S) \
	S(alpha, FX_ONE) \
	S(beta, FX_ONE) \
	S(throughput, RATE_ONE)

LAW_DECLARE_PARAMS;

struct law {
	u64 last;		/* congestion, or the start of growth; 0: neither yet */
	u64 round;		/* when the current one started; 0: there is none */
	u64 throughput;		/* over the last round trip; 0: unknown */
	u64 old_throughput;	/* before the last congestion; 0: unknown */
	fx alpha;
	u32 beta : 31;		/* 24 places */
	u32 open : 1;		/* not in recovery */
	u32 rtt_min;		/* 0: unknown */
	u32 rtt_max;		/* since the last congestion */
	u32 delivered;
};

/* After D = 2^39 us, six days, alpha stops growing: f is below 2^37. */
#define D_MAX (1ULL << 39)

/* The round trip at which scaling has no effect, in microseconds. */
#define RTT_REFERENCE 100000

/* f(D), d microseconds after the last congestion. */
static inline fx f_of(const struct law *l, const volatile struct params *p, u64 d)
{
	u64 d_l = p->d_l;
	fx beyond, f, scale;

	d = fixed_min(d, D_MAX);
	beyond = d > d_l ? ((d - d_l) << FX_BITS) / 1000000 : 0;
	/* equation 5 */
	f = FX_ONE + 10 * beyond + fx_mul(beyond / 2, beyond / 2);
	if (!p->rtt_scaling || !l->rtt_min)
		return f;
	scale = ((u64)l->rtt_min << FX_BITS) / RTT_REFERENCE;
	scale = fixed_min(fixed_max(scale, FX(0.1)), FX(2));
	return fixed_max(fx_mul(f, scale), FX_ONE);
}

static inline void update_beta(struct law *l, const volatile struct params *p)
{
	u64 new = l->throughput, old = l->old_throughput;
	u64 change = new > old ? new - old : old - new;
	u64 steady = old && change <= muldiv(old, p->delta_b, 1000000);
	fx beta_min = p->beta_min, beta_max = p->beta_max;

	l->beta = beta_min;
	if (steady && l->rtt_max) {
		fx beta = muldiv(l->rtt_min, FX_ONE, l->rtt_max);

		l->beta = fixed_min(fixed_max(beta, beta_min), beta_max);
	}
	l->old_throughput = new;
}

static inline void law_init(struct law *l, const volatile struct params *p)
{
	l->beta = p->beta_min;
	l->alpha = FX_ONE;
	l->open = 1;
}

static inline void law_observe(struct law *l, const volatile struct params *p,
			       const struct window *w, const struct ack *a)
{
	(void)p;
	(void)w;
	if (a->round_start) {
		/* delivered 10^6 is below 2^52 */
		if (l->round && a->now > l->round)
			l->throughput = muldiv(l->delivered * 1000000ULL, RATE_ONE,
					       a->now - l->round);
		l->round = a->now;
		l->delivered = 0;
	}
	l->delivered = fixed_min((u64)l->delivered + a->acked, 0xffffffff);
	if (a->rtt) {
		l->rtt_min = a->rtt_min;
		/* during recovery the queue is still full */
		if (l->open)
			l->rtt_max = fixed_max(l->rtt_max, a->rtt);
	}
}

static inline void law_grow(struct law *l, const volatile struct params *p,
			    struct window *w, const struct ack *a)
{
	l->open = 1;
	if (!l->last)
		l->last = a->now;
	l->alpha = fx_mul(2 * (FX_ONE - l->beta),
			  f_of(l, p, a->now > l->last ? a->now - l->last : 0));
	window_grow(w, a->credit, l->alpha);
}

static inline fx law_shrink(struct law *l, const volatile struct params *p, fx w)
{
	update_beta(l, p);
	return fx_mul(w, l->beta);
}

LAW_SHRINKS_ALIKE

static inline void law_shrunk(struct law *l, u64 now)
{
	l->last = now;
	l->rtt_max = 0;
	l->open = 0;
}

/* A round trip with a timeout says nothing about the path. */
static inline void law_reset(struct law *l, const volatile struct params *p, u64 now)
{
	(void)p;
	law_shrunk(l, now);
	l->round = 0;
}

static inline void law_show(const struct law *l, s64 *values)
{
	values[0] = l->alpha;
	values[1] = l->beta;
	values[2] = l->throughput;
}

#endif
