//! Words in the output, and what people look for that is no name of a scenario.

use super::Entry;
use crate::conditions::is_word;
use crate::page::Block;

/// A word, and what it means.
const WORDS: [(&str, &str); 12] = [
    (
        "claim",
        "A sentence of a paper, written as comparisons of measures: s2(3@25) > 1.25 * s2(2@25) \
         says that s2 in Case 3 at 25 is more than 1.25 times s2 in Case 2 at 25. It holds, holds \
         partly, does not hold, or is undecided if chance alone may explain the differences.",
    ),
    (
        "conclusion",
        "A sentence of a paper that holds if several of the paper's claims do. Its verdict is that \
         of the base reading. Beside it is how many comparisons hold in all runs, and how many of \
         the readings that could change it were run.",
    ),
    (
        "robust",
        "How many comparisons of a claim or conclusion hold by their values, counting each once for \
         every seed and reading that was run. `107 of 108` says that one comparison fails in one run.",
    ),
    (
        "depends",
        "A claim or conclusion depends on a reading if this reading reverses comparisons beyond \
         chance: they hold in the base and fail under it, or the other way round.",
    ),
    (
        "tolerance",
        "A row is ok if the difference between our value of a measure and the paper's is at most \
         the tolerance. It is an absolute difference, such as 0.05 of Jain's index or 3 points of \
         utilisation. The file suite.toml of each paper sets it, and the line above the tables \
         shows it.",
    ),
    (
        "reading",
        "One of several ways to understand a paper's text where it is silent or unclear. Each \
         reading sets some keys of the scenario differently. The base is the reading that we think most likely. \
         `tusker reproduce PAPER --readings` lists the others, --reading NAME runs one, and \
         --compare-readings runs all.",
    ),
    (
        "seed",
        "The number from which everything random in a run follows: when flows start, random \
         losses, background traffic, and the time that hosts take to react. The same scenario \
         with the same seed gives the same results, byte for byte. --seed sets it; \
         --replicates N runs N seeds, one after the other.",
    ),
    (
        "replicate",
        "One of several runs of the same experiment that differ only in the seed (--replicates). \
         From two on, means have 95 % confidence intervals.",
    ),
    (
        "interval",
        "± is half of a 95 % confidence interval of a mean: over replicates by Student's t or, of \
         a single run, over 20 batches of its measuring window. It covers only what differs \
         between seeds (or batches), not what another path, another length of the run or another \
         way to start would change. docs/how-sure.md says more.",
    ),
    (
        "bdp",
        "Bandwidth-delay product: a link's rate times the longest RTT without queues of the TCP \
         flows that cross it, in packets of the largest size among theirs. At 100 Mbit/s and an \
         RTT of 60 ms, 1 BDP is 500 packets of 1500 B. A buffer of 0.5bdp (dumbbell.queue, \
         --buffer) has half of it. `tusker check FILE --expand` prints queues in packets.",
    ),
    (
        "jitter",
        "A random delay of each packet on the wire, in addition to the propagation delay: \
         --set dumbbell.jitter=100us draws it uniformly from 0 to 100 us, and packets keep their \
         order. Use it if results of a lone flow hardly depend on the seed. At 100 Mbit/s and 60 ms, \
         100us costs CUBIC with a small buffer less than 0.1 percentage points of utilisation, and \
         1ms up to 1 point (docs/guide.md, Pitfalls). docs/scenario.md has the other forms.",
    ),
    (
        "phase-effects",
        "If rates, delays and packet sizes are round numbers, packets of several flows arrive in a \
         fixed rhythm. Then this rhythm, and not congestion control, decides which flow loses \
         packets. The sign of it: a packet that is dropped because the queue is full arrives, to \
         the nanosecond, as long before the next departure as another packet that was dropped \
         shortly before. Real hosts take some microseconds to react, and never the same time \
         twice. host_time = \"10us\" gives simulated hosts such a reaction time. To see what phase \
         effects change, compare with --set host_time=10us; if host_time is set already, compare \
         with a delay that is a little longer.",
    ),
];

