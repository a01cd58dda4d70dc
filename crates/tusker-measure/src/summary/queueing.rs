//! Queueing delays as measures.

use tusker_plan::run::Delays;

use crate::stats::Sample;

/// Mean, median, 95 % and 99 % quantile of all of them, in seconds.
pub(super) fn measures<'d>(all: impl IntoIterator<Item = &'d Delays>) -> [Sample; 4] {
    let mut delays = Delays::default();
    all.into_iter().for_each(|own| delays.merge(own));
    let [p50, p95, p99] = [0.5, 0.95, 0.99].map(|q| delays.quantile(q));
    [delays.mean(), p50, p95, p99].map(|nanos| Sample::once(nanos.map(|nanos| nanos * 1e-9)))
}
