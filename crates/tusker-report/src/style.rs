//! How a curve looks: its hue, its dashes and its mark.
//!
//! A look has a number, which figures and tables carry: hue + [`HUES`] x (dash + 6 x turn). The
//! mark follows from all three, so that two looks of one hue, and two of one dash, have
//! different marks. The name of a congestion control decides its look, which is the same in
//! every figure of every page and file, whatever else is shown; dashes and marks also tell
//! curves apart without colours.

use std::collections::BTreeSet;

use tusker_core::congestion;

/// Colours of curves on white, each at least 3:1 against it (WCAG 2.2, 1.4.11): six
/// hues; grey and ink, of a queue and its average; two more hues. Blue, vermilion, grey
/// and ink are given (Okabe and Ito); the others were searched for so that every two of
/// the ten stay apart for anyone who sees no red, no green or no blue (the tests say how far).
pub const LIGHT: [&str; HUES] = [
    "#0072b2", "#d55e00", "#2f5f40", "#7a2a8c", "#5c4a06", "#1a9fca", "#7b8694", "#1d232b",
    "#c82874", "#3a2fd0",
];

/// The same on black.
pub const DARK: [&str; HUES] = [
    "#5ab4f0", "#ff9248", "#4fdfa3", "#b866bc", "#f5dc80", "#b5dcf7", "#8a95a5", "#f2f4f7",
    "#dd4257", "#7078ff",
];

/// How many colours there are.
pub const HUES: usize = 10;

/// Lengths of strokes and gaps in pixels, by dash.
pub const DASHES: [&[f64]; 6] = [
    &[],
    &[7.0, 4.0],
    &[1.5, 3.0],
    &[9.0, 3.0, 1.5, 3.0],
    &[14.0, 5.0],
    &[9.0, 3.0, 1.5, 3.0, 1.5, 3.0],
];

/// A queue's look, and that of its average: no flow has them.
pub const QUEUE: usize = 6;
/// The look of a queue's average.
pub const AVERAGE: usize = 7;

/// The look of a queue's probability `p_b`: another one than the queue's, because one list of
/// keys has both.
pub const P_B: usize = QUEUE + HUES;
/// The look of `max_p`.
pub const MAX_P: usize = AVERAGE + 2 * HUES;

/// Hues of flows, in the order in which they are taken.
const FLOWS: [usize; 8] = [0, 1, 2, 3, 4, 5, 8, 9];

