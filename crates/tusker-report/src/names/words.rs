//! Words of notes, and the option `--fail-on`.

use super::Entry;
use crate::conditions::is_word;
use crate::page::Block;

/// A word, and what it means.
const WORDS: [(&str, &str); 2] = [
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

/// The option with its dashes or without, or a word of its conditions.
pub fn topic(name: &str) -> Option<Entry> {
    if name.trim_start_matches('-') != "fail-on" && !is_word(name) {
        return None;
    }
    let what = "an option of run, compare, sweep and testbed, for scripts";
    let lines = FAIL_ON.lines().map(str::to_owned).collect();
    let entry = Entry::new("option", "fail-on", what).value("about", FAIL_ON);
    Some(entry.block(Block::Commands(lines)))
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

result       exit code
met          3           with the values on stderr
not met      0
undecided    0           with a note on stderr
no value     0           with a note on stderr
";
