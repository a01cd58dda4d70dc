//! `tusker list`: all names that scenarios can use.

use tusker_core::{Sheet, congestion, queue};
use tusker_record::table::Table;

use crate::args::{Kind, ListArgs};
use crate::failure::Failure;
use crate::output::print;

/// A kind of traffic, as `tusker list` and `tusker explain` show it.
pub struct Traffic {
    /// Name.
    pub name: &'static str,
    /// In a few words.
    pub title: &'static str,
    /// What it does.
    pub about: &'static str,
    /// How a scenario asks for it.
    pub example: &'static str,
}

/// All kinds of traffic.
pub const TRAFFIC: &[Traffic] = &[
    Traffic {
        name: "greedy",
        title: "a flow that always has data to send",
        about: "A TCP flow whose sender never runs out of data, such as a file without end.",
        example: "[[flows]]\nname = \"bulk\"\ncc = \"reno\"",
    },
    Traffic {
        name: "sized",
        title: "a flow that ends after so many bytes",
        about: "A TCP flow that sends so much payload and is done; its completion time is \
                measured from its start to the last acknowledgment.",
        example: "[[flows]]\nname = \"file\"\ncc = \"reno\"\nsize = \"1GB\"",
    },
    Traffic {
        name: "constant",
        title: "UDP at a constant rate",
        about: "Packets at even distances, without congestion control. Each gap varies by up \
                to the fraction `jitter` either way.",
        example: "[[background]]\nname = \"udp\"\nrate = \"50Mbit\"\njitter = 0.1",
    },
    Traffic {
        name: "onoff",
        title: "UDP with exponential on and off periods",
        about: "Packets at a constant rate during periods of exponential length, and none \
                between them.",
        example: "[[background]]\nname = \"bursts\"\nrate = \"50Mbit\"\non = \"500ms\"\noff = \"500ms\"",
    },
];

pub fn list(args: &ListArgs) -> Result<(), Failure> {
    let wanted = |kind| args.what.is_none_or(|what| what == kind);
    let mut parts = Vec::new();
    if wanted(Kind::Cc) {
        parts.push(sheets("congestion control", congestion::ALL));
    }
    if wanted(Kind::Queue) {
        parts.push(sheets("queue policy", queue::ALL));
    }
    if wanted(Kind::Traffic) {
        let mut table = Table::new(["traffic"]).left().bold_head();
        TRAFFIC.iter().for_each(|t| table.row([t.name, t.title]));
        parts.push(table.to_string());
    }
    print(&parts.join("\n"))
}

fn sheets(head: &str, all: &[Sheet]) -> String {
    let mut table = Table::new([head, "", "source"]).left().bold_head();
    all.iter().for_each(|sheet| table.row([sheet.name, sheet.title, sheet.source]));
    table.to_string()
}
