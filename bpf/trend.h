/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * Does a quantity rise? Pearson's correlation with Fisher's test, from running sums,
 * for laws/ghstcp.h. In Rust: congestion/trend.rs.
 *
 *	     sum (d_i - mean d)(t_i - mean t)
 *	r = ---------------------------------------------------
 *	    sqrt( sum (d_i - mean d)^2  sum (t_i - mean t)^2 )
 *
 *	Z = 1/2 ln((1 + r)/(1 - r)) sqrt(N - 3)
 *
 * d is when a segment left and t how long its round trip took, in microseconds
 * relative to the first pair. All sums are exact, with 128 bits where 64 may not be
 * enough. |d| and |t| are limited to 2^32 us (72 minutes), N, the number of pairs, is at
 * most 2^22:
 *
 *	sums below 2^54, sums of products below 2^86, N times those below 2^108
 *
 * so that N sum d^2 - (sum d)^2, N^2 times the variance, is also exact; rounding
 * starts with the roots. (The law in Rust has nanoseconds and 53 bits.)
 */
#ifndef TUSKER_TREND_H
#define TUSKER_TREND_H

#include "fixed.h"

struct trend {
	u64 first_d;
	struct wide dd;
	struct wide tt;
	struct wide dt;		/* signed */
	s64 d;
	s64 t;
	u32 first_t;
	u32 count;
};

#define APART_MAX 0xffffffffULL

static inline u64 size_of(s64 x)
{
	return x < 0 ? -(u64)x : (u64)x;
}

/* a - b, limited to +-APART_MAX. */
static inline s64 apart(u64 a, u64 b)
{
	if (a < b)
		return -(s64)fixed_min(b - a, APART_MAX);
	return fixed_min(a - b, APART_MAX);
}

FIXED_INLINE struct wide wide_of(u64 x)
{
	struct wide r = { .hi = 0, .lo = x };

	return r;
}

/* Adds a segment that left at `departed` and had this round-trip time. */
static inline void trend_push(struct trend *s, u64 departed, u32 rtt)
{
	struct wide dt;
	u64 size_d, size_t;
	s64 d, t;

	if (!s->count) {
		s->first_d = departed;
		s->first_t = rtt;
	}
	s->count++;
	d = apart(departed, s->first_d);
	t = (s64)rtt - s->first_t;
	size_d = size_of(d);
	size_t = size_of(t);
	s->d += d;
	s->t += t;
	s->dd = wide_add(s->dd, wide_of(size_d * size_d));
	s->tt = wide_add(s->tt, wide_of(size_t * size_t));
	dt = wide_of(size_d * size_t);
	s->dt = (d ^ t) < 0 ? wide_sub(s->dt, dt) : wide_add(s->dt, dt);
}

static inline void trend_forget(struct trend *s)
{
	struct trend none = { 0 };

	*s = none;
}

/* The mean round trip in microseconds with 24 places. A sum is below 2^54. */
static inline fx trend_mean(const struct trend *s)
{
	u64 off = muldiv(size_of(s->t), FX_ONE, s->count);
	fx first = (u64)s->first_t << FX_BITS;

	return s->t < 0 ? first - off : first + off;
}

/* N sum xy - sum x sum y; sums below 2^54 in size. */
FIXED_INLINE struct wide trend_moment(u32 n, struct wide xy, s64 x, s64 y)
{
	struct wide sums = wide_mul(size_of(x), size_of(y));
	struct wide all = wide_times(xy, n);

	return (x ^ y) < 0 ? wide_add(all, sums) : wide_sub(all, sums);
}

/* r in units of RHO_ONE. Kept below 1 by 2^-53, so that Z stays finite. */
#define RHO_ONE (1ULL << 62)
#define RHO_MAX (RHO_ONE - (RHO_ONE >> 53))

struct correlation {
	u64 size;	/* |r| */
	u8 falls;	/* r < 0 */
};

/* 0 if it is undefined: all d or all t are equal. */
FIXED_INLINE struct correlation trend_correlation(const struct trend *s)
{
	struct wide dd = trend_moment(s->count, s->dd, s->d, s->d);
	struct wide tt = trend_moment(s->count, s->tt, s->t, s->t);
	struct wide dt = trend_moment(s->count, s->dt, s->d, s->t);
	struct wide zero = { 0, 0 };
	struct correlation r = { .size = 0, .falls = dt.hi >> 63 };
	struct root root_d = wide_root(dd), root_t = wide_root(tt);

	if (!root_d.root || !root_t.root)
		return r;
	/* |dt| <= sqrt dd sqrt tt (Cauchy-Schwarz): shifted as the roots are, it is at
	 * most their product, which is below 2^126. r = |dt|/product, with 62 places. */
	if (r.falls)
		dt = wide_sub(zero, dt);
	dt = wide_shr(wide_shl(dt, root_d.half + root_t.half), 2);
	r.size = wide_div(dt.hi, dt.lo, wide_mul(root_d.root, root_t.root).hi);
	r.size = fixed_min(r.size, RHO_MAX);
	return r;
}

/* |Z| with 24 places; 0 for three pairs or fewer. */
FIXED_INLINE u64 trend_fisher_z(const struct trend *s, struct correlation r)
{
	struct root n;
	u64 ln;

	if (s->count <= 3 || !r.size)
		return 0;
	n = wide_root(wide_of(s->count - 3));
	/* ln is below 38 * 2^32, the root below 2^16 * 2^24; n < 2^32: half >= 47 */
	ln = (u64)(ln_of(RHO_ONE + r.size) - ln_of(RHO_ONE - r.size));
	return mul_shift(ln, n.root >> (n.half - FX_BITS), LN_BITS + 1);
}

#endif
