/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* One law for the host: compiled once for each, with -DLAW_HEADER and -DLAW_TABLE. */
#include <stddef.h>

#include LAW_HEADER
#include "law_table.h"

/* struct params is u64s and nothing else: its bytes are what Rust hands over. */
#define AS_LAW(l) ((struct law *)(l))
#define AS_PARAMS(p) ((const volatile struct params *)(p))

static void init(void *l, const u64 *p)
{
	law_init(AS_LAW(l), AS_PARAMS(p));
}

static void observe(void *l, const u64 *p, const struct window *w, const struct ack *a)
{
	law_observe(AS_LAW(l), AS_PARAMS(p), w, a);
}

static void grow(void *l, const u64 *p, struct window *w, const struct ack *a)
{
	law_grow(AS_LAW(l), AS_PARAMS(p), w, a);
}

static fx shrink(void *l, const u64 *p, fx w)
{
	return law_shrink(AS_LAW(l), AS_PARAMS(p), w);
}

static fx shrink_outside(void *l, const u64 *p, fx w)
{
	return law_shrink_outside(AS_LAW(l), AS_PARAMS(p), w);
}

static void shrunk(void *l, u64 now)
{
	law_shrunk(AS_LAW(l), now);
}

static void reset(void *l, const u64 *p, u64 now)
{
	law_reset(AS_LAW(l), AS_PARAMS(p), now);
}

static void show(const void *l, s64 *values)
{
	law_show((const struct law *)l, values);
}

#define PARAM(name, one, value) { #name, one, value },
#define SHOWN(name, one) { #name, one, 0 },
/* each list ends with a row without a name, so that none is empty */
static const struct named params[] = { LAW_PARAMS(PARAM) { NULL, 0, 0 } };
static const struct named shows[] = { LAW_SHOWS(SHOWN) { NULL, 0, 0 } };

const struct table LAW_TABLE = {
	.name = LAW_NAME,
	.params = params,
	.shows = shows,
	.params_count = sizeof(params) / sizeof(params[0]) - 1,
	.shows_count = sizeof(shows) / sizeof(shows[0]) - 1,
	.own_slow_start = LAW_OWN_SLOW_START,
	.law = sizeof(struct law),
	.window = sizeof(struct window),
	.ack = sizeof(struct ack),
	.init = init,
	.observe = observe,
	.grow = grow,
	.shrink = shrink,
	.shrink_outside = shrink_outside,
	.shrunk = shrunk,
	.reset = reset,
	.show = show,
};
