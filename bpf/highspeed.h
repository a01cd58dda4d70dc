/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * a(w) and b(w) of HighSpeed TCP: RFC 3649, section 5, for laws/hstcp.h and
 * laws/ghstcp.h. In Rust: congestion/hstcp.rs, which gives the source of each
 * reading.
 *
 *	w <= w_low:  a = 1, b = 1/2 (Reno)
 *	w >  w_low:  a = 2 w^2 b p / (2 - b)
 *	             b = 1/2 - (1/2 - b_high) x, not below b_high/2
 *	             ln p = ln p_low - (ln p_low - ln p_high) x,
 *	             0.078/w^1.2 from w_high on
 *	x = (ln w - ln w_low)/(ln w_high - ln w_low)
 *	p_low: Reno's loss rate, which falls with w^2 and is 0.078/38^1.2 at 38
 *	p_high = 0.078/w_high^1.2
 *	ns2_response: p_low = 1.5/w_low^2, p_high = 1e-7, and the line continues
 *
 * Logarithms of parameters are computed each time: a is computed once per segment
 * that the window gains, b once per loss, and a connection has no room to keep them.
 *
 * A law includes this after it has defined LAW_PARAMS, including HIGH_SPEED_PARAMS:
 * this header declares struct params.
 */
#ifndef TUSKER_HIGHSPEED_H
#define TUSKER_HIGHSPEED_H

#include "law.h"

/* Segments have 24 places, b_high 32. */
#define HIGH_SPEED_PARAMS(P) \
	P(w_low, FX_ONE, FX(38)) \
	P(w_high, FX_ONE, FX(83000)) \
	P(b_high, LN_ONE, LN(0.1)) \
	P(halve, 1, 1) \
	P(ns2_response, 1, 0)

LAW_DECLARE_PARAMS;

#define LN_RESPONSE (-2.55104645229254549)	/* ln 0.078 */
#define LN_RENO_MEETS 3.63758615972638577	/* ln 38 */
#define LN_NS2_RENO 0.405465108108164382	/* ln 1.5 */
#define LN_NS2_P_HIGH (-16.1180956509583189)	/* ln 1e-7 */

struct high_speed {
	fx a;		/* the increase last used ... */
	u32 a_from;	/* ... which holds for a_from <= w < a_from + 1; 0: for none */
};

/* x with 26 places, for ln w of at least ln w_low. ln w is below 31, so the
 * numerator is below 2^63; the parameters' ranges keep the ends ln 20 apart. */
static inline u64 high_speed_x(s64 ln_w, s64 ln_low, s64 ln_high)
{
	return ((u64)(ln_w - ln_low) << 26) / (u64)(ln_high - ln_low);
}

/* b with 32 places; x is below 11, so that the product is below 2^61. */
static inline u64 high_speed_b(u64 b_high, u64 x)
{
	u64 off = (LN_ONE / 2 - b_high) * x >> 26;
	u64 least = b_high / 2;

	return off + least < LN_ONE / 2 ? LN_ONE / 2 - off : least;
}

/* Segments that a window of exactly w gains per round trip. */
FIXED_CALL fx high_speed_exact_a(const volatile struct params *p, fx w)
{
	fx w_low = p->w_low;
	u64 ns2 = p->ns2_response;
	s64 ln_w, ln_low, ln_high, ln_p_low, ln_p_high, ln_p;
	u64 x, b;

	if (w <= w_low)
		return FX_ONE;
	ln_w = fx_ln(w);
	ln_low = fx_ln(w_low);
	ln_high = fx_ln(p->w_high);
	x = high_speed_x(ln_w, ln_low, ln_high);
	b = high_speed_b(p->b_high, x);
	if (ns2) {
		ln_p_low = LN(LN_NS2_RENO) - 2 * ln_low;
		ln_p_high = LN(LN_NS2_P_HIGH);
	} else {
		ln_p_low = LN(LN_RESPONSE + 0.8 * LN_RENO_MEETS) - 2 * ln_low;
		ln_p_high = LN(LN_RESPONSE) - (s64)((u64)ln_high * 6 / 5);
	}
	if (ns2 || ln_w < ln_high)
		/* p falls: the difference is positive, and below 2^38 */
		ln_p = ln_p_low - (s64)mul_shift((u64)(ln_p_low - ln_p_high), x, 26);
	else
		ln_p = LN(LN_RESPONSE) - (s64)((u64)ln_w * 6 / 5);
	/* w^2 p and 2b/(2-b) with 32 places each */
	return muldiv(exp_of(2 * ln_w + ln_p), 2 * b, (2 * LN_ONE - b) << 8);
}

/* The same at the whole part of w, recomputed only when that has changed. */
static inline fx high_speed_a(struct high_speed *h, const volatile struct params *p, fx w)
{
	u64 whole = w >> FX_BITS;

	if (whole != h->a_from) {
		h->a_from = whole;
		h->a = high_speed_exact_a(p, whole << FX_BITS);
	}
	return h->a;
}

/* The window after a loss in congestion avoidance: (1 - b) w. */
FIXED_CALL fx high_speed_shrink(const volatile struct params *p, fx w)
{
	fx w_low = p->w_low;
	s64 ln_low;
	u64 x;

	if (w <= w_low)
		return w / 2;
	ln_low = fx_ln(w_low);
	x = high_speed_x(fx_ln(w), ln_low, fx_ln(p->w_high));
	return w - mul_shift(w, high_speed_b(p->b_high, x), LN_BITS);
}

/* The window after a timeout or a loss in slow start. */
static inline fx high_speed_shrink_outside(const volatile struct params *p, fx w)
{
	return p->halve ? w / 2 : high_speed_shrink(p, w);
}

#endif
