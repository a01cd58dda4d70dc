//! The legend: which curve is which, where names at the ends of the curves do not show it.

use super::Frame;
use super::canvas::{Anchor, Canvas, Ink, shortened, width};
use super::format::{Keys, Refused};
use crate::figure::Group;

/// From a key to the next one below it.
const LINE: f64 = 18.0;

/// From the begin of a key's stroke to its name.
const STROKE: f64 = 33.0;

/// What a name in a list may take.
const MOST: f64 = 160.0;

/// Between what is drawn and the frame or the list around it.
const AIR: f64 = 8.0;

/// Keys above, if they are `wanted` or asked for, or right of the figure; gives back
/// where what is below them begins.
pub(super) fn keys(canvas: &mut Canvas, groups: &[Group], wanted: bool) -> f64 {
    match canvas.format.keys {
        Keys::Fitting if wanted => row(canvas, groups, 14.0),
        Keys::Above => row(canvas, groups, 14.0),
        Keys::Right if !groups.is_empty() => {
            canvas.wide -= list(groups) + AIR;
            canvas.aside = groups.to_vec();
            14.0
        }
        _ => 14.0,
    }
}

/// The same for a figure beside which so much is free: where keys are wanted, they stand
/// there if they have room.
pub(super) fn beside(canvas: &mut Canvas, groups: &[Group], room: f64) -> f64 {
    let fits = groups.len() > 1 && list(groups) + AIR <= room;
    if canvas.format.keys == Keys::Fitting && fits {
        canvas.format.keys = Keys::Right;
    }
    keys(canvas, groups, groups.len() > 1)
}

/// A row of names beside their colours, in as many lines as they need; gives back where
/// it ends.
fn row(canvas: &mut Canvas, groups: &[Group], mut y: f64) -> f64 {
    let mut x = 8.0;
    for group in groups {
        let name = shortened(&group.name, canvas.wide - 48.0);
        let width = 40.0 + width(&name);
        if x + width > canvas.wide && x > 8.0 {
            (x, y) = (8.0, y + LINE);
        }
        key(canvas, (x, y), group, &name);
        x += width + 8.0;
    }
    if groups.is_empty() { y } else { y + 20.0 }
}

fn key(canvas: &mut Canvas, (x, y): (f64, f64), group: &Group, name: &str) {
    let ink = Ink::Curve(group.colour);
    if canvas.squares {
        canvas.rect((x + 14.0, y - 6.0), (x + 27.0, y + 6.0), ink);
    } else {
        canvas.path(&[(x, y), (x + 28.0, y)], ink, 1.8);
        canvas.mark((x + 14.0, y), 3.0, ink);
    }
    canvas.text((x + STROKE, y + 4.0), Anchor::Start, Ink::Text, name);
}

/// Width of a list of keys.
fn list(groups: &[Group]) -> f64 {
    STROKE + groups.iter().map(|group| width(&group.name).min(MOST)).fold(0.0, f64::max)
}

/// The list right of the figure, which begins as high as the first panel.
pub(super) fn aside(canvas: &mut Canvas, top: f64) {
    let groups = std::mem::take(&mut canvas.aside);
    let left = canvas.wide + AIR / 2.0;
    canvas.wide = canvas.format.wide;
    for (nth, group) in groups.iter().enumerate() {
        let y = top + 4.0 + LINE * nth as f64;
        key(canvas, (left, y), group, &shortened(&group.name, MOST));
    }
    canvas.height = canvas.height.max(top + LINE * groups.len() as f64 + AIR);
}

/// The list within a frame, if it was asked for: in the corner, or the middle of an edge,
/// where the least is drawn.
pub(super) fn inside(canvas: &mut Canvas, frame: &Frame, groups: &[Group]) {
    if canvas.format.keys != Keys::Inside || groups.is_empty() {
        return;
    }
    let (wide, high) = (list(groups) + 2.0 * AIR, LINE * groups.len() as f64 + AIR);
    let room = (frame.right - frame.left - 2.0 * AIR, frame.bottom - frame.top - 2.0 * AIR);
    let refused = || {
        let why = format!("{} keys have no room within the first panel", groups.len());
        Refused::new("legend", why, "use --legend above, or a larger --width or --height")
    };
    if wide > room.0 || high > room.1 {
        canvas.refused.get_or_insert_with(refused);
        return;
    }
    let xs = [1.0, 0.0, 0.5].map(|share| frame.left + AIR + share * (room.0 - wide));
    let ys = [0.0, 1.0, 0.5].map(|share| frame.top + AIR + share * (room.1 - high));
    // no letters are covered
    let free = |&(x, y): &(f64, f64)| {
        let over =
            |own: &[f64; 4]| own[0] < x + wide && x < own[2] && own[1] < y + high && y < own[3];
        !canvas.written.iter().any(over)
    };
    let places = ys.iter().flat_map(|&y| xs.iter().map(move |&x| (x, y)));
    let mut best: Option<(usize, (f64, f64))> = None;
    for (x, y) in places.filter(free) {
        let lies = |at: &&(f64, f64)| {
            (x - 2.0..=x + wide + 2.0).contains(&at.0) && (y - 2.0..=y + high + 2.0).contains(&at.1)
        };
        let count = canvas.drawn.iter().filter(lies).count();
        if best.is_none_or(|(least, _)| count < least) {
            best = Some((count, (x, y)));
        }
    }
    let Some((_, (x, y))) = best else {
        canvas.refused.get_or_insert_with(refused);
        return;
    };
    canvas.veil((x, y), (x + wide, y + high), Ink::Ground, " fill-opacity=\"0.8\"");
    for (nth, group) in groups.iter().enumerate() {
        let y = y + AIR / 2.0 + LINE * (nth as f64 + 0.5);
        key(canvas, (x + AIR, y), group, &shortened(&group.name, MOST));
    }
}