/// The words.
pub fn all() -> impl Iterator<Item = &'static str> {
    WORDS.iter().map(|(word, _)| *word)
}

/// The word of this name, which may stand in the plural.
pub fn word(name: &str) -> Option<Entry> {
    let singular = name.strip_suffix('s');
    let (word, about) = WORDS.iter().find(|(word, _)| *word == name || Some(*word) == singular)?;
    Some(Entry::new("word", *word, "a word in the output").value("about", *about).text("", about))
}

/// The option with its dashes or without, or a word of its conditions; or the RFC, however it is
/// written.
pub fn topic(name: &str) -> Option<Entry> {
    let (entry, about) = if name.trim_start_matches('-') == "fail-on" || is_word(name) {
        let what = "an option of run, compare, sweep and testbed, for scripts";
        (Entry::new("option", "fail-on", what), FAIL_ON)
    } else if ["rfc9743", "rfc-9743", "rfc 9743", "9743"].contains(&name) {
        let what = "what a specification of a new congestion control has to show";
        (Entry::new("topic", "rfc9743", what), RFC_9743)
    } else {
        return None;
    };
    let lines = about.lines().map(str::to_owned).collect();
    Some(entry.value("about", about).block(Block::Commands(lines)))
}

const FAIL_ON: &str = "\
--fail-on 'MEASURE < LIMIT' ends the command with exit code 3 if the mean of the measure
meets the condition in any experiment or at any point. It may be repeated.

MEASURE  a name that `tusker list measure` shows, such as jain; or its full name, such
         as groups.cubic.rtt_p95_s. A name alone means the whole experiment or, if
         that has no such measure, every group, link or source that has it.
<        or <=, > or >=
LIMIT    a number, with a unit if you like: 0.9, 90%, 150ms; another measure of the
         same group, with a factor if you like: 1.1 * harm_goodput_own; or a sum of
         these, with spaces around + and -: harm_goodput_own + 0.1

With --replicates, both sides have 95 % intervals, which combine in quadrature: sides of
3 ± 0.3 and 2 ± 0.4 differ by 1 ± 0.5. A word at the end of the condition says what
happens if they differ by less than this:

                                   by less                by more
'harm_goodput > 0.5'               the means decide       the means decide
'harm_goodput > 0.5 surely'        undecided              the means decide
'harm_goodput > 0.5 possibly'      it counts as met       the means decide

A number counts as exact. Without an interval, the sides count as differing by less.
With surely, chance alone seldom makes a condition count as met; with possibly, chance alone
seldom makes it count as not met.

result       exit code   JUnit
met          3           failure, with the values
not met      0           passed
undecided    0           skipped: \"undecided\", with the values; a note on stderr
no value     0           skipped; a note on stderr

--junit FILE writes these results as JUnit XML, with a suite for each experiment and a
case for each condition.
";

const RFC_9743: &str = "\
`tusker evaluate NAME` runs the experiments that the RFC asks for, with this congestion control
and with Linux's CUBIC, and says where it is better, worse or the same. `tusker evaluate --list
--suite rfc9743` shows the experiments and the sections of the RFC. Some of them as single
commands:

fairness within LAW     tusker compare --rate 100mbit --rtt 40ms --cc LAW --flows 5
beside CUBIC and Reno   tusker compare --rate 100mbit --rtt 40ms --cc LAW --against cubic,reno
bufferbloat             tusker compare --rate 100mbit --rtt 40ms --cc LAW --buffer 4bdp
shallow buffers         tusker compare --rate 100mbit --rtt 40ms --cc LAW --buffer 0.1bdp
heavy loss              tusker compare --rate 100mbit --rtt 40ms --cc LAW --loss 0.3
AQM                     tusker compare --rate 100mbit --rtt 40ms --cc LAW --queue codel
in CI                   --fail-on 'harm_goodput > 90%' (tusker explain fail-on)
";
