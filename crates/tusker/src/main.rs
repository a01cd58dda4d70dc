//! The program `tusker`: see the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    tusker::main()
}
