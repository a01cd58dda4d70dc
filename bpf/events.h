/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a law in the kernel tells who watches it. src/events.rs reads the same bytes;
 * a test holds both layouts together.
 */
#ifndef TUSKER_EVENTS_H
#define TUSKER_EVENTS_H

enum what {
	EVENT_OPEN,		/* a connection takes the law */
	EVENT_ACK,		/* law_observe was asked */
	EVENT_GROW,		/* law_grow was, or slow start; belongs to the ACK before it */
	EVENT_SHRINK,		/* ssthresh after a loss or mark */
	EVENT_TIMEOUT,		/* ssthresh after a timeout */
	EVENT_STATE,		/* the kernel goes to another state of repair */
	EVENT_UNDO,		/* the last of these was for nothing */
	EVENT_CLOSE,		/* the connection ends or takes another law */
};

#define EVENT_SHOWS 6

struct event {
	u64 now;		/* us, CLOCK_MONOTONIC, as TCP last read it */
	u64 flow;		/* tells connections apart */
	s64 forward;		/* us; struct ack */
	fx before;		/* the window, when the kernel called */
	fx cwnd;		/* and after it */
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
	u32 lost;		/* segments ever taken for lost */
	u32 snd_cwnd;		/* the kernel's window when it called */
	u32 delivered;		/* segments ever delivered */
	u32 mss;		/* bytes of payload in a segment */
	u32 saddr, daddr;	/* in the order of the network; 0 with IPv6 */
	u16 sport, dport;	/* in the order of the host */
	u8 has_forward, round_start, cwnd_limited, slow_start;
};

/* in .data.watch: written by who watches */
struct watch {
	u64 until;		/* events are told up to then; us, CLOCK_MONOTONIC */
	u64 every;		/* of a connection's ACKs one per so many us; 0: all */
};

/* in .data.tusker: written here alone, from the first connection on */
struct control {
	u64 opened;		/* connections that took the law, ever */
	u64 closed;		/* and those of them that are over */
	u64 missed;		/* events that found the ring full */
	u64 shrinks;		/* windows that shrank after a loss or mark */
	u64 timeouts;		/* and after a timeout */
	u64 undone;		/* and those of both that were for nothing */
	u64 states;		/* times that the kernel went to another state of repair */
	char name[16];		/* as the kernel knows the law */
	char law[16];		/* LAW_NAME */
};

#endif
