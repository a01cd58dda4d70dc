//! `tusker serve`.

use std::path::PathBuf;

use clap::Args;

/// Show the live page and stored results in a browser on this machine.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tusker serve                      the live page, and the results in results/
  tusker serve results/sweep --open also opens the browser
  tusker serve --port 8000

The address is printed. It has a random part, which is new each time: only who knows the
address, and is on this machine, gets answers. Ctrl-C ends it.")]
pub struct ServeArgs {
    /// Folder with stored results [default: results]
    #[arg(value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Folder with the files of the live page [default: those in the program, or target/page]
    #[arg(long, value_name = "DIR")]
    pub page: Option<PathBuf>,
    /// Port on 127.0.0.1; 0 means any that is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    /// Open the address in the browser
    #[arg(long)]
    pub open: bool,
}
