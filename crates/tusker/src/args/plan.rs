//! `tusker plan`.

use std::path::PathBuf;

use clap::Args;
use tusker_core::Bytes;

use super::{Format, memory};

/// Rank ways to do a transfer: congestion control, streams, socket buffer.
#[derive(Debug, Args)]
#[command(after_help = "\
The first table is there within seconds: response functions, and short runs on a
smaller path. Then row after row is simulated, the most promising first, until the
interval of its rate is narrow. A transfer that is too long to be simulated is its
simulated start and the rest at that rate; docs/plan.md says how.

Examples:
  tusker plan --size 200TB --rate 10gbit --rtt 160ms --loss 1e-6 --buffer 2MB
  tusker plan --size 5TB --rate 1gbit --rtt 80ms --with 4xcubic
  tusker plan --size 200TB --rate 10gbit --rtt 160ms --laws cubic,ghstcp --streams 1..32
  tusker plan --size 1TB --rate 10gbit --rtt 50ms --socket-buffer 4MB,enough
  tusker plan --size 5TB --rate 1gbit --rtt 80ms --with 4xcubic --max-harm 0.3 --deadline 24h
  tusker plan --size 1TB --rate 10gbit --rtt 50ms --budget none --out tonight

Ctrl-C prints what is known by then. With --out every run is kept: the same command
goes on where it was stopped, and takes no new run when it was done.")]
pub struct PlanArgs {
    /// How much is to be moved: 200TB
    #[arg(long, value_name = "SIZE")]
    pub size: String,
    /// Rate of the bottleneck: 10gbit
    #[arg(long, value_name = "RATE")]
    pub rate: String,
    /// Round trip on the empty path: 160ms
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub rtt: String,
    /// Share of packets that the path loses at random: 1e-6
    #[arg(long, default_value = "0", value_name = "SHARE", allow_hyphen_values = true)]
    pub loss: String,
    /// Buffer of the bottleneck: 2MB, 0.5bdp, 1000pkt
    #[arg(long, default_value = "1bdp", value_name = "LIMIT", allow_hyphen_values = true)]
    pub buffer: String,
    /// Who else is on the path all the time: 4xcubic,reno
    #[arg(long, default_value = "", value_name = "LIST", hide_default_value = true)]
    pub with: String,
    /// Congestion controls to choose from, with parameters if you like: ghstcp:z=2
    #[arg(long, default_value = tusker_lab::plan::LAWS, value_name = "LIST")]
    pub laws: String,
    /// Connections at the same time: 1,4,16, or 1..32, which doubles
    #[arg(long, default_value = "1,4,16", value_name = "LIST", allow_hyphen_values = true)]
    pub streams: String,
    /// Payload that each connection may have under way: 64MB, or `enough`: twice what
    /// path and buffer hold
    #[arg(long, default_value = "enough", value_name = "LIST", allow_hyphen_values = true)]
    pub socket_buffer: String,
    /// A packet on the wire: 9000B with jumbo frames
    #[arg(long, default_value = "1500B", value_name = "SIZE", allow_hyphen_values = true)]
    pub packet: String,
    /// How narrow the 95 % interval of a rate is to be: half of it, as a share
    #[arg(long, default_value = "5%", value_name = "SHARE", allow_hyphen_values = true)]
    pub until: String,
    /// The most that the recommended row may harm the others: 0.3
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    pub max_harm: Option<String>,
    /// How long the transfer may take: 12h; the table then says which rows meet it
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub deadline: Option<String>,
    /// Packets that may be simulated for a row: 200 million are about a minute of a core
    #[arg(long, default_value = "2e8", value_name = "N", allow_hyphen_values = true)]
    pub row_packets: String,
    /// When to stop, whatever is not done: 2min, or `none`
    #[arg(long, default_value = "2min", value_name = "TIME", allow_hyphen_values = true)]
    pub budget: String,
    /// Runs at the same time; as many as there are cores unless said otherwise
    #[arg(long, short, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub jobs: Option<u32>,
    /// Memory for all runs together: 2GB; three quarters of what is free unless said
    /// otherwise
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    #[arg(allow_hyphen_values = true)]
    pub memory: Option<Bytes>,
    /// What to print on stdout
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// No progress, no word on stderr unless something is wrong
    #[arg(long, short)]
    pub quiet: bool,
    /// Folder in which runs and the plan are kept; nothing is kept unless it is said
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
