#!/usr/bin/env python3
"""What a connection does on the wire, and which round trips its law sees, from two captures.

    bench/sockets/samples.py SENDER.pcapng RECEIVER.pcapng FROM TO

`tusker run` and `tusker testbed` write such captures (`--pcap a.0.src=FILE --pcap a.0.dst=FILE`).
Counts what happens from FROM to TO, in seconds. Each ACK that advances gives a round trip: that
of the newest segment that it acknowledges, if this was sent once. Prints lines of CSV,
`what,value`:

| what | value |
|---|---|
| rtt_p10_ms, rtt_p50_ms, rtt_p90_ms | the round trips |
| step_p50_us, step_p90_us | how far two of them in a row are apart |
| burst_mean | segments that leave within 25 us of one another |
| burst_1, burst_2 | share of bursts of one and of two segments |
| ack_1 | of the ACKs that advance, the share of those that acknowledge one segment |
| sacks_per_repair | ACKs with SACK blocks for each retransmission |
"""

import struct
import sys
from typing import NamedTuple

APART_S = 25e-6


class Seen(NamedTuple):
    at: float
    port: int
    length: int
    seq: int
    ack: int
    sacks: bool


def blocks(data: bytes):
    at = 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        yield kind, data[at + 8 : at + length - 4]
        at += length


def tick(options: bytes) -> float:
    """The resolution of an interface's times (if_tsresol), in seconds."""
    at = 0
    while at + 4 <= len(options):
        code, length = struct.unpack_from("<HH", options, at)
        if code == 9:
            value = options[at + 4]
            return 2.0 ** -(value & 0x7F) if value & 0x80 else 10.0**-value
        at += 4 + (length + 3) // 4 * 4
    return 1e-6


def segment(at: float, frame: bytes, link: int) -> Seen | None:
    ip = frame[14:] if link == 1 else frame
    if len(ip) < 40 or ip[0] >> 4 != 4 or ip[9] != 6:
        return None
    head = (ip[0] & 15) * 4
    port, _, seq, ack = struct.unpack_from(">HHII", ip, head)
    options_end = (ip[head + 12] >> 4) * 4
    length = struct.unpack_from(">H", ip, 2)[0] - head - options_end
    options, sacks, i = ip[head + 20 : head + options_end], False, 0
    while i < len(options) and options[i] != 0:
        sacks |= options[i] == 5
        i += 1 if options[i] == 1 else max(2, options[i + 1])
    return Seen(at, port, length, seq, ack, sacks)


def read(path: str) -> list[Seen]:
    seen: list[Seen] = []
    link, resolution = 0, 1e-6
    with open(path, "rb") as file:
        data = file.read()
    for kind, body in blocks(data):
        if kind == 1:
            link, resolution = struct.unpack_from("<H", body)[0], tick(body[8:])
        elif kind == 6:
            _, high, low, length, _ = struct.unpack_from("<5I", body)
            found = segment(((high << 32) + low) * resolution, body[20 : 20 + length], link)
            if found:
                seen.append(found)
    return seen


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def distance(a: int, b: int) -> int:
    """a - b for numbers that start anew after 2^32."""
    return (a - b + 2**31) % 2**32 - 2**31


def samples(sender: list[Seen], begin: float, end: float) -> tuple[list[float], list[int], int]:
    """Round trips in ms, sizes of bursts, and the number of retransmissions."""
    start = sender[0].at
    left: dict[int, float] = {}
    again: set[int] = set()
    newest = acked = None
    rtts: list[float] = []
    bursts: list[int] = []
    last = -1.0
    repairs = 0
    port = next(s.port for s in sender if s.length > 0)
    for s in sender:
        counts = begin <= s.at - start < end
        if s.length > 0:
            after = (s.seq + s.length) % 2**32
            if newest is not None and distance(after, newest) <= 0:
                again.add(after)
                repairs += counts
            else:
                newest = after
            left[after] = s.at
            if counts:
                if bursts and s.at - last <= APART_S:
                    bursts[-1] += 1
                else:
                    bursts.append(1)
            last = s.at
        elif s.port != port and (acked is None or distance(s.ack, acked) > 0):
            acked = s.ack
            if counts and s.ack in left and s.ack not in again and not s.sacks:
                rtts.append((s.at - left[s.ack]) * 1e3)
    return rtts, bursts, repairs


def main() -> None:
    sender, receiver = read(sys.argv[1]), read(sys.argv[2])
    begin, end = float(sys.argv[3]), float(sys.argv[4])
    rtts, bursts, repairs = samples(sender, begin, end)
    steps = [abs(b - a) * 1e3 for a, b in zip(rtts, rtts[1:], strict=False)]
    full = max(s.length for s in receiver)
    start, port = receiver[0].at, next(s.port for s in receiver if s.length > 0)
    ones = advances = sacks = 0
    acked = None
    for s in receiver:
        if s.port == port:
            continue
        counts = begin <= s.at - start < end
        sacks += s.sacks and counts
        if acked is None or distance(s.ack, acked) > 0:
            if acked is not None and counts:
                advances += 1
                ones += distance(s.ack, acked) <= full
            acked = s.ack
    print("what,value")
    for share in (10, 50, 90):
        print(f"rtt_p{share}_ms,{quantile(rtts, share / 100):.3f}")
    for share in (50, 90):
        print(f"step_p{share}_us,{quantile(steps, share / 100):.1f}")
    print(f"burst_mean,{sum(bursts) / max(1, len(bursts)):.3f}")
    for size in (1, 2):
        print(f"burst_{size},{bursts.count(size) / max(1, len(bursts)):.4f}")
    print(f"ack_1,{ones / max(1, advances):.4f}")
    print(f"sacks_per_repair,{sacks / max(1, repairs):.2f}")


if __name__ == "__main__":
    main()
