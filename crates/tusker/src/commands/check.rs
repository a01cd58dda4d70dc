//! `tusker check`: is this scenario valid, and what does it describe?

use tusker_report::checked::Checked;
use tusker_scenario::Complete;

use crate::args::CheckArgs;
use crate::done::{Done, Value};
use crate::failure::Failure;
use crate::scenarios::{load, name, wrong};

impl Value for Checked {
    fn json(&self) -> String {
        self.json()
    }

    fn csv(&self) -> String {
        tusker_report::csv::csv(&self.page())
    }
}

/// The scenario with the values of all keys.
pub fn expanded(args: &CheckArgs) -> Result<String, Failure> {
    Ok(complete(args)?.to_toml())
}

/// What it describes.
pub fn check(args: &CheckArgs) -> Result<Done<Checked>, Failure> {
    let scenario = complete(args)?;
    #[cfg(all(target_os = "linux", feature = "testbed"))]
    let on_testbed = args.plane == crate::args::Plane::Testbed;
    #[cfg(all(target_os = "linux", feature = "testbed"))]
    if on_testbed {
        super::testbed::can(scenario.plan())?;
    }
    let checked = Checked::of(name(&args.scenario), &scenario);
    #[cfg_attr(not(all(target_os = "linux", feature = "testbed")), expect(unused_mut))]
    let mut page = checked.page();
    #[cfg(all(target_os = "linux", feature = "testbed"))]
    if on_testbed {
        page.work(crate::real::foretold());
    }
    Ok(Done::of(checked, page))
}

fn complete(args: &CheckArgs) -> Result<Complete, Failure> {
    load(&args.scenario, &args.sets)?.complete().map_err(wrong)
}
