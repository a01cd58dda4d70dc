/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connects the kernel's hooks to a law (law.h). Included after the law's header by an
 * object's only file.
 *
 *   the kernel calls      when                               the law's function
 *   init                  a connection starts to use it      law_init
 *   pkts_acked            every ACK, in every phase          law_observe
 *   cong_avoid            an ACK increases the window        slow start, law_grow
 *   ssthresh              recovery starts, the timer fires   law_shrink(_outside)
 *   set_state             the recovery state changes         law_reset
 *   undo_cwnd             a reduction was spurious           -
 *   release               the connection ends                -
 *
 * The kernel itself also changes the window: in recovery (PRR), after a timeout, after
 * an idle time and when it undoes a reduction. The fraction of a segment that a law
 * needs is kept separately; if the kernel's whole number has changed, it is adopted.
 */
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "adopt.h"
#include "events.h"

char _license[] SEC("license") = "GPL";

/* set before the object is loaded, constant afterwards */
const volatile struct params params SEC(".rodata.tusker") = LAW_DEFAULTS;

struct watch watch SEC(".data.watch");
struct control control SEC(".data.tusker") = { .name = LAW_NAME, .law = LAW_NAME };

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} tusker_events SEC(".maps");

/* The state of a connection, in icsk_ca_priv. */
struct flow {
	struct window w;
	u32 rtt;		/* from this ACK; 0: no sample */
	u32 rtt_min;		/* of the connection */
	u32 delivered;		/* tp->delivered as of this ACK ... */
	u32 acked;		/* ... and what this ACK added to it */
	u32 round_end;		/* snd_nxt when the round started */
	u32 reported;		/* us, lower half: when an ACK was last reported */
	u32 taken;		/* segments that this ACK removed from packets_out */
	u8 round_start;		/* this ACK started a round */
	u8 report;		/* this ACK is reported */
};

_Static_assert(sizeof(struct flow) <= 13 * 8, "icsk_ca_priv has 104 bytes");

/* the kernel's timer is 0 while it handles a retransmission timeout */
#define TIMER_FIRED 0

/*
 * The law's state is stored after struct flow if it fits, otherwise in the socket's
 * storage.
 */
struct small {
	struct flow flow;
	struct law law;
};

#define LAW_FITS (sizeof(struct small) <= 13 * 8)

#ifdef LAW_STORED
_Static_assert(!LAW_FITS, "LAW_STORED is for laws that do not fit");

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct law);
} tusker_laws SEC(".maps");
#else
_Static_assert(LAW_FITS, "define LAW_STORED: the law does not fit into icsk_ca_priv");
#endif

