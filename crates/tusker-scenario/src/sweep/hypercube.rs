//! A Latin hypercube (McKay, Beckman, Conover 1979): on every axis, each of the n
//! points lies in a different stripe of width 1/n, so that few points cover each
//! axis well.

use tusker_core::Rng;

use super::super::error::{Mistake, Span};
use super::values::{self, Range};
use super::{Axis, Part, Value};

/// The columns: `points` values from each of these ranges or lists.
pub(super) fn part(
    ranges: &[(String, String)],
    points: usize,
    seed: u64,
) -> Result<Part, (usize, Mistake, Span)> {
    let mut axes = Vec::new();
    for (i, (key, text)) in ranges.iter().enumerate() {
        let mut rng = Rng::named(seed, &format!("hypercube/{key}"));
        let fail = |mistake| (i, mistake, 0..text.len());
        let of: Box<dyn Fn(f64) -> Value> = match values::range(text.trim()) {
            Some(range) => continuous(range.map_err(fail)?).map_err(fail)?,
            None => {
                let list = values::list(key, text).map_err(|(mistake, span)| (i, mistake, span))?;
                Box::new(move |share| list[(share * list.len() as f64) as usize].clone())
            }
        };
        // which stripe each point gets: a permutation (Fisher and Yates)
        let mut stripes: Vec<usize> = (0..points).collect();
        for last in (1..points).rev() {
            stripes.swap(last, (rng.unit() * (last + 1) as f64) as usize);
        }
        let values = stripes.into_iter().map(|stripe| {
            let share = (stripe as f64 + rng.unit()) / points as f64;
            of(share.min(1.0 - f64::EPSILON))
        });
        axes.push(Axis { key: key.clone(), option: None, values: values.collect() });
    }
    Ok(Part { axes })
}

fn continuous(range: Range) -> Result<Box<dyn Fn(f64) -> Value>, Mistake> {
    if range.count().is_some() {
        let message = "a range in a hypercube must not have a count";
        return Err(Mistake::new(
            message,
            "write FROM..TO, or FROM..TO:log; `points` is the count",
        ));
    }
    Ok(Box::new(move |share| Value::plain(range.at(share, 6))))
}
