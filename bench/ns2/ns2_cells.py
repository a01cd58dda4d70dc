"""The workloads of ns-2 and Tusker: for each cell the arguments of cell.tcl.

CELLS are the validation cells, PAPER the rows of the gHSTCP paper.
"""

# name: arguments of cell.tcl. Random starts within the first second; the latter half
# of the time counts. Times are chosen so that five seeds of all take about half an
# hour of processor time.
CELLS = {}
AGENTS = ("reno", "newreno", "sack1")
LAWS = [f"{agent}{law}" for agent in AGENTS for law in ("", "+hs")]

# a: one flow, 200 Mbit/s, 50 ms one way + 1 ms access on each side (RTT 104 ms);
#    buffer 0.1 and 1 times 200 Mbit/s x 100 ms.
for agent in LAWS:
    for part, limit in (("0.1", 167), ("1", 1667)):
        CELLS[f"a/{agent}/{part}bdp"] = f"group={agent}:1:1000Mb rate=200Mb delay=50ms buffer={limit} time=200"


# Flows of one round trip tie: their arrivals fall together with departures, and rounding
# decides who loses. So in b to e, j, k and n each flow's round trip is 52 us longer than
# the last one's (13 us more in each direction of its two access links), and a second
# group goes on where the first one ends.
def groups(*agents, count=5, access="1000Mb"):
    far = [f"{1 + 0.013 * count * i:.3f}".rstrip("0").rstrip(".") for i in range(len(agents))]
    return " ".join(f"group={agent}:{count}:{access}:{ms}ms:13us" for agent, ms in zip(agents, far, strict=True))


# b: 10 Mbit/s, 20 ms, 50 packets.
for agent in AGENTS:
    CELLS[f"b/5x{agent}"] = f"{groups(agent, access='100Mb')} rate=10Mb delay=20ms buffer=50 time=400"
CELLS["b/5xreno+5xsack1"] = f"{groups('reno', 'sack1', access='100Mb')} rate=10Mb delay=20ms buffer=50 time=400"

# c: 100 Mbit/s, RED as in 1993 (hard limit at max_th, every interval between drops
#    uniform on 1..1/p), gentle, with wait_, and with the defaults of ns-2.35 on a
#    1500-byte diet.
MIX = groups("sack1", "sack1+hs")
RED = "queue=RED red.thresh=50 red.maxthresh=150 red.q_weight=0.002 red.linterm=10 red.gentle=false red.wait=false"
C = "rate=100Mb delay=20ms buffer=400"
CELLS["c/red1993"] = f"{MIX} {C} {RED} time=200"
CELLS["c/red1993-gentle"] = CELLS["c/red1993"].replace("gentle=false", "gentle=true")
CELLS["c/red1993-wait"] = CELLS["c/red1993"].replace("wait=false", "wait=true")
CELLS["c/ns2-default-1500"] = f"{MIX} {C} queue=RED time=200"
for agent in ("reno", "newreno"):
    CELLS[f"c/{agent}/red"] = f"{groups(agent, f'{agent}+hs')} {C} {RED} time=200"

# d: 622 Mbit/s, Adaptive RED, thresholds and weight by ns-2's own rules.
CELLS["d/ared"] = f"{MIX} rate=622Mb delay=50ms buffer=5000 queue=ARED time=100"
for agent in ("reno", "newreno"):
    CELLS[f"d/{agent}/ared"] = f"{groups(agent, f'{agent}+hs')} rate=155Mb delay=30ms buffer=1000 queue=ARED time=200"

# e: 1 Gbit/s, half a BDP (1 Gbit/s x 100 ms), one standard and one HighSpeed flow.
CELLS["e/sack1+hstcp"] = (
    f"{groups('sack1', 'sack1+hs', count=1, access='10000Mb')} rate=1000Mb delay=50ms buffer=4167 time=200"
)

# f: small, and random only in the start: a sawtooth to compare step by step.
for agent in LAWS:
    CELLS[f"f/{agent}"] = f"group={agent}:1:100Mb rate=10Mb delay=20ms buffer=25 time=100"
    CELLS[f"f/{agent}/w100"] = f"group={agent}:1:1000Mb rate=50Mb delay=20ms buffer=25 time=100"

# g: the reference workload of docs/performance.md, and Cases 1 and 2 of the gHSTCP
#    paper at 50 ms (no SACK) with two lengths of the sending host's own queue; short.
CORE = "rate=2500Mb delay=50ms buffer=10000"
CELLS["g/reference"] = f"group=sack1:5:100Mb group=sack1+hs:5:1000Mb {CORE} time=50"
for hostq in (50, 10000):
    CELLS[f"g/case1/host{hostq}"] = f"group=reno:5:100Mb group=reno:5:1000Mb {CORE} hostq={hostq} time=50"
    CELLS[f"g/case2/host{hostq}"] = f"group=reno:5:100Mb group=reno+hs:5:1000Mb {CORE} hostq={hostq} time=50"

