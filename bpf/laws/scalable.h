/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * Scalable TCP: grows by a constant per ACK and shrinks by a constant fraction, whatever
 * the window.
 *
 * Source: Tom Kelly, "Scalable TCP: Improving Performance in Highspeed Wide Area
 * Networks", PFLDnet 2003, section 3. In Rust: congestion/scalable.rs.
 *
 *	w <= lwnd:  Reno
 *	w >  lwnd:  per ACK:   w <- w + a
 *	            per loss:  w <- w - b w
 *
 * Windows are in segments with 24 places. A loss in slow start and a timeout shrink the
 * window like any loss.
 */
#ifndef TUSKER_LAW_SCALABLE_H
#define TUSKER_LAW_SCALABLE_H

#include "../law.h"

#define LAW_NAME "scalable"
#define LAW_OWN_SLOW_START 0
/* a can be as small as 1e-4, which 24 places would represent with an error of 2e-4 */
#define LAW_PARAMS(P) \
	P(a, LN_ONE, LN(0.01)) \
	P(b, FX_ONE, FX(0.125)) \
	P(lwnd, FX_ONE, FX(16))
#define LAW_SHOWS(S)

LAW_DECLARE_PARAMS;

struct law {
	u8 nothing;
};

LAW_NO_INIT
LAW_NO_OBSERVE

static inline void law_grow(struct law *l, const volatile struct params *p,
			    struct window *w, const struct ack *a)
{
	(void)l;
	if (w->cwnd > p->lwnd)
		/* a <= 1: at most the credit */
		w->cwnd = fixed_add(w->cwnd, mul_shift(a->credit, p->a, LN_BITS));
	else
		window_grow(w, a->credit, FX_ONE);
}

static inline fx law_shrink(struct law *l, const volatile struct params *p, fx w)
{
	(void)l;
	return w - fx_mul(w, w > p->lwnd ? p->b : FX_ONE / 2);
}

LAW_SHRINKS_ALIKE
LAW_NO_SHRUNK
LAW_NO_RESET
LAW_NO_SHOW

#endif
