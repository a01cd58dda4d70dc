/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * HighSpeed TCP: the larger the window, the faster it grows and the less it shrinks.
 *
 * Source: RFC 3649, section 5. In Rust: congestion/hstcp.rs.
 *
 *	per ACK:   w <- w + a(w)/w
 *	per loss:  w <- (1 - b(w)) w
 *
 * a(w) and b(w) are in highspeed.h, which gHSTCP also uses. A timeout and a loss in
 * slow start halve the window, unless halve = 0.
 */
#ifndef TUSKER_LAW_HSTCP_H
#define TUSKER_LAW_HSTCP_H

#include "../law.h"

#define LAW_NAME "hstcp"
#define LAW_OWN_SLOW_START 0
#define LAW_PARAMS(P) HIGH_SPEED_PARAMS(P)
#define LAW_SHOWS(S) \
	S(a, FX_ONE)

#include "../highspeed.h"

struct law {
	struct high_speed high_speed;
};

static inline void law_init(struct law *l, const volatile struct params *p)
{
	(void)p;
	l->high_speed.a = FX_ONE;
}

LAW_NO_OBSERVE

static inline void law_grow(struct law *l, const volatile struct params *p,
			    struct window *w, const struct ack *a)
{
	/* RFC 3649, section 5: w <- w + a(w)/w in response to a single ACK */
	window_grow(w, a->credit, high_speed_a(&l->high_speed, p, w->cwnd));
}

static inline fx law_shrink(struct law *l, const volatile struct params *p, fx w)
{
	(void)l;
	/* RFC 3649, section 5: w <- (1 - b(w))w in response to a congestion event */
	return high_speed_shrink(p, w);
}

static inline fx law_shrink_outside(struct law *l, const volatile struct params *p, fx w)
{
	(void)l;
	return high_speed_shrink_outside(p, w);
}

LAW_NO_SHRUNK
LAW_NO_RESET

static inline void law_show(const struct law *l, s64 *values)
{
	values[0] = l->high_speed.a;
}

#endif
