/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * Gentle HighSpeed TCP: HighSpeed while round trips do not lengthen, Reno while they
 * do. The original law and, with refined = 1, the refined one, in which the trend
 * decides only between two thresholds of the RTT.
 *
 * Sources: Zhang, Hasegawa and Murata, "Performance Analysis and Improvement of
 * HighSpeed TCP with TailDrop/RED Routers", section 3.2; "Experimental Evaluations of
 * Gentle HighSpeed TCP for Long-Fat Networks", section 3.2. In Rust:
 * congestion/gentle.rs, ghstcp.rs and ghstcp_refined.rs.
 *
 *	per ACK:   w <- w + a/w,  a = a(w) of HSTCP in HSTCP mode, 1 in Reno mode
 *	per loss:  w <- (1 - b(w)) w in both modes
 *
 *	once per window of N = w segments, from when they left and their RTTs (trend.h),
 *	one pair per ACK; with count_pairs = 1 after N pairs:
 *	  Z > z: Reno mode;  otherwise: HSTCP mode
 *	refined, by the mean RTT of the window:
 *	  RTT < RTT_min + s_low RTT_std:    HSTCP mode
 *	  RTT >= RTT_min + s_high RTT_std:  Reno mode
 *	  between:                          by the trend
 *	a retransmission: HSTCP mode
 *
 * RTT_min is the smallest mean of a window and RTT_std the standard deviation of the
 * RTTs in the sample cycle, which starts with a loss; last_cycle = 1 uses those of
 * the last complete cycle. Round trips are in microseconds, means have 24 places.
 */
#ifndef TUSKER_LAW_GHSTCP_H
#define TUSKER_LAW_GHSTCP_H

#include "../law.h"
#include "../trend.h"

#define LAW_NAME "ghstcp"
#define LAW_STORED
#define LAW_OWN_SLOW_START 0
#define LAW_PARAMS(P) \
	P(refined, 1, 0) \
	P(z, FX_ONE, FX(3.09)) \
	P(s_low, FX_ONE, FX(2)) \
	P(s_high, FX_ONE, FX(4)) \
	P(last_cycle, 1, 0) \
	P(count_pairs, 1, 0) \
	HIGH_SPEED_PARAMS(P)
/* r and Z are signed; the others belong to the refined law, and are 0 in the original */
#define LAW_SHOWS(S) \
	S(mode, 1) \
	S(r, 1ULL << 30) \
	S(rtt_ms, 1000 * FX_ONE) \
	S(low_ms, 1000 * FX_ONE) \
	S(high_ms, 1000 * FX_ONE) \
	S(z, FX_ONE)

#include "../highspeed.h"

enum { MODE_HSTCP, MODE_RENO };

/* The round trips between two losses, relative to the first. */
struct cycle {
	u64 count;
	s64 sum;
	struct wide squares;
	fx min;			/* smallest mean of a window; 0: no window was complete */
	u32 first;
};

struct law {
	struct high_speed high_speed;
	struct trend trend;
	struct cycle cycle;
	fx last_min;		/* of the last complete cycle; 0: none */
	fx last_std;
	fx rtt;
	fx low;
	fx high;
	s64 z;
	s32 r;			/* 30 places */
	u32 wanted;		/* packets to be acknowledged before the next decision */
	u32 acked;		/* packets that were, or pairs */
	u8 mode;
};

/* A cycle is complete after 2^36 round trips, which are hours at 10^6 a second: with
 * |t| below 2^32 us squares stay below 2^100, and count times those is not needed
 * exactly where |t| is above 2^26 us (67 s), below which it is under 2^124. */
#define CYCLE_MAX (1ULL << 36)

static inline void cycle_push(struct cycle *c, u32 rtt)
{
	s64 t;
	u64 size;

	if (!c->count)
		c->first = rtt;
	if (c->count >= CYCLE_MAX)
		return;
	t = (s64)rtt - c->first;
	size = size_of(t);
	c->count++;
	c->sum += t;
	c->squares = wide_add(c->squares, wide_of(size * size));
}