static __always_inline struct tcp_sock *tcp_of(struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

static __always_inline struct flow *flow_of(struct sock *sk)
{
	return (struct flow *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

/* NULL only if memory is short. */
static __always_inline struct law *law_of(struct sock *sk)
{
#ifdef LAW_STORED
	struct law *l = bpf_sk_storage_get(&tusker_laws, sk, 0, 0);

	if (l)
		return l;
	l = bpf_sk_storage_get(&tusker_laws, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (l)
		law_init(l, &params);
	return l;
#else
	return &((struct small *)((struct inet_connection_sock *)sk)->icsk_ca_priv)->law;
#endif
}

static __always_inline u32 in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - (tp->sacked_out + tp->lost_out) + tp->retrans_out;
}

/*
 * What was outstanding when the loss was found (RFC 5681, section 3.1): before the ACK
 * that reported it. An ACK that also reports that everything has arrived, as after a
 * tail loss probe (RFC 8985, section 7.4), leaves nothing outstanding.
 */
static __always_inline u32 flight(const struct tcp_sock *tp, const struct flow *f, bool timeout)
{
	return timeout ? tp->packets_out : tp->packets_out + f->taken;
}

static __always_inline u8 ca_state(const struct sock *sk)
{
	struct inet_connection_sock *icsk = (struct inet_connection_sock *)sk;

	return BPF_CORE_READ_BITFIELD(icsk, icsk_ca_state);
}

static __always_inline struct kernel_window mended(const struct flow *f, struct tcp_sock *tp)
{
	struct kernel_window k = {
		.cwnd = tp->snd_cwnd,
		.ssthresh = tp->snd_ssthresh,
		.prior_cwnd = tp->prior_cwnd,
	};

	if (kernel_window_mend(&f->w, &k)) {
		__sync_fetch_and_add(&control.skipped, 1);
		tp->snd_cwnd = k.cwnd;
		tp->snd_ssthresh = k.ssthresh;
	}
	return k;
}

/* What the kernel did to the window since the law last ran. */
static __always_inline void take_over(struct flow *f, struct tcp_sock *tp)
{
	struct kernel_window k = mended(f, tp);

	window_adopt(&f->w, &k);
}

static __always_inline u8 cwnd_limited(struct tcp_sock *tp)
{
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return 1;
	/*
	 * The kernel records this when it sends new data. If lost segments wait, it is the
	 * window that holds them back.
	 */
	if (tp->lost_out > tp->retrans_out)
		return 1;
	/* slow start doubles: half of the window in use is enough */
	return tp->snd_cwnd < tp->snd_ssthresh && tp->snd_cwnd < 2 * tp->max_packets_out;
}

/*
 * The forward one-way delay: when the receiver answered by its clock, minus when the
 * segment left by ours (RFC 7323). Both count milliseconds from an arbitrary start;
 * if we count microseconds, the two cannot be combined.
 */
static __always_inline void forward_delay(struct ack *a, struct tcp_sock *tp)
{
	struct tcp_sock___usec *usec = (void *)tp;

	if (!tp->rx_opt.rcv_tsecr || !BPF_CORE_READ_BITFIELD(tp, rx_opt.saw_tstamp))
		return;
	if (bpf_core_field_exists(usec->tcp_usec_ts) && BPF_CORE_READ_BITFIELD(usec, tcp_usec_ts))
		return;
	a->forward = (s64)(s32)(tp->rx_opt.rcv_tsval - tp->rx_opt.rcv_tsecr) * 1000;
	a->has_forward = 1;
}

static __always_inline void fill(struct ack *a, struct tcp_sock *tp, const struct flow *f,
				 u32 credit)
{
	a->now = tp->tcp_mstamp;
	a->departed = a->now - f->rtt;
	a->credit = (fx)credit << FX_BITS;
	a->acked = f->acked;
	a->in_flight = in_flight(tp);
	a->rtt = f->rtt;
	a->srtt = tp->srtt_us >> 3;
	a->rtt_min = f->rtt_min;
	a->round_start = f->round_start;
	a->cwnd_limited = cwnd_limited(tp);
	forward_delay(a, tp);
}

static __always_inline bool watched(const struct tcp_sock *tp)
{
	return watch.until > tp->tcp_mstamp;
}

static __always_inline void report(struct sock *sk, const struct flow *f, const struct law *l,
				 enum what what, u32 state, fx before, u32 snd_cwnd,
				 const struct ack *a)
{
	struct tcp_sock *tp = tcp_of(sk);
	struct event *e;

	e = bpf_ringbuf_reserve(&tusker_events, sizeof(*e), 0);
	if (!e) {
		__sync_fetch_and_add(&control.missed, 1);
		return;
	}
	__builtin_memset(e, 0, sizeof(*e));
	e->now = tp->tcp_mstamp;
	e->flow = (u64)sk;
	e->before = before;
	e->cwnd = f->w.cwnd;
	e->ssthresh = f->w.ssthresh;
	e->what = what;
	e->state = state;
	e->srtt = tp->srtt_us >> 3;
	e->rtt = f->rtt;
	e->rtt_min = f->rtt_min;
	e->in_flight = in_flight(tp);
	e->flight = flight(tp, f, what != EVENT_SHRINK);
	e->lost = tp->lost;
	e->snd_cwnd = snd_cwnd;
	e->delivered = tp->delivered;
	e->mss = tp->mss_cache;
	e->saddr = sk->__sk_common.skc_rcv_saddr;
	e->daddr = sk->__sk_common.skc_daddr;
	e->sport = sk->__sk_common.skc_num;
	e->dport = __builtin_bswap16(sk->__sk_common.skc_dport);
	e->slow_start = before < f->w.ssthresh;
	if (a) {
		e->forward = a->forward;
		e->credit = a->credit;
		e->acked = a->acked;
		e->has_forward = a->has_forward;
		e->round_start = a->round_start;
		e->cwnd_limited = a->cwnd_limited;
	}
	law_show(l, e->shows);
	bpf_ringbuf_submit(e, 0);
}

SEC("struct_ops/tusker_init")
void BPF_PROG(tusker_init, struct sock *sk)
{
	struct tcp_sock *tp = tcp_of(sk);
	struct flow *f = flow_of(sk);
	struct law *l;

	__sync_fetch_and_add(&control.opened, 1);
	/* another law may have left its state */
	for (int i = 0; i < 13; i++)
		((struct inet_connection_sock *)sk)->icsk_ca_priv[i] = 0;
#ifdef LAW_STORED
	bpf_sk_storage_delete(&tusker_laws, sk);
	l = law_of(sk);
#else
	l = law_of(sk);
	law_init(l, &params);
#endif
	f->delivered = tp->delivered;
	f->round_end = tp->snd_nxt;
	take_over(f, tp);
	if (l && watched(tp))
		report(sk, f, l, EVENT_OPEN, ca_state(sk), f->w.cwnd, tp->snd_cwnd, NULL);
}

SEC("struct_ops/tusker_release")
void BPF_PROG(tusker_release, struct sock *sk)
{
	struct tcp_sock *tp = tcp_of(sk);
	struct flow *f = flow_of(sk);
	struct law *l = law_of(sk);

	__sync_fetch_and_add(&control.closed, 1);
	if (l && watched(tp))
		report(sk, f, l, EVENT_CLOSE, ca_state(sk), f->w.cwnd, tp->snd_cwnd, NULL);
}

SEC("struct_ops/tusker_pkts_acked")
void BPF_PROG(tusker_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct tcp_sock *tp = tcp_of(sk);
	struct flow *f = flow_of(sk);
	struct law *l = law_of(sk);
	struct ack a = {};
	fx before;

	if (!l)
		return;
	take_over(f, tp);
	before = f->w.cwnd;
	f->rtt = sample->rtt_us > 0 ? sample->rtt_us : 0;
	if (f->rtt && (!f->rtt_min || f->rtt < f->rtt_min))
		f->rtt_min = f->rtt;
	f->taken = sample->pkts_acked;
	f->acked = tp->delivered - f->delivered;
	f->delivered = tp->delivered;
	f->round_start = (s32)(tp->snd_una - f->round_end) >= 0;
	if (f->round_start)
		f->round_end = tp->snd_nxt;
	fill(&a, tp, f, 0);
	law_observe(l, &params, &f->w, &a);
	f->report = watched(tp) && (u32)tp->tcp_mstamp - f->reported >= watch.every;
	if (f->report) {
		f->reported = tp->tcp_mstamp;
		report(sk, f, l, EVENT_ACK, ca_state(sk), before, tp->snd_cwnd, &a);
	}
}

/* RFC 5681, section 3.1: not beyond ssthresh; the rest of the credit belongs to the law. */
static __always_inline fx slow_start(struct window *w, fx credit)
{
	fx room = w->ssthresh - w->cwnd;

	if (credit < room) {
		w->cwnd += credit;
		return 0;
	}
	w->cwnd = w->ssthresh;
	return credit - room;
}

SEC("struct_ops/tusker_cong_avoid")
void BPF_PROG(tusker_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_of(sk);
	struct flow *f = flow_of(sk);
	struct law *l = law_of(sk);
	u32 was = tp->snd_cwnd, now;
	struct ack a = {};
	struct window w;
	fx before;

	if (!l)
		return;
	take_over(f, tp);
	before = f->w.cwnd;
	fill(&a, tp, f, acked);
	if (!a.cwnd_limited || !acked)
		goto report;
	w = f->w;
	if (!LAW_OWN_SLOW_START && w.cwnd < w.ssthresh)
		a.credit = slow_start(&w, a.credit);
	if (a.credit)
		law_grow(l, &params, &w, &a);
	a.credit = (fx)acked << FX_BITS;
	now = segments(w.cwnd);
	if (now < 1) {
		now = 1;
		w.cwnd = FX_ONE;
	}
	if (now > tp->snd_cwnd_clamp) {
		now = tp->snd_cwnd_clamp;
		w.cwnd = (fx)now << FX_BITS;
	}
	tp->snd_cwnd = now;
	if (w.ssthresh != f->w.ssthresh) {
		u32 after = segments(w.ssthresh);

		if (after < MIN_SSTHRESH) {
			after = MIN_SSTHRESH;
			w.ssthresh = (fx)MIN_SSTHRESH << FX_BITS;
		}
		tp->snd_ssthresh = after;
	}
	f->w = w;
report:
	if (f->report)
		report(sk, f, l, EVENT_GROW, ca_state(sk), before, was, &a);
}

SEC("struct_ops/tusker_ssthresh")
__u32 BPF_PROG(tusker_ssthresh, struct sock *sk)
{
	struct inet_connection_sock *icsk = (struct inet_connection_sock *)sk;
	struct tcp_sock *tp = tcp_of(sk);
	struct flow *f = flow_of(sk);
	struct law *l = law_of(sk);
	bool timeout = icsk->icsk_pending == TIMER_FIRED;
	fx used, after;
	u32 threshold;

	__sync_fetch_and_add(timeout ? &control.timeouts : &control.shrinks, 1);
	if (!l)
		return tp->snd_cwnd / 2 > MIN_SSTHRESH ? tp->snd_cwnd / 2 : MIN_SSTHRESH;
	take_over(f, tp);
	/* a window that was not used says nothing about the path */
	used = (fx)flight(tp, f, timeout) << FX_BITS;
	if (f->w.cwnd < used)
		used = f->w.cwnd;
	if (timeout || f->w.cwnd < f->w.ssthresh)
		after = law_shrink_outside(l, &params, used);
	else
		after = law_shrink(l, &params, used);
	if (!timeout)
		law_shrunk(l, tp->tcp_mstamp);
	threshold = segments(after);
	if (threshold < MIN_SSTHRESH)
		threshold = MIN_SSTHRESH;
	f->w.ssthresh = (fx)threshold << FX_BITS;
	if (watched(tp))
		report(sk, f, l, timeout ? EVENT_TIMEOUT : EVENT_SHRINK, ca_state(sk), f->w.cwnd,
		     tp->snd_cwnd, NULL);
	return threshold;
}

SEC("struct_ops/tusker_set_state")
void BPF_PROG(tusker_set_state, struct sock *sk, __u8 new_state)
{
	struct tcp_sock *tp = tcp_of(sk);
	struct flow *f = flow_of(sk);
	struct law *l = law_of(sk);

	__sync_fetch_and_add(&control.states, 1);
	if (!l)
		return;
	if (new_state == TCP_CA_Loss)
		law_reset(l, &params, tp->tcp_mstamp);
	if (watched(tp))
		report(sk, f, l, EVENT_STATE, new_state, f->w.cwnd, tp->snd_cwnd, NULL);
}

/* As in RFC 5682 and RFC 4015: at least the window before it shrank. */
SEC("struct_ops/tusker_undo_cwnd")
__u32 BPF_PROG(tusker_undo_cwnd, struct sock *sk)
{
	struct tcp_sock *tp = tcp_of(sk);
	struct flow *f = flow_of(sk);
	struct law *l = law_of(sk);

	__sync_fetch_and_add(&control.undone, 1);
	mended(f, tp);
	if (l && watched(tp))
		report(sk, f, l, EVENT_UNDO, ca_state(sk), f->w.cwnd, tp->snd_cwnd, NULL);
	return tp->snd_cwnd > tp->prior_cwnd ? tp->snd_cwnd : tp->prior_cwnd;
}

SEC(".struct_ops.link")
struct tcp_congestion_ops tusker_law = {
	.init = (void *)tusker_init,
	.release = (void *)tusker_release,
	.ssthresh = (void *)tusker_ssthresh,
	.cong_avoid = (void *)tusker_cong_avoid,
	.set_state = (void *)tusker_set_state,
	.pkts_acked = (void *)tusker_pkts_acked,
	.undo_cwnd = (void *)tusker_undo_cwnd,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = LAW_NAME,
};