# h: one flow and RED or Adaptive RED.
for agent in LAWS:
    CELLS[f"h/{agent}/red"] = (
        f"group={agent}:1:1000Mb rate=50Mb delay=20ms buffer=200 queue=RED red.thresh=25 red.maxthresh=75 "
        "red.q_weight=0.002 red.linterm=10 red.gentle=false red.wait=false time=200"
    )
    CELLS[f"h/{agent}/ared"] = f"group={agent}:1:1000Mb rate=100Mb delay=20ms buffer=400 queue=ARED time=200"

# i: two BDP of buffer: 45 Mbit/s x 64 ms are 240 packets.
for agent in LAWS:
    CELLS[f"i/{agent}/2bdp"] = f"group={agent}:1:1000Mb rate=45Mb delay=30ms buffer=480 time=200"

# j: forward and backward delays apart: 70 ms out, 10 ms back; and flows of 24 and 85 ms.
#    The odd .37 ms keeps their difference off a whole number of packet times (267 us):
#    at 16 ms every arrival is a tie.
for agent in LAWS:
    CELLS[f"j/{agent}/70+10ms"] = f"group={agent}:1:100Mb rate=20Mb delay=70ms back=10ms buffer=70 time=300"
for agent in ("reno", "newreno", "sack1", "sack1+hs"):
    CELLS[f"j/{agent}/near+far"] = (
        f"group={agent}:3:100Mb:1ms:13us group={agent}:3:100Mb:16.37ms:13us rate=45Mb delay=10ms buffer=150 time=200"
    )

# k: twenty flows; alone and mixed, a tail of one BDP and Adaptive RED.
for agent in AGENTS:
    CELLS[f"k/20x{agent}"] = f"{groups(agent, count=20)} rate=100Mb delay=20ms buffer=333 time=100"
CELLS["k/10xreno+10xsack1+hs"] = f"{groups('reno', 'sack1+hs', count=10)} rate=100Mb delay=20ms buffer=333 time=100"
CELLS["k/20xsack1/ared"] = f"{groups('sack1', count=20)} rate=100Mb delay=20ms buffer=666 queue=ARED time=100"

# l: one fast flow: 2.5 Gbit/s x 24 ms are 5000 packets, half of them buffer.
for agent in ("reno", "sack1", "sack1+hs"):
    CELLS[f"l/{agent}/2500Mb"] = f"group={agent}:1:10000Mb rate=2500Mb delay=10ms buffer=2500 time=30"

# m: the laws of TCP-Linux, one flow each: 0.1 and 1 BDP (416 packets) at 50 ms, half a
#    BDP (833) at 200 ms, and RED at 50 ms (BDP 208).
LINUX_CELLS = {
    "0.1bdp": "rate=100Mb delay=23ms buffer=42 time=100",
    "0.5bdp-200ms": "rate=50Mb delay=98ms buffer=417 time=200",
    "1bdp": "rate=100Mb delay=23ms buffer=417 time=100",
    "red": "rate=50Mb delay=23ms buffer=200 queue=RED red.thresh=25 red.maxthresh=75 red.q_weight=0.002 "
    "red.linterm=10 red.gentle=false red.wait=false time=200",
}

# Our names for the laws of TCP-Linux, and their settings there. The reasons:
# docs/ns2-notes.md.
LINUX = {
    "reno": '"reno"',
    "highspeed": '{ name = "hstcp", ns2_response = 0 }',
    # one segment per 51 ACKs
    "scalable": '{ name = "scalable", a = 0.0196 }',
    "htcp": '{ name = "htcp", rtt_scaling = 1 }',
    # TCP-Linux counts 31/16 of an ACK for each: 16 and 4 become 31 and 64/31
    "bic": '{ name = "bic", beta = 0.2, s_max = 31, divisor = 2.065 }',
    "cubic": '"cubic2005"',
    "westwood": '{ name = "westwood", filter = 0.875 }',
    "vegas": '{ name = "vegas", alpha = 2, beta = 4, gamma = 1, b = 0.5 }',
    "illinois": '"illinois"',
}
for law in LINUX:
    for part, path in LINUX_CELLS.items():
        CELLS[f"m/linux-{law}/{part}"] = f"group=linux-{law}:1:1000Mb {path}"

