/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* The functions of fixed.h and adopt.h for tests. */
#include "adopt.h"

u64 tusker_muldiv(u64 a, u64 b, u64 c);
u64 tusker_mul_shift(u64 a, u64 b, u32 n);
u64 tusker_wide_div(u64 hi, u64 lo, u64 d);
u64 tusker_wide_shift(u64 hi, u64 lo, u32 left, u32 right, u64 *low);
u32 tusker_log2_floor(u64 x);
s64 tusker_ln(u64 x);
u64 tusker_exp(s64 x);
u64 tusker_root(u64 hi, u64 lo, u32 *half);
u8 tusker_adopt(struct window *w, struct kernel_window *k);

u64 tusker_muldiv(u64 a, u64 b, u64 c)
{
	return muldiv(a, b, c);
}

u64 tusker_mul_shift(u64 a, u64 b, u32 n)
{
	return mul_shift(a, b, n);
}

u64 tusker_wide_div(u64 hi, u64 lo, u64 d)
{
	return wide_div(hi, lo, d);
}

u64 tusker_wide_shift(u64 hi, u64 lo, u32 left, u32 right, u64 *low)
{
	struct wide a = { .hi = hi, .lo = lo };

	a = wide_shr(wide_shl(a, left), right);
	*low = a.lo;
	return a.hi;
}

u32 tusker_log2_floor(u64 x)
{
	return log2_floor(x);
}

s64 tusker_ln(u64 x)
{
	return ln_of(x);
}

u64 tusker_exp(s64 x)
{
	return exp_of(x);
}

u64 tusker_root(u64 hi, u64 lo, u32 *half)
{
	struct wide a = { .hi = hi, .lo = lo };
	struct root r = wide_root(a);

	*half = r.half;
	return r.root;
}

u8 tusker_adopt(struct window *w, struct kernel_window *k)
{
	u8 mended = kernel_window_mend(w, k);

	window_adopt(w, k);
	return mended;
}
