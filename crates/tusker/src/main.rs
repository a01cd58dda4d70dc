//! The program `tusker`: see the library in lib.rs.

use std::process::ExitCode;

fn main() -> ExitCode {
    tusker::main()
}
