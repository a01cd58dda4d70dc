/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * How delay laws measure delays and spread a change of the window, for
 * laws/fast.h and laws/hcc.h. In Rust: congestion/delay.rs.
 *
 *	delay of a segment = base (the empty path) + queue (what waits in front of it)
 *
 * Only differences of delays are used: if the two clocks differ, the one-way delay is
 * off by a constant, and may be negative. Delays are in microseconds, averages have
 * 24 places; differences are limited to 2^31 us (35 minutes).
 */
#ifndef TUSKER_DELAY_H
#define TUSKER_DELAY_H

#include "law.h"

/* A delay's moving average above its base, relative to the first sample. */
struct queuing {
	s64 first;
	s64 average;	/* 24 places */
	s32 base;
	u8 seen;	/* there was a first sample */
	u8 fresh;	/* there was one since the averages were reset */
};

static inline s32 delay_apart(s64 a, s64 b)
{
	s64 d = a - b;

	if (d > 0x7fffffff)
		return 0x7fffffff;
	return d < -0x7fffffff ? -0x7fffffff : d;
}

/*
 * Takes a sample with weight min(3/w, 1/4) for the newest (FAST, Wei et al. 2006), so
 * that most of the average comes from the last round trip of w. known: the base
 * if it is known, or 0 to measure it.
 */
static inline void queuing_push(struct queuing *q, u64 known, s64 delay, fx w)
{
	s64 off;
	u64 size, step;
	s32 d;

	if (!q->seen) {
		q->seen = 1;
		q->fresh = 1;
		q->first = delay;
		if (known)
			q->base = delay_apart(known, delay);
		return;
	}
	d = delay_apart(delay, q->first);
	if (!known && d < q->base)
		q->base = d;
	off = (s64)d * (s64)FX_ONE;
	if (!q->fresh) {
		q->fresh = 1;
		q->average = off;
		return;
	}
	off -= q->average;
	size = off < 0 ? -(u64)off : (u64)off;	/* below 2^57 */
	step = w > 12 * FX_ONE ? muldiv(size, 3 * FX_ONE, w) : (size + 2) / 4;
	q->average += off < 0 ? -(s64)step : (s64)step;
}

/* Forgets the averages; the base remains. */
static inline void queuing_forget(struct queuing *q)
{
	q->fresh = 0;
}

/* Average queuing delay with 24 places; 0 before a sample (see `fresh`). */
static inline fx queuing_queue(const struct queuing *q)
{
	s64 above = q->average - (s64)q->base * (s64)FX_ONE;

	return q->fresh && above > 0 ? (fx)above : 0;
}

/* The base and the average with 24 places: only for delays of one clock. */
static inline fx queuing_base(const struct queuing *q)
{
	return (u64)(q->first + q->base) << FX_BITS;
}

static inline fx queuing_average(const struct queuing *q)
{
	return ((u64)q->first << FX_BITS) + q->average;
}

/* A change of the window, in segments, that is spread over the ACKs of a round trip. */
struct spread {
	s64 change;
	s64 left;
	fx over;	/* segments of the round trip; 0: nothing to do */
};

static inline void spread_begin(struct spread *s, s64 change, fx over)
{
	s->change = change;
	s->left = change;
	s->over = over;
}

static inline void spread_cancel(struct spread *s)
{
	spread_begin(s, 0, 0);
}

/* w plus the share of an ACK, at least 1. The change is below 2^45, the
 * credit below 2^40. */
static inline void spread_take(struct spread *s, fx credit, struct window *w)
{
	u64 part, left = s->left < 0 ? -(u64)s->left : (u64)s->left;

	if (!left)
		return;
	part = muldiv(s->change < 0 ? -(u64)s->change : (u64)s->change, credit, s->over);
	part = fixed_min(part, left);
	if (s->change < 0) {
		s->left += part;
		w->cwnd = w->cwnd > part + FX_ONE ? w->cwnd - part : FX_ONE;
	} else {
		s->left -= part;
		w->cwnd = fixed_add(w->cwnd, part);
	}
}

#endif
