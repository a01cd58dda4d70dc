//! The privileges with which this process makes hosts on this machine.

use std::sync::OnceLock;

use tusker_testbed::{Refusal, Rights};

use crate::args::{Command, Plane};
use crate::failure::Failure;

static RIGHTS: OnceLock<Result<Rights, Refusal>> = OnceLock::new();

/// Gets them for a command that needs them. To be called before there is a second
/// thread; whether it went well is asked later, when the rest of the input is right.
pub fn enter(command: &Command) {
    let needs = match command {
        Command::Testbed(_) => true,
        Command::Reproduce(args) => args.on.plane == Plane::Testbed,
        Command::Shell(args) => !args.join && !args.watch,
        _ => false,
    };
    if needs {
        RIGHTS.get_or_init(tusker_testbed::enter);
    }
}

/// Which there are.
pub fn rights() -> Result<Rights, Failure> {
    let rights = RIGHTS.get_or_init(tusker_testbed::enter).clone();
    rights.map_err(|refusal| Failure::other(refusal.what, refusal.help))
}

/// What `tusker testbed` would have, for anyone who wants to know beforehand.
pub fn foretold() -> String {
    match tusker_testbed::rights() {
        Ok(Rights::Root) => "the testbed would run as root".to_owned(),
        Ok(Rights::OwnNamespace) => {
            "the testbed would run in a user namespace: without real-time scheduling, and only \
             with the\ncongestion controls that the kernel has already; root has real-time \
             scheduling and can load others"
                .to_owned()
        }
        Err(refusal) => {
            format!("note: the testbed cannot run now: {}; {}", refusal.what, refusal.help)
        }
    }
}
