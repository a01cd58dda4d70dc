//! Whoever follows the advice to run longer gets no second one.

use tusker_core::congestion::ALL;
use tusker_measure::doubts::Kind;
use tusker_measure::summary::{Summary, View};

use crate::{parse, run};

/// Numbers from 0 to 1, always the same.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[(self.next() * of.len() as f64) as usize]
    }

    /// As likely in each part of the logarithm.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.next())
    }
}

/// The advised duration after a run of this scenario that had too few congestion episodes.
fn advice(scenario: &str, duration_s: f64) -> Option<Option<f64>> {
    // flows start as those of `tusker compare` do
    let start = format!("start = {{ uniform = ['0s', '{:.2}s'] }}", (duration_s / 10.0).min(1.0));
    let plan = parse(&format!("duration = '{duration_s:.1}s'\n{scenario}{start}\n"));
    let view = View::new(&plan);
    let summary = Summary::of("path", &view, 1, &[view.replicate(1, &run(&plan, 1))]);
    let few = summary.doubts.into_iter().find(|doubt| doubt.kind == Kind::FewEpisodes);
    few.map(|doubt| doubt.duration_s)
}

/// Every law that grows until it loses packets, on 240 paths of 1 to 20 Mbit/s and 10 to 100 ms
/// with queues of 0.2 to 3 BDP, in runs that are nearly always too short.
#[test]
fn the_advised_duration_is_enough() {
    let laws: Vec<&str> =
        ALL.iter().filter(|sheet| sheet.grows_until_loss).map(|sheet| sheet.name).collect();
    let (mut draws, mut advised) = (Draws(1), 0);
    for _ in 0..240 {
        let rate = draws.between(1.0, 20.0);
        let (delay_ms, buffer) = (draws.between(10.0, 100.0) / 2.0, draws.between(0.2, 3.0));
        let (law, flows) = (draws.one(&laws), draws.one(&["1", "1", "2", "3"]));
        let loss = draws.one(&["0", "0", "0", "1e-4", "1e-3"]);
        let scenario = format!(
            "profile = 'linux'\n[dumbbell]\nrate = '{rate:.2}Mbit'\ndelay = '{delay_ms:.2}ms'\n\
             queue = '{buffer:.2}bdp'\nloss = {loss}\n\
             access = {{ rate = '{:.1}Mbit', delay = '0s' }}\n\
             [[flows]]\nname = 'f'\ncount = {flows}\ncc = '{law}'\n",
            10.0 * rate,
        );
        // what is far too short is told so instead
        let Some(Some(longer)) = advice(&scenario, draws.between(1.0, 10.0)) else { continue };
        advised += 1;
        let second = advice(&scenario, longer);
        assert_eq!(second, None, "{scenario}, {longer} s");
    }
    assert!(advised > 60, "{advised} of 240 were too short");
}
