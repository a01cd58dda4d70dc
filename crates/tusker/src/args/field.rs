//! `tusker diagnose` and `tusker import`.

use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use tusker_scenario::recorded::Columns;

use super::Format;

/// Find what limits a measured transfer.
#[derive(Debug, Default, Args, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[command(after_help = "\
For each limit that may explain the goodput (windows, random loss, a small buffer, slow \
start, other flows, a policer, the application, a host), this command finds the value that \
the limit needs, simulates the path with it, and compares the result with all that was \
measured.

Examples:
  tusker diagnose --rate 10gbit --rtt 150ms --measured 2.1gbit --cc cubic
  tusker diagnose --rate 1gbit --rtt 95ms --measured 5.5mbit --retransmits 0
  iperf3 -c HOST -t 30 --json > iperf.json; tusker diagnose iperf.json --rate 10gbit
  ss -tin dst HOST | tusker diagnose - --rate 10gbit")]
pub struct DiagnoseArgs {
    /// Output of `iperf3 --json`, or of `ss -tin` on the sender; a packet capture, a qlog file or
    /// one of Flent; `-` reads it from stdin
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The connection of a capture, of lines of ss, of qlog or of Flent: its number or a part of
    /// its addresses or name, such as :5201 [default: of captures and ss the one with most data]
    #[arg(long, visible_alias = "connection", default_value = "", hide_default_value = true)]
    pub flow: String,
    /// Rate of the path's slowest link, such as 10gbit
    #[arg(long, default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    pub rate: String,
    /// Round-trip time without queueing, such as 150ms [default: the shortest in FILE]
    #[arg(long, default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    pub rtt: String,
    /// The measured goodput, such as 2.1gbit [default: that of FILE]
    #[arg(long, default_value = "", hide_default_value = true, value_name = "RATE")]
    #[arg(allow_hyphen_values = true)]
    pub measured: String,
    /// Congestion control of the sender [default: that of FILE, or cubic-linux]
    #[arg(long, default_value = "", hide_default_value = true, value_name = "NAME")]
    pub cc: String,
    /// How long it was measured, from the start of the transfer [default: that of FILE, or 30s]
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TIME")]
    #[arg(allow_hyphen_values = true)]
    pub duration: String,
    /// Queue limit of the bottleneck, such as 0.5bdp, 1000pkt or 1MB [default: 1bdp]
    #[arg(long, default_value = "", hide_default_value = true, value_name = "LIMIT")]
    #[arg(allow_hyphen_values = true)]
    pub buffer: String,
    /// Number of retransmitted segments [default: that of FILE]
    #[arg(long, default_value = "", hide_default_value = true, value_name = "N")]
    #[arg(allow_hyphen_values = true)]
    pub retransmits: String,
    /// Number of parallel connections [default: that of FILE, or 1]
    #[arg(long, visible_alias = "parallel", default_value = "", hide_default_value = true)]
    #[arg(value_name = "N", allow_hyphen_values = true)]
    pub streams: String,
    /// What to print on stdout: `table` (text for people), `csv` (a line for each limit) or
    /// `json`
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    #[serde(skip)]
    pub format: Format,
    /// Page for the answer, with the goodput over time as it was measured and as it is simulated
    /// with each limit that is possible
    #[arg(long, value_name = "FILE.html")]
    #[serde(skip)]
    pub out: Option<PathBuf>,
    /// Print only errors, and notes on doubtful results, on stderr
    #[arg(long, short)]
    #[serde(skip)]
    pub quiet: bool,
}

/// Which columns of a trace count.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(default)]
pub struct ColumnArgs {
    /// Column of a trace with the time, by name or number, such as `1` or 'time ms'
    #[arg(long, value_name = "COLUMN")]
    pub time: Option<String>,
    /// Column of a trace with the rate, such as `2` or 'DL_bitrate kbit/s'
    #[arg(long, value_name = "COLUMN")]
    pub value: Option<String>,
    /// Column with the time in which an amount of data (`--value 'n bytes'`) arrived, such as
    /// 'dt ms'
    #[arg(long, value_name = "COLUMN")]
    pub over: Option<String>,
    /// Only rows of a trace with this value in this column, such as run_num=3
    #[arg(long, value_name = "COLUMN=VALUE")]
    pub rows: Option<String>,
}

impl From<&ColumnArgs> for Columns {
    fn from(args: &ColumnArgs) -> Self {
        let ColumnArgs { time, value, over, rows } = args.clone();
        Self { time, value, over, rows }
    }
}

/// Turn a command of tc, netem or Mahimahi, or a trace, into a scenario.
#[derive(Debug, Default, Args, Deserialize)]
#[serde(default)]
#[command(after_help = "\
The scenario goes to stdout; notes on stderr say where it differs from what was imported.

Examples:
  tusker import 'tc qdisc add dev eth0 root netem delay 50ms 10ms loss 1% rate 100mbit'
  tusker import 'mm-delay 40 mm-loss uplink 0.01 mm-link up.trace down.trace -- iperf3 ..'
  tusker import Verizon-LTE-short.down > lte.toml
  tusker import 5g.csv --time Timestamp --value 'DL_bitrate kbit/s' | tusker run - --no-save")]
pub struct ImportArgs {
    /// Lines of tc or of Mahimahi's shells in quotes; or a file with such lines or a trace; `-`
    /// reads stdin
    #[arg(value_name = "COMMAND|FILE", required = true)]
    pub words: Vec<String>,
    /// Data goes through the uplink of mm-link, not the downlink
    #[arg(long)]
    pub upload: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub columns: ColumnArgs,
    /// Print only errors on stderr
    #[arg(long, short)]
    #[serde(skip)]
    pub quiet: bool,
}
