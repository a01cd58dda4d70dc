//! How much traffic a scenario may have.

use super::{arrivals, web};
use crate::error::{Fault, Mistake};
use crate::model::Scenario;

/// Flows and background sources together. Each flow takes about 3 kB before
/// it has sent anything.
pub const MAX_FLOWS: u64 = 100_000;

const BYTES_PER_FLOW: u64 = 3_000;

pub fn check_flows(s: &Scenario) -> Result<(), Fault> {
    let flows = s.flows.iter().enumerate().map(|(i, g)| {
        let parallel = g.parallel.unwrap_or(1);
        let key = if parallel == 1 { "count" } else { "parallel" };
        (format!("flows.{i}.{key}"), g.count.unwrap_or(1).saturating_mul(parallel))
    });
    let arrivals = s.arrivals.iter().enumerate();
    let arrivals =
        arrivals.map(|(i, a)| (format!("arrivals.{i}.connections"), arrivals::connections(a)));
    let web = s.web.iter().enumerate();
    let web = web.map(|(i, w)| (format!("web.{i}.sessions"), web::connections(w)));
    let udp = s.background.iter().enumerate();
    let udp = udp.map(|(i, b)| (format!("background.{i}.count"), b.count.unwrap_or(1)));
    let mut total = 0_u64;
    for (path, count) in flows.chain(arrivals).chain(web).chain(udp) {
        if count == 0 {
            return Err(Mistake::new("a group without flows", "at least 1, or delete it").at(path));
        }
        total = total.saturating_add(count);
        if total > MAX_FLOWS {
            let gigabytes = total.saturating_mul(BYTES_PER_FLOW) as f64 / 1e9;
            return Err(Mistake::new(
                format!("{total} flows would take about {gigabytes:.1} GB before the first packet"),
                format!("at most {MAX_FLOWS} flows in all"),
            )
            .at(path));
        }
    }
    if total == 0 {
        let help = "add [[flows]], [[arrivals]], [[web]] or [[background]]";
        return Err(Mistake::new("no traffic", help).at(""));
    }
    Ok(())
}
