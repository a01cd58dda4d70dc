/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * Fixed point: 24 binary places in unsigned 64 bits. The functions below need only
 * what BPF has: 64-bit integers, unsigned division, no loop, no table, few
 * branches (each is a path that the kernel's verifier walks). The compiler folds
 * FX() and LN(): floating point never reaches the program.
 *
 * Errors are stated and tested against the platform's mathematics by
 * crates/tusker-kernel/tests/host_fixed.rs.
 */
#ifndef TUSKER_FIXED_H
#define TUSKER_FIXED_H

#ifdef __bpf__
#include "core.h"		/* u8 .. u64, s8 .. s64 of the kernel */
#else
#include <stdint.h>
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;
#endif

/* A separate function in the kernel's program: verified once per call, but in memory
 * only once; unused in laws that do not need it. */
#define FIXED_CALL static __attribute__((noinline, unused))
/* One that must be inlined: BPF cannot pass structs between functions. */
#define FIXED_INLINE static inline __attribute__((always_inline))

typedef u64 fx;

#define FX_BITS 24
#define FX_ONE (1ULL << FX_BITS)
#define FX_MAX (~0ULL)
/* a constant: FX(0.125) */
#define FX(x) ((fx)((x) * (double)FX_ONE + 0.5))

static inline u64 fixed_min(u64 a, u64 b)
{
	return a < b ? a : b;
}

static inline u64 fixed_max(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* a + b, or FX_MAX. */
static inline u64 fixed_add(u64 a, u64 b)
{
	u64 sum = a + b;

	return sum < a ? FX_MAX : sum;
}

/* --- 128 bits: hi * 2^64 + lo, unsigned or in two's complement --- */

struct wide {
	u64 hi;
	u64 lo;
};

/* Exact: 32-bit digits, as by hand. */
FIXED_INLINE struct wide wide_mul(u64 a, u64 b)
{
	u64 a1 = a >> 32, a0 = a & 0xffffffff;
	u64 b1 = b >> 32, b0 = b & 0xffffffff;
	u64 low = a0 * b0;
	/* (2^32-1)^2 + (2^32-1) < 2^64: neither sum overflows */
	u64 mid = a1 * b0 + (low >> 32);
	u64 mid2 = a0 * b1 + (mid & 0xffffffff);
	struct wide p = {
		.hi = a1 * b1 + (mid >> 32) + (mid2 >> 32),
		.lo = mid2 << 32 | (low & 0xffffffff),
	};

	return p;
}

FIXED_INLINE struct wide wide_add(struct wide a, struct wide b)
{
	struct wide sum = { .hi = a.hi + b.hi, .lo = a.lo + b.lo };

	sum.hi += sum.lo < a.lo;
	return sum;
}

FIXED_INLINE struct wide wide_sub(struct wide a, struct wide b)
{
	struct wide left = { .hi = a.hi - b.hi - (a.lo < b.lo), .lo = a.lo - b.lo };

	return left;
}

/* a b, where a is below 2^127 and the product fits. */
FIXED_INLINE struct wide wide_times(struct wide a, u64 b)
{
	struct wide p = wide_mul(a.lo, b);

	p.hi += a.hi * b;
	return p;
}

/* By 0 .. 127 places; no branch, since the verifier would walk both. */
FIXED_INLINE struct wide wide_shl(struct wide a, u32 n)
{
	u64 far = -(u64)(n >> 6 & 1);	/* all ones from 64 on */
	u32 k = n & 63;
	u64 hi = a.hi << k | (a.lo >> 1) >> (63 - k);
	u64 lo = a.lo << k;
	struct wide r = { .hi = (hi & ~far) | (lo & far), .lo = lo & ~far };

	return r;
}

FIXED_INLINE struct wide wide_shr(struct wide a, u32 n)
{
	u64 far = -(u64)(n >> 6 & 1);
	u32 k = n & 63;
	u64 lo = a.lo >> k | (a.hi << 1) << (63 - k);
	u64 hi = a.hi >> k;
	struct wide r = { .hi = hi & ~far, .lo = (lo & ~far) | (hi & far) };

	return r;
}

/* The position of the highest set bit of x, 0 .. 63; 0 for 0. All bits below it are
 * set, then counted. */
static inline u32 log2_floor(u64 x)
{
	x |= x >> 1;
	x |= x >> 2;
	x |= x >> 4;
	x |= x >> 8;
	x |= x >> 16;
	x |= x >> 32;
	x >>= 1;
	x -= x >> 1 & 0x5555555555555555ULL;
	x = (x & 0x3333333333333333ULL) + (x >> 2 & 0x3333333333333333ULL);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return x * 0x0101010101010101ULL >> 56;
}

/*
 * (hi, lo) / d, rounded down; FX_MAX if it does not fit or d is 0. Two digits of
 * 32 bits, each guessed from the leading digit of d and corrected at most twice:
 * Knuth, The Art of Computer Programming, volume 2, section 4.3.1, algorithm D.
 */
FIXED_CALL u64 wide_div(u64 hi, u64 lo, u64 d)
{
	u64 d1, d0, q1, q0, r;
	u32 s;

	if (hi >= d)
		return FX_MAX;
	s = 63 - log2_floor(d);
	d <<= s;
	hi = hi << s | (lo >> 1) >> (63 - s);
	lo <<= s;
	d1 = d >> 32;
	d0 = d & 0xffffffff;

	q1 = hi / d1;
	r = hi - q1 * d1;
	/* q1 < 2^32 + 2, d0 < 2^32: the product may pass 2^64 only where q1 >> 32 */
	if (q1 >> 32 || q1 * d0 > (r << 32 | lo >> 32)) {
		q1--;
		r += d1;
		if (!(r >> 32) && (q1 >> 32 || q1 * d0 > (r << 32 | lo >> 32)))
			q1--;
	}
	hi = (hi << 32 | lo >> 32) - q1 * d;	/* modulo 2^64, as is q1 d */

	q0 = hi / d1;
	r = hi - q0 * d1;
	if (q0 >> 32 || q0 * d0 > (r << 32 | (lo & 0xffffffff))) {
		q0--;
		r += d1;
		if (!(r >> 32) && (q0 >> 32 || q0 * d0 > (r << 32 | (lo & 0xffffffff))))
			q0--;
	}
	return (q1 << 32) + q0;
}

/* a b / c rounded to the nearest; FX_MAX if it does not fit or c is 0. */
FIXED_CALL u64 muldiv(u64 a, u64 b, u64 c)
{
	struct wide p;

	if (!c)
		return FX_MAX;
	if (!((a | b) >> 32)) {
		u64 q = a * b / c, r = a * b - q * c;

		return q + (r >= c - r);
	}
	p = wide_mul(a, b);
	p.lo += c / 2;
	p.hi += p.lo < c / 2;		/* a product's hi is at most 2^64 - 2 */
	return wide_div(p.hi, p.lo, c);
}

/* a b / 2^n rounded to the nearest, n from 1 to 63; FX_MAX if it does not fit. */
static inline u64 mul_shift(u64 a, u64 b, u32 n)
{
	struct wide half = { .hi = 0, .lo = 1ULL << (n - 1) };
	struct wide p = wide_add(wide_mul(a, b), half);

	return p.hi >> n ? FX_MAX : p.hi << (64 - n) | p.lo >> n;
}

static inline fx fx_mul(fx a, fx b)
{
	return mul_shift(a, b, FX_BITS);
}

static inline fx fx_div(fx a, fx b)
{
	return muldiv(a, FX_ONE, b);
}

/* --- logarithms have 32 places and a sign --- */

#define LN_BITS 32
#define LN_ONE (1LL << LN_BITS)
/* a constant: LN(3.637586) */
#define LN(x) ((s64)((x) * (double)LN_ONE + ((x) < 0 ? -0.5 : 0.5)))
#define LN_2 LN(0.69314718055994530942)
#define LN_SQRT2 LN(0.34657359027997265471)
/* ln 2 with 56 places, since ln_of takes it up to 63 times */
#define LN_2_56 49946518145322874ULL
/* sqrt(2) with 62 places */
#define SQRT2_62 6521908912666391106ULL

/*
 * ln x of an integer of at least 1; error below 2^-30. With x = m 2^e, m within
 * 1 .. 2:
 *
 *	ln x = (e + 1/2) ln 2 + 2 atanh(s),   s = (m - sqrt 2)/(m + sqrt 2)
 *
 * |s| <= 0.1716, so six terms of s (1 + s^2/3 + s^4/5 + ...) are enough: the
 * seventh is 9e-12.
 */
FIXED_CALL s64 ln_of(u64 x)
{
	u32 e = log2_floor(x);
	u64 m = (x << (63 - e)) >> 1;	/* 62 places */
	u64 off = m > SQRT2_62 ? m - SQRT2_62 : SQRT2_62 - m;
	u64 s = muldiv(off, 1ULL << 32, m + SQRT2_62);	/* < 2^29.5 */
	u64 z = s * s >> 32;
	u64 p = LN(1.0 / 11);

	/* z < 2^27, p < 2^32.1: products below 2^60, the last below 2^63 */
	p = LN(1.0 / 9) + (z * p >> 32);
	p = LN(1.0 / 7) + (z * p >> 32);
	p = LN(1.0 / 5) + (z * p >> 32);
	p = LN(1.0 / 3) + (z * p >> 32);
	p = LN(1.0) + (z * p >> 32);
	p = (s * p + (1ULL << 30)) >> 31;
	return (s64)(e * LN_2_56 >> 24) + LN_SQRT2 + (m > SQRT2_62 ? (s64)p : -(s64)p);
}

/* ln of a number with 24 places that is not 0; error below 2^-29. */
static inline s64 fx_ln(fx x)
{
	return ln_of(x) - FX_BITS * LN_2;
}

/*
 * e^x with 32 places; error below 2^-28 of the result plus one unit; 0 below -22,
 * FX_MAX from 22 on. With x = k ln 2 + r the series of e^r to r^11, whose next term
 * is 3e-11.
 */
FIXED_CALL u64 exp_of(s64 x)
{
	u64 y, k, r, p;

	if (x >= LN(22.0))
		return FX_MAX;
	if (x < LN(-22.0))
		return 0;
	y = (u64)(x + 32 * LN_2);	/* positive: 32 ln 2 = 22.18 */
	k = y / LN_2;			/* 0 .. 63 */
	r = (y - k * LN_2) >> 1;	/* below ln 2, 31 places */
	p = LN(1.0 / 39916800);
	/* r < 0.70 * 2^31, p at most 2^32.5: products below 2^63 */
	p = LN(1.0 / 3628800) + (r * p >> 31);
	p = LN(1.0 / 362880) + (r * p >> 31);
	p = LN(1.0 / 40320) + (r * p >> 31);
	p = LN(1.0 / 5040) + (r * p >> 31);
	p = LN(1.0 / 720) + (r * p >> 31);
	p = LN(1.0 / 120) + (r * p >> 31);
	p = LN(1.0 / 24) + (r * p >> 31);
	p = LN(1.0 / 6) + (r * p >> 31);
	p = LN(1.0 / 2) + (r * p >> 31);
	p = LN(1.0) + (r * p >> 31);
	p = LN(1.0) + (r * p >> 31);
	/* e^x = p 2^(k-32), p within 2^32 .. 2^33 */
	return wide_shr((struct wide){ .hi = p >> 1, .lo = p << 63 }, 95 - (u32)k).lo;
}

/* --- roots --- */

/*
 * A square root as root 2^-half: root has its highest bit at 62 (or is 0), half is
 * from 0 to 62. Relative error below 2^-58. For numbers below 2^126.
 */
struct root {
	u64 root;
	u32 half;
};

/* Shifts by an even number of places, which takes the highest bit to 124 or 125. */
static inline u32 root_half(u64 hi, u64 lo)
{
	return (125 - (hi ? 64 + log2_floor(hi) : log2_floor(lo))) >> 1;
}

/*
 * A straight line gives the root of the leading bits to 3 %; each of Newton's steps
 * doubles the digits: 5e-4, 1e-7, all 30 bits of x, and 59 bits with all of (hi, lo).
 */
FIXED_CALL u64 root_of(u64 hi, u64 lo)
{
	struct wide a = { .hi = hi, .lo = lo };
	u64 x;

	if (!(hi | lo))
		return 0;
	a = wide_shl(a, 2 * root_half(hi, lo));
	/* m = hi 2^-60 within 1 .. 4, sqrt m = 0.686 + 0.343 m +- 0.03; 30 places */
	x = (u64)(0.686 * (1 << 30)) + ((a.hi >> 30) * 351 >> 10);
	x = (x + a.hi / x) / 2;
	x = (x + a.hi / x) / 2;
	x = (x + a.hi / x) / 2;		/* at most 2^31 */
	x = fixed_min(x, (1ULL << 31) - 1) << 32;
	return fixed_min(x / 2 + wide_div(a.hi, a.lo, x) / 2, (1ULL << 63) - 1);
}

FIXED_INLINE struct root wide_root(struct wide a)
{
	struct root r = { .root = root_of(a.hi, a.lo), .half = root_half(a.hi, a.lo) };

	return r;
}

#endif