/// Marks, around (0, 0) with about the area of a disc of radius 1; `None` is the disc.
const MARKS: [Option<&[(f64, f64)]>; 8] = [
    None,
    Some(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
    Some(&[(0.0, -1.3), (1.2, 0.85), (-1.2, 0.85)]),
    Some(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
    Some(&[(0.0, 1.3), (1.2, -0.85), (-1.2, -0.85)]),
    Some(&CROSS),
    Some(&PLUS),
    Some(&[
        (0.0, -1.5),
        (0.42, -0.4),
        (1.4, -0.4),
        (0.6, 0.3),
        (0.9, 1.3),
        (0.0, 0.7),
        (-0.9, 1.3),
        (-0.6, 0.3),
        (-1.4, -0.4),
        (-0.42, -0.4),
    ]),
];

const PLUS: [(f64, f64); 12] = [
    (-0.4, -1.3),
    (0.4, -1.3),
    (0.4, -0.4),
    (1.3, -0.4),
    (1.3, 0.4),
    (0.4, 0.4),
    (0.4, 1.3),
    (-0.4, 1.3),
    (-0.4, 0.4),
    (-1.3, 0.4),
    (-1.3, -0.4),
    (-0.4, -0.4),
];

/// The plus turned by an eighth.
const CROSS: [(f64, f64); 12] = [
    (0.64, -1.2),
    (1.2, -0.64),
    (0.57, 0.0),
    (1.2, 0.64),
    (0.64, 1.2),
    (0.0, 0.57),
    (-0.64, 1.2),
    (-1.2, 0.64),
    (-0.57, 0.0),
    (-1.2, -0.64),
    (-0.64, -1.2),
    (0.0, -0.57),
];

/// Turns that there are: with each the marks of a hue and dash are others.
const TURNS: usize = MARKS.len();

/// How something looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Number of its colour in [`LIGHT`] and [`DARK`].
    pub hue: usize,
    /// Number of its dashes in [`DASHES`].
    pub dash: usize,
    turn: usize,
}

impl Look {
    /// The look of this number.
    pub fn of(number: usize) -> Self {
        let rest = number / HUES;
        let (dash, turn) = (rest % DASHES.len(), rest / DASHES.len() % TURNS);
        Self { hue: number % HUES, dash, turn }
    }

    /// Its number.
    pub fn number(self) -> usize {
        self.hue + HUES * (self.dash + DASHES.len() * self.turn)
    }

    /// Number of its mark: 0 is the disc.
    pub fn mark(self) -> usize {
        let nth = FLOWS.iter().position(|&hue| hue == self.hue).unwrap_or(self.hue);
        (nth + 3 * self.dash + self.turn) % MARKS.len()
    }

    /// The corners of its mark around a place; `None` is a disc.
    pub fn corners(self, (x, y): (f64, f64), radius: f64) -> Option<Vec<(f64, f64)>> {
        let corners = MARKS[self.mark()]?;
        Some(corners.iter().map(|(dx, dy)| (x + radius * dx, y + radius * dy)).collect())
    }
}

/// The same looks with dashes of their own, as far as there are some: for a drawing that is
/// printed without colours. Hues and marks stay.
pub fn by_dash(numbers: &[usize]) -> Vec<usize> {
    let mut used: Vec<usize> = Vec::new();
    let mut all = Vec::new();
    for &number in numbers {
        let look = Look::of(number);
        let free = (0..DASHES.len()).find(|dash| !used.contains(dash));
        let dash = if used.contains(&look.dash) { free.unwrap_or(look.dash) } else { look.dash };
        used.push(dash);
        let same = |turn: &usize| Look { dash, turn: *turn, ..look }.mark() == look.mark();
        let turn = (0..TURNS).find(same).unwrap_or(look.turn);
        all.push(Look { dash, turn, ..look }.number());
    }
    all
}

/// The number of a congestion control's look; of one that is not ours, a look that none
/// of ours has. Parameters behind the name change nothing.
pub fn of_law(name: &str) -> usize {
    let plain = |c: char| c.is_alphanumeric() || "+-_.".contains(c);
    let name = name.trim();
    let name = &name[..name.find(|c| !plain(c)).unwrap_or(name.len())];
    if let Some(sheet) = congestion::ALL.iter().find(|sheet| sheet.name == name) {
        let tusker_core::Look { hue, dash } = sheet.look;
        return Look { hue, dash, turn: 0 }.number();
    }
    // FNV-1a: the same name has the same look everywhere
    let fold = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let hash = name.bytes().fold(0x811c_9dc5, fold) as usize;
    let hue = FLOWS[hash % FLOWS.len()];
    let rest = hash / FLOWS.len();
    let (dash, turn) = (rest % DASHES.len(), 1 + rest / DASHES.len() % (TURNS - 1));
    Look { hue, dash, turn }.number()
}

/// The number of a congestion control's look by its name as papers write it (`gHSTCP`,
/// `BBRv3`, `STCP`, `HSTCP+SACK`), if it is one of ours.
pub fn known(name: &str) -> Option<usize> {
    let name = name.to_lowercase().replace("bbrv", "bbr");
    // what its hosts do besides changes nothing of the law
    let plain = name.split_once('+').map_or(name.as_str(), |(law, _)| law);
    let other = match plain {
        "stcp" => "scalable",
        "newreno" => "reno",
        _ => plain,
    };
    let ours = |name: &&str| congestion::ALL.iter().any(|sheet| sheet.name == *name);
    [name.as_str(), other].into_iter().find(ours).map(of_law)
}

/// The number of the look of what has no law, by its place among others.
pub fn nth(place: usize) -> usize {
    let rest = place / FLOWS.len();
    let (dash, turn) = (rest % DASHES.len(), rest / DASHES.len() % TURNS);
    Look { hue: FLOWS[place % FLOWS.len()], dash, turn }.number()
}

/// The same looks, each once: whoever comes first keeps its own, the next one of the same
/// look has its hue with other dashes and another mark; one that nobody else has, as long as
/// there are any, because points have no dashes.
pub fn apart(looks: &[usize]) -> Vec<usize> {
    let mut taken: BTreeSet<usize> = looks.iter().copied().collect();
    let mut marks: BTreeSet<usize> = looks.iter().map(|&look| Look::of(look).mark()).collect();
    let mut kept = BTreeSet::new();
    looks
        .iter()
        .map(|&look| {
            if kept.insert(look) {
                return look;
            }
            let all = DASHES.len() * TURNS;
            let own = (look / HUES) % all;
            let others = (1..all).map(|by| look % HUES + HUES * ((own + by) % all));
            let mut free = others.filter(|other| !taken.contains(other));
            let alone = free.clone().find(|&other| !marks.contains(&Look::of(other).mark()));
            let free = alone.or_else(|| free.next()).unwrap_or(look);
            taken.insert(free);
            marks.insert(Look::of(free).mark());
            kept.insert(free);
            free
        })
        .collect()
}

/// The looks of flows that are drawn over time in one figure. Of several with one look the
/// first keeps its hue, and the others take hues that nobody has. A hue that one curve has
/// alone has no dashes, which would break up what oscillates; marks tell the curves apart.
pub fn over_time(looks: &[usize]) -> Vec<usize> {
    let hue = |look: usize| look % HUES;
    let mut hues: BTreeSet<usize> = looks.iter().copied().map(hue).collect();
    let mut seen = BTreeSet::new();
    let hued = looks.iter().map(|&look| {
        if seen.insert(look) {
            return look;
        }
        let Some(&free) = FLOWS.iter().find(|free| !hues.contains(free)) else { return look };
        hues.insert(free);
        look - hue(look) + free
    });
    let all = apart(&hued.collect::<Vec<usize>>());
    let alone = |look: usize| all.iter().filter(|&&other| hue(other) == hue(look)).count() == 1;
    let mut marks = BTreeSet::new();
    all.iter()
        .map(|&look| {
            let own = Look::of(look);
            let dash = if alone(look) { 0 } else { own.dash };
            let turned = |turn: usize| Look { dash, turn, ..own };
            let same = (0..TURNS).map(turned).find(|new| new.mark() == own.mark()).unwrap_or(own);
            let free = (0..TURNS).map(turned).find(|new| !marks.contains(&new.mark()));
            let new = if marks.contains(&same.mark()) { free.unwrap_or(same) } else { same };
            marks.insert(new.mark());
            new.number()
        })
        .collect()
}

#[cfg(test)]
mod tests;
