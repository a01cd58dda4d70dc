//! Files for other tools.

use clap::Args;

/// What other tools read.
#[derive(Args, Clone, Debug, Default)]
pub struct TracesArgs {
    /// Capture the packets of a link or node in the first replicate, for Wireshark:
    /// R1->R2, or S1=s1.pcapng for a file outside the results (repeatable)
    #[arg(long, value_name = "PLACE[=FILE]")]
    pub pcap: Vec<String>,
}