# n: gHSTCP and gARED, which laws/ adds to ns-2. One gHSTCP flow, 200 Mbit/s x 104 ms with
#    half a BDP of buffer; beside standard flows, whose round trips differ by 52 us so that
#    there are no ties; and gARED with both laws, its thresholds a tenth and three tenths of
#    the buffer.
for agent in ("reno", "sack1"):
    CELLS[f"n/{agent}+ghs"] = f"group={agent}+ghs:1:1000Mb rate=200Mb delay=50ms buffer=867 time=200"
    CELLS[f"n/3x{agent}+3x{agent}+ghs"] = (
        f"group={agent}:3:1000Mb:1ms:13us group={agent}+ghs:3:1000Mb:1.1ms:13us "
        "rate=200Mb delay=20ms buffer=700 time=200"
    )
    GARED = "queue=gARED red.thresh=150 red.maxthresh=450 red.q_weight=0 red.linterm=1000"
    for law in ("hs", "ghs"):
        CELLS[f"n/3x{agent}+3x{agent}+{law}/gared"] = (
            f"group={agent}:3:1000Mb:1ms:13us group={agent}+{law}:3:1000Mb:1.1ms:13us "
            f"rate=155Mb delay=30ms buffer=1500 {GARED} time=200"
        )

# Rows of the gHSTCP paper. What it does not say is here, in one place: access delays,
# starts, simulated time, the background (ns-2's exponential source with its own packets
# of 210 bytes, at 120 Mbit/s while on), the sending host's own queue, and what ns-2's RED
# is given besides min_th. As in papers/ghstcp, but for the time: 300 s, for ns-2 takes
# minutes for each.
PAPER_RUN = f"{CORE} access=1ms start=1 time=300 udp=120Mb:0.5:0.5:210 hostq=10000"
PAPER_RED = (
    "queue=RED red.thresh=2500 red.maxthresh=7500 red.q_weight=0.002 red.linterm=10 red.gentle=true red.wait=true"
    " red.mean_pktsize=500"
)
PAPER_TUNED = PAPER_RED.replace("linterm=10", "linterm=1000")
# w_q = 1 - exp(-1/C) (section 4.1) is q_weight_ 0
PAPER_ARED = "queue=ARED red.thresh=2500 red.maxthresh=7500 red.q_weight=0 red.mean_pktsize=500"
PAPER_GARED = PAPER_ARED.replace("ARED", "gARED") + " red.linterm=1000"
PAPER_CASES = {
    "1": ("reno", "reno", ""),
    "2": ("reno", "reno+hs", ""),
    "3": ("reno", "sack1+hs", ""),
    "4": ("sack1", "sack1+hs", ""),
    "5": ("reno", "reno+ghs", ""),
    "7": ("sack1", "sack1+ghs", ""),
    "8": ("reno", "reno+hs", PAPER_RED),
    "11": ("reno", "reno+ghs", PAPER_RED),
    "16": ("sack1", "sack1+hs", PAPER_TUNED),
    "17": ("reno", "reno+ghs", PAPER_TUNED),
    "20": ("reno", "reno+hs", PAPER_ARED),
    "23": ("reno", "reno+ghs", PAPER_ARED),
    "24": ("reno", "sack1+ghs", PAPER_ARED),
    "26": ("reno", "reno+hs", PAPER_GARED),
    "27": ("reno", "sack1+hs", PAPER_GARED),
    "28": ("sack1", "sack1+hs", PAPER_GARED),
    "30": ("reno", "sack1+ghs", PAPER_GARED),
}


def paper_cell(case, delay, more=""):
    s1, s2, queue = PAPER_CASES[case]
    run = PAPER_RUN.replace("delay=50ms", f"delay={delay}ms")
    return f"group={s1}:5:100Mb group={s2}:5:1000Mb {run} {queue} {more}".strip()


# Some rows at 50 ms, and all rows that papers/ghstcp misses or once missed: first those
# without gHSTCP and gARED, then those with them, what tells most first. ARED has the lower
# end of max_p that the paper names, except in Case 20 at 50 ms: there it is the one that
# ns-2.35 takes by itself.
PAPER = {f"paper/case{case}": paper_cell(case, 50) for case in ("1", "2", "3", "4", "8", "20")}
MISSED = (
    "8@100 8@25 2@100 2@25 1@100 16@100 20@100 "
    "7@50 7@100 28@100 27@100 5@50 11@50 23@100 26@50 30@100 24@100 5@100 17@100 28@50 27@50 5@25 11@100 "
    "26@100 1@25"
)
for row in MISSED.split():
    case, delay = row.split("@")
    more = "red.bottom=0.01" if "queue=ARED" in PAPER_CASES[case][2] else ""
    PAPER[f"paper/case{row}"] = paper_cell(case, delay, more)
