/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * What a law takes over from the kernel before each of its functions runs: the kernel
 * also changes the window (glue.bpf.h says when), and knows only its segments.
 *
 * A kernel may skip a BPF program. It then takes for the threshold, or for the window of
 * an undone reduction, what lies in its stack: an address in most cases. PRR scales such a
 * threshold into the window. Neither may reach the law.
 */
#ifndef TUSKER_ADOPT_H
#define TUSKER_ADOPT_H

#include "law.h"

#define MIN_SSTHRESH 2
/* TCP_INFINITE_SSTHRESH: the kernel has no larger threshold */
#define NO_SSTHRESH 0x7fffffff
/* the range of windows in law.h */
#define MAX_CWND (1U << 22)

/* The kernel's window and threshold, and its window before the last reduction. */
struct kernel_window {
	u32 cwnd;
	u32 ssthresh;
	u32 prior_cwnd;
};

static inline u32 segments(fx x)
{
	u64 n = x >> FX_BITS;

	return n < NO_SSTHRESH ? n : NO_SSTHRESH;
}

/*
 * Replaces values that no program returned: a threshold by half of the window before the
 * loss, as if the law had no say; a window by the larger of those that were in use.
 * True if k was changed.
 */
static inline u8 kernel_window_mend(const struct window *w, struct kernel_window *k)
{
	u32 used = fixed_max(segments(w->cwnd), k->prior_cwnd);
	u8 mended = 0;

	if (k->ssthresh > NO_SSTHRESH) {
		k->ssthresh = fixed_max(k->prior_cwnd / 2, MIN_SSTHRESH);
		k->cwnd = fixed_min(k->cwnd, k->ssthresh);
		mended = 1;
	}
	/* 0: the connection has just started to use the law */
	if (w->cwnd && k->cwnd > MAX_CWND && k->cwnd > used) {
		k->cwnd = used;
		mended = 1;
	}
	return mended;
}

/* The fraction of a segment remains if the kernel has not changed the segments. */
static inline void window_adopt(struct window *w, const struct kernel_window *k)
{
	if (segments(w->cwnd) != k->cwnd)
		w->cwnd = (fx)k->cwnd << FX_BITS;
	if (k->ssthresh >= NO_SSTHRESH)
		w->ssthresh = FX_MAX;
	else if (segments(w->ssthresh) != k->ssthresh)
		w->ssthresh = (fx)k->ssthresh << FX_BITS;
}

#endif
