//! Files for other tools.

use clap::Args;
use serde::Serialize;

/// What other tools read.
#[derive(Args, Clone, Debug, Default, Serialize)]
pub struct TracesArgs {
    /// Store the packets of this link (R1->R2) or node (reno.0.src) in the first
    /// replicate, in a file for Wireshark. The file is stored with the results, or has the name
    /// after `=`: reno.0.src=a.pcapng (repeatable)
    #[arg(long, value_name = "PLACE[=FILE]")]
    pub pcap: Vec<String>,
}
