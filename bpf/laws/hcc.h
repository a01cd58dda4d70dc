/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * HCC TCP: delay first, loss second.
 *
 * Source: Xu, Zhou, Pham, Ji, Yang and Liu, "Hybrid congestion control for high-speed
 * networks" (Journal of Network and Computer Applications 34, 2011), section 3 and
 * Table 1. In Rust: congestion/hcc.rs.
 *
 *	startup:  Qf < mi_threshold:  w doubles per round trip;  else: delay mode
 *	delay mode, per round trip:  dw = alpha D/Qf - w,  limited to +-I_max
 *	  w <- w + dw/2
 *	loss mode, per round trip:  dw = (loss-reference - w)/2,  within I_min .. I_max
 *	  w <- w + dw/2;  w > loss-reference: forget it, delay mode
 *	per loss:  loss-reference = w,  w <- w/2,  loss mode
 *
 * I_max = gamma alpha. Qf is the forward one-way delay, from timestamps, above its
 * minimum, and D the round trip: moving averages in microseconds with 24 places. A
 * change is spread over the ACKs of its round trip. Startup is its slow start.
 *
 * The law in Rust can find alpha by itself (tau); that needs packet pairs, which the
 * kernel does not report.
 */
#ifndef TUSKER_LAW_HCC_H
#define TUSKER_LAW_HCC_H

#include "../delay.h"

#define LAW_NAME "hcc"
#define LAW_STORED
#define LAW_OWN_SLOW_START 1
/* alpha and i_min in segments, delays in microseconds */
#define LAW_PARAMS(P) \
	P(alpha, FX_ONE, FX(400)) \
	P(gamma, FX_ONE, FX(0.5)) \
	P(i_min, FX_ONE, FX(1)) \
	P(mi_threshold, 1000000, 750) \
	P(period, 1, 1) \
	P(base_forward, 1000000, 0)
#define LAW_SHOWS(S) \
	S(mode, 1) \
	S(delay_reference, FX_ONE) \
	S(loss_reference, FX_ONE) \
	S(queuing_ms, 1000 * FX_ONE) \
	S(alpha, FX_ONE)

LAW_DECLARE_PARAMS;

enum { MODE_STARTUP, MODE_DELAY, MODE_LOSS };

struct law {
	struct queuing forward;
	struct queuing rtt;
	struct spread change;
	fx alpha;
	fx loss_reference;	/* FX_MAX: none */
	u8 mode;
	u8 rounds;		/* that started and were not handled yet */
};

/* Equation 3, alpha avgD / avgQf; FX_MAX if nothing queues. alpha is below 2^44,
 * avgD below 2^56. */
static inline fx delay_reference(const struct law *l)
{
	fx queue = queuing_queue(&l->forward);

	return queue ? muldiv(l->alpha, queuing_average(&l->rtt), queue) : FX_MAX;
}

/* Once per round trip, Table 1. */
static inline void update(struct law *l, const volatile struct params *p, fx w)
{
	fx i_max = fx_mul(p->gamma, l->alpha), i_min = p->i_min;
	fx reference, up, down = 0;

	if (l->mode == MODE_DELAY) {
		if (!l->forward.fresh)
			return;
		reference = delay_reference(l);
		up = reference > w ? reference - w : 0;
		down = reference < w ? w - reference : 0;
	} else {
		reference = l->loss_reference;
		up = fixed_max(reference > w ? (reference - w) / 2 : 0, i_min);
	}
	/* "only a half of the change value determined by [..] is used" */
	up = fixed_min(up, i_max) / 2;
	down = fixed_min(down, i_max) / 2;
	spread_begin(&l->change, (s64)up - (s64)down, w);
}

static inline void law_init(struct law *l, const volatile struct params *p)
{
	l->alpha = p->alpha;
	l->loss_reference = FX_MAX;
}

static inline void law_observe(struct law *l, const volatile struct params *p,
			       const struct window *w, const struct ack *a)
{
	if (a->rtt) {
		queuing_push(&l->rtt, 0, a->rtt, w->cwnd);
		if (a->has_forward)
			queuing_push(&l->forward, p->base_forward, a->forward, w->cwnd);
	}
	if (a->round_start && l->rounds < 255)
		l->rounds++;
}

static inline void law_grow(struct law *l, const volatile struct params *p,
			    struct window *w, const struct ack *a)
{
	u64 heavy = l->forward.fresh &&
		    queuing_queue(&l->forward) >= p->mi_threshold << FX_BITS;
	u64 period = l->mode == MODE_LOSS ? 1 : p->period;

	if (l->mode == MODE_STARTUP && (heavy || w->cwnd >= w->ssthresh)) {
		l->mode = MODE_DELAY;
		w->ssthresh = fixed_min(w->ssthresh, w->cwnd);
	}
	if (w->cwnd < w->ssthresh) {
		w->cwnd = fixed_min(fixed_add(w->cwnd, a->credit), w->ssthresh);
		return;
	}
	if (l->rounds >= period) {
		l->rounds = 0;
		update(l, p, w->cwnd);
	}
	spread_take(&l->change, a->credit, w);
	w->ssthresh = fixed_min(w->ssthresh, w->cwnd);
	if (l->mode == MODE_LOSS && w->cwnd > l->loss_reference) {
		l->mode = MODE_DELAY;
		l->loss_reference = FX_MAX;
	}
}

static inline fx law_shrink(struct law *l, const volatile struct params *p, fx w)
{
	(void)p;
	/* "the source immediately halves the window and records the window size that the
	 * congestion event happens as a loss-reference" */
	l->loss_reference = w;
	l->mode = MODE_LOSS;
	spread_cancel(&l->change);
	l->rounds = 0;
	return w / 2;
}

LAW_SHRINKS_ALIKE
LAW_NO_SHRUNK

static inline void law_reset(struct law *l, const volatile struct params *p, u64 now)
{
	(void)p;
	(void)now;
	queuing_forget(&l->forward);
	queuing_forget(&l->rtt);
	spread_cancel(&l->change);
	l->rounds = 0;
}

static inline void law_show(const struct law *l, s64 *values)
{
	fx reference = delay_reference(l);

	values[0] = l->mode;
	values[1] = l->forward.fresh && reference != FX_MAX ? reference : 0;
	values[2] = l->loss_reference != FX_MAX ? l->loss_reference : 0;
	values[3] = queuing_queue(&l->forward);
	values[4] = l->alpha;
}

#endif
