/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a law in the kernel reports to its watchers. src/events.rs reads the same
 * bytes; a test checks that both layouts agree.
 */
#ifndef TUSKER_EVENTS_H
#define TUSKER_EVENTS_H

enum what {
	EVENT_OPEN,		/* a connection starts to use the law */
	EVENT_ACK,		/* law_observe was called */
	EVENT_GROW,		/* law_grow or slow start; belongs to the previous ACK */
	EVENT_SHRINK,		/* ssthresh after a loss or mark */
	EVENT_TIMEOUT,		/* ssthresh after a timeout */
	EVENT_STATE,		/* the kernel's recovery state changes */
	EVENT_UNDO,		/* the last reduction was spurious */
	EVENT_CLOSE,		/* the connection ends or switches to another law */
};

#define EVENT_SHOWS 6

struct event {
	u64 now;		/* us, CLOCK_MONOTONIC, as TCP last read it */
	u64 flow;		/* identifies the connection */
	s64 forward;		/* us; struct ack */
	fx before;		/* the window before the law ran */
	fx cwnd;		/* the window after that */
	fx ssthresh;
	fx credit;
	s64 shows[EVENT_SHOWS];	/* LAW_SHOWS */
	u32 what;
	u32 state;		/* tcp_ca_state, the new one for EVENT_STATE */
	u32 rtt;
	u32 srtt;
	u32 rtt_min;
	u32 acked;
	u32 in_flight;
	u32 flight;		/* sent and not yet cumulatively acknowledged, for
				 * EVENT_SHRINK by the ACK before this one */
	u32 lost;		/* segments ever considered lost */
	u32 snd_cwnd;		/* the kernel's window before the law ran */
	u32 delivered;		/* segments ever delivered */
	u32 mss;		/* bytes of payload in a segment */
	u32 saddr, daddr;	/* in network byte order; 0 with IPv6 */
	u16 sport, dport;	/* in host byte order */
	u8 has_forward, round_start, cwnd_limited, slow_start;
};

/* in .data.watch: written by the watcher */
struct watch {
	u64 until;		/* events are reported until then; us, CLOCK_MONOTONIC */
	u64 every;		/* report one ACK per connection and this many us; 0: all */
};

/* in .data.tusker: written only here, from the first connection on */
struct control {
	u64 opened;		/* connections that have ever used the law */
	u64 closed;		/* those of them that have ended */
	u64 missed;		/* events lost because the ring was full */
	u64 shrinks;		/* windows that shrank after a loss or mark */
	u64 timeouts;		/* and after a timeout */
	u64 undone;		/* those of both that were spurious */
	u64 states;		/* changes of the kernel's recovery state */
	u64 skipped;		/* windows and thresholds mended: adopt.h */
	char name[16];		/* the law's name in the kernel */
	char law[16];		/* LAW_NAME */
};

#endif
