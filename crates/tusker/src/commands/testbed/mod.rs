//! `tusker testbed`: a scenario on real sockets, across an emulated network.

pub mod bench;
mod compare;
mod laws;
mod watched;

use tusker_plan::audit::Audit;
use tusker_plan::plan::Plan;
use tusker_plan::plane::Plane;
use tusker_record::summary::{Summary, invalid_note};

use self::bench::Bench;
use super::run::whole;
use crate::args::TestbedArgs;
use crate::fail_on;
use crate::failure::Failure;
use crate::real;
use crate::scenarios;

pub fn testbed(args: &TestbedArgs) -> Result<(), Failure> {
    let (how, conditions) = (args.how(), fail_on::read(&args.fail_on)?);
    let scenario = scenarios::load(&args.scenario, &args.sets)?;
    let name = scenarios::name(&args.scenario);
    let ready = scenarios::ready_on(Plane::Testbed, name.clone(), scenario.clone(), &how)?;
    fail_on::check(&conditions, &ready.plan)?;
    can(&ready.plan)?;
    may(&ready.plan)?;
    let summary = if args.compare {
        compare::compare(args, &name, &scenario)?
    } else {
        let save = (!args.no_save).then_some(&args.save);
        let bench = Bench { tries: 1, quiet: args.quiet };
        whole(&bench, &ready, &how, save)?
    };
    believe(&summary)?;
    fail_on::summaries(&conditions, &[summary])
}

/// Whether the testbed can run it.
pub fn can(plan: &Plan) -> Result<(), Failure> {
    tusker_testbed::can(plan).map_err(|refusal| Failure::input(refusal.what, refusal.help))
}

/// Whether this process can make its hosts, and load what laws the kernel lacks.
pub fn may(plan: &Plan) -> Result<(), Failure> {
    laws::check(plan, real::rights()?)
}

/// What is invalid is shown, and it is no success.
fn believe(summary: &Summary) -> Result<(), Failure> {
    invalid_note(summary).map_or(Ok(()), |note| {
        let help = "lower the rate, have fewer flows, or let the machine do nothing else";
        Err(Failure::other(note, help))
    })
}

/// How well the emulator kept its times, in a line.
pub fn told(audit: &Audit) -> String {
    let us = |time: tusker_core::Duration| time.secs() * 1e6;
    format!(
        "emulator: {} packets, late by {:.0} us on average, {:.0} us at most for 99 %, {:.0} us at \
         most; busy for {:.0} % of the time, away for {:.2} %{}",
        audit.packets,
        us(audit.mean),
        us(audit.p99),
        us(audit.max),
        audit.busy * 100.0,
        audit.away * 100.0,
        if audit.real_time { "" } else { "; without real-time scheduling" }
    )
}
