/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* A law as Rust sees it; src/host/ffi.rs has the same structs. */
#ifndef TUSKER_HOST_LAW_TABLE_H
#define TUSKER_HOST_LAW_TABLE_H

#include "fixed.h"

struct window;
struct ack;

/* A parameter, or an inner value (whose value is 0). */
struct named {
	const char *name;
	u64 one;
	u64 value;
};

struct table {
	const char *name;
	const struct named *params;
	const struct named *shows;
	u32 params_count;
	u32 shows_count;
	u32 own_slow_start;
	/* sizes of the structs of these names */
	u32 law;
	u32 window;
	u32 ack;
	void (*init)(void *l, const u64 *p);
	void (*observe)(void *l, const u64 *p, const struct window *w, const struct ack *a);
	void (*grow)(void *l, const u64 *p, struct window *w, const struct ack *a);
	fx (*shrink)(void *l, const u64 *p, fx w);
	fx (*shrink_outside)(void *l, const u64 *p, fx w);
	void (*shrunk)(void *l, u64 now);
	void (*reset)(void *l, const u64 *p, u64 now);
	void (*show)(const void *l, s64 *values);
};

#endif
