//! Files for other tools.

use clap::Args;

/// What other tools read.
#[derive(Args, Clone, Debug, Default)]
pub struct TracesArgs {
    /// Captures the packets of a link or node of the first replicate, for Wireshark:
    /// R1->R2, S1=s1.pcapng; in the results unless a file is given; again for more
    #[arg(long, value_name = "PLACE[=FILE]")]
    pub pcap: Vec<String>,
}