/* RTT_std: sqrt(count sum t^2 - (sum t)^2)/count. */
static inline fx cycle_std(const struct cycle *c)
{
	struct wide squares = wide_times(c->squares, c->count);
	u64 sum = size_of(c->sum);
	struct root root = wide_root(wide_sub(squares, wide_mul(sum, sum)));
	u64 part;

	if (!c->count)
		return 0;
	/* 26 digits of 62 are left if count is 2^36 */
	part = root.root / c->count;
	if (root.half >= FX_BITS)
		return part >> (root.half - FX_BITS);
	return part << (FX_BITS - root.half);
}

/* The mode after a window of segments. */
static inline u8 decide(struct law *l, const volatile struct params *p)
{
	struct correlation r = trend_correlation(&l->trend);
	s64 z = trend_fisher_z(&l->trend, r);
	u8 by_trend = !r.falls && (u64)z > p->z ? MODE_RENO : MODE_HSTCP;
	fx min, std;

	l->r = (s32)(r.size >> 32);
	if (r.falls) {
		l->r = -l->r;
		z = -z;
	}
	l->z = z;
	if (!p->refined)
		return by_trend;

	l->rtt = trend_mean(&l->trend);
	if (!l->cycle.min || l->rtt < l->cycle.min)
		l->cycle.min = l->rtt;
	if (p->last_cycle) {
		min = l->last_min;
		std = l->last_std;
		if (!min)
			return by_trend;
	} else {
		min = l->cycle.min;
		std = cycle_std(&l->cycle);
	}
	/* s <= 20, std below 2^56 */
	l->low = min + fx_mul(p->s_low, std);
	l->high = min + fx_mul(p->s_high, std);
	if (l->rtt <= min || l->rtt < l->low)
		return MODE_HSTCP;
	return l->rtt < l->high ? by_trend : MODE_RENO;
}

static inline void measure(struct law *l, const volatile struct params *p,
			   const struct window *w, const struct ack *a)
{
	if (!a->rtt)
		return;
	if (!l->trend.count) {
		l->wanted = fixed_min(w->cwnd >> FX_BITS, 1 << 22);
		l->acked = 0;
	}
	l->acked += p->count_pairs || !a->acked ? 1 : fixed_min(a->acked, 1 << 22);
	trend_push(&l->trend, a->departed, a->rtt);
	if (p->refined)
		cycle_push(&l->cycle, a->rtt);
	if (l->acked >= l->wanted) {
		l->mode = decide(l, p);
		trend_forget(&l->trend);
	}
}

/* Switches to HSTCP mode and ends the sample cycle. */
static inline void retransmitted(struct law *l)
{
	struct cycle none = { 0 };

	l->mode = MODE_HSTCP;
	trend_forget(&l->trend);
	if (l->cycle.min) {
		l->last_min = l->cycle.min;
		l->last_std = cycle_std(&l->cycle);
	}
	l->cycle = none;
}

static inline void law_init(struct law *l, const volatile struct params *p)
{
	(void)p;
	l->high_speed.a = FX_ONE;
}

/* Pairs are only taken in congestion avoidance: the effects of slow start and recovery
 * on the queue are not a trend. */
LAW_NO_OBSERVE

static inline void law_grow(struct law *l, const volatile struct params *p,
			    struct window *w, const struct ack *a)
{
	fx gain = FX_ONE;

	measure(l, p, w, a);
	if (l->mode == MODE_HSTCP)
		gain = high_speed_a(&l->high_speed, p, w->cwnd);
	window_grow(w, a->credit, gain);
}

static inline fx law_shrink(struct law *l, const volatile struct params *p, fx w)
{
	(void)l;
	return high_speed_shrink(p, w);
}

static inline fx law_shrink_outside(struct law *l, const volatile struct params *p, fx w)
{
	(void)l;
	return high_speed_shrink_outside(p, w);
}

static inline void law_shrunk(struct law *l, u64 now)
{
	(void)now;
	retransmitted(l);
}

static inline void law_reset(struct law *l, const volatile struct params *p, u64 now)
{
	(void)p;
	(void)now;
	retransmitted(l);
}

static inline void law_show(const struct law *l, s64 *values)
{
	values[0] = l->mode;
	values[1] = l->r;
	values[2] = l->rtt;
	values[3] = l->low;
	values[4] = l->high;
	values[5] = l->z;
}

#endif
