/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own CUBIC and Reno, called from BPF as the laws are, so that the same
 * clock measures all of them: bench/kernel_cost.py. Their code is the kernel's; this file
 * only calls it. `floor_acked` does nothing, which shows the cost of the clock itself.
 */
#include "../bpf/core.h"

#define SEC(name) __attribute__((section(name), used))
#define KERNEL extern __attribute__((section(".ksyms")))

char _license[] SEC("license") = "GPL";

KERNEL void cubictcp_init(struct sock *sk);
KERNEL u32 cubictcp_recalc_ssthresh(struct sock *sk);
KERNEL void cubictcp_cong_avoid(struct sock *sk, u32 ack, u32 acked);
KERNEL void cubictcp_state(struct sock *sk, u8 new_state);
KERNEL void cubictcp_acked(struct sock *sk, const struct ack_sample *sample);
KERNEL u32 tcp_reno_ssthresh(struct sock *sk);
KERNEL void tcp_reno_cong_avoid(struct sock *sk, u32 ack, u32 acked);
KERNEL u32 tcp_reno_undo_cwnd(struct sock *sk);

/* a hook's arguments, one after the other */
#define SOCK(args) ((struct sock *)(args)[0])

SEC("struct_ops/cubic_init")
int cubic_init(u64 *args)
{
	cubictcp_init(SOCK(args));
	return 0;
}

SEC("struct_ops/cubic_ssthresh")
int cubic_ssthresh(u64 *args)
{
	return cubictcp_recalc_ssthresh(SOCK(args));
}

SEC("struct_ops/cubic_cong_avoid")
int cubic_cong_avoid(u64 *args)
{
	cubictcp_cong_avoid(SOCK(args), args[1], args[2]);
	return 0;
}

SEC("struct_ops/cubic_state")
int cubic_state(u64 *args)
{
	cubictcp_state(SOCK(args), args[1]);
	return 0;
}

SEC("struct_ops/cubic_acked")
int cubic_acked(u64 *args)
{
	cubictcp_acked(SOCK(args), (const struct ack_sample *)args[1]);
	return 0;
}

SEC("struct_ops/reno_ssthresh")
int reno_ssthresh(u64 *args)
{
	return tcp_reno_ssthresh(SOCK(args));
}

SEC("struct_ops/reno_cong_avoid")
int reno_cong_avoid(u64 *args)
{
	tcp_reno_cong_avoid(SOCK(args), args[1], args[2]);
	return 0;
}

SEC("struct_ops/floor_acked")
int floor_acked(u64 *args)
{
	return 0;
}

SEC("struct_ops/reno_undo_cwnd")
int reno_undo_cwnd(u64 *args)
{
	return tcp_reno_undo_cwnd(SOCK(args));
}

SEC(".struct_ops")
struct tcp_congestion_ops bench_cubic = {
	.init = (void *)cubic_init,
	.ssthresh = (void *)cubic_ssthresh,
	.cong_avoid = (void *)cubic_cong_avoid,
	.set_state = (void *)cubic_state,
	.undo_cwnd = (void *)reno_undo_cwnd,
	.pkts_acked = (void *)cubic_acked,
	.name = "bench_cubic",
};

SEC(".struct_ops")
struct tcp_congestion_ops bench_reno = {
	.ssthresh = (void *)reno_ssthresh,
	.cong_avoid = (void *)reno_cong_avoid,
	.undo_cwnd = (void *)reno_undo_cwnd,
	.pkts_acked = (void *)floor_acked,
	.name = "bench_reno",
};
