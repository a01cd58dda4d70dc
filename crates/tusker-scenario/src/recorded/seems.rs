//! What a file of an unknown tool seems to be, and what to do with it.

/// What bytes seem to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seems {
    /// No bytes.
    Empty,
    /// Packed by gzip.
    Gzip,
    /// Packed by another program.
    Packed,
    /// A capture of packets: pcap or pcapng.
    Capture,
    /// Other binary data, such as a picture.
    Binary,
    /// Text of two bytes per character.
    Utf16,
    /// Of iperf3, in JSON.
    Iperf3Json,
    /// Of iperf or iperf3, for people.
    IperfText,
    /// Of ss.
    Ss,
    /// A qlog file.
    Qlog,
    /// Of Flent.
    Flent,
    /// Of irtt, in JSON.
    Irtt,
    /// Of ping.
    Ping,
    /// A log of mm-link.
    MmLog,
    /// Other JSON.
    Json,
    /// A scenario.
    Scenario,
    /// A command of tc or Mahimahi.
    Command,
    /// A script of packetdrill.
    Packetdrill,
    /// A program for ns-2 or ns-3.
    Ns,
    /// A page of a website.
    Page,
    /// What Git LFS stores in the place of a file.
    LfsPointer,
    /// Whole numbers, one on a line, as in a trace of Mahimahi.
    Opportunities,
    /// Lines with several columns.
    Columns,
    /// Other text.
    Text,
}

impl Seems {
    /// What these bytes seem to be.
    pub fn of(bytes: &[u8]) -> Self {
        let begins = |magic: &[u8]| bytes.starts_with(magic);
        const CAPTURES: [[u8; 4]; 5] = [
            [0xa1, 0xb2, 0xc3, 0xd4],
            [0xd4, 0xc3, 0xb2, 0xa1],
            [0xa1, 0xb2, 0x3c, 0x4d],
            [0x4d, 0x3c, 0xb2, 0xa1],
            [0x0a, 0x0d, 0x0d, 0x0a],
        ];
        // zip (also of tables), zstd, xz, bzip2, Parquet
        const PACKED: [&[u8]; 5] =
            [b"PK\x03\x04", &[0x28, 0xb5, 0x2f, 0xfd], b"\xfd7zXZ", b"BZh", b"PAR1"];
        match () {
            () if bytes.is_empty() => Self::Empty,
            () if begins(&[0x1f, 0x8b]) => Self::Gzip,
            () if CAPTURES.iter().any(|magic| begins(magic)) => Self::Capture,
            () if PACKED.iter().any(|magic| begins(magic)) => Self::Packed,
            () if begins(&[0xff, 0xfe]) || begins(&[0xfe, 0xff]) => Self::Utf16,
            () => std::str::from_utf8(bytes).map_or(Self::Binary, Self::of_text),
        }
    }

    fn of_text(text: &str) -> Self {
        let start = text.trim_start_matches('\u{feff}').trim_start();
        let has = |word: &str| text.contains(word);
        let line = start.lines().next().unwrap_or_default();
        let first = line.split_whitespace().find(|word| *word != "sudo").unwrap_or_default();
        match start.chars().next() {
            Some('{') if has("\"intervals\"") => Self::Iperf3Json,
            Some('{') if has("\"x_values\"") => Self::Flent,
            Some('{') if has("\"round_trips\"") => Self::Irtt,
            Some('{' | '\u{1e}') if has("qlog") => Self::Qlog,
            Some('{') => Self::Json,
            _ if has("[dumbbell]") || has("[[flows]]") => Self::Scenario,
            // a table may have such a heading
            _ if text.lines().any(|own| own.starts_with('[') && own.contains("bits/sec")) => {
                Self::IperfText
            }
            Some('[') if !has("icmp_seq=") => Self::Json,
            _ if line.starts_with("# mahimahi") => Self::MmLog,
            _ if has(" cwnd:") && has("rtt:") => Self::Ss,
            _ if has("icmp_seq=") => Self::Ping,
            _ if first == "tc" || first.starts_with("mm-") => Self::Command,
            _ if line.starts_with("version https://git-lfs") => Self::LfsPointer,
            Some('<') => Self::Page,
            _ if has("new Simulator") || has("ns3::") => Self::Ns,
            _ if has("socket(..., SOCK_STREAM") => Self::Packetdrill,
            _ if is_opportunities(start) => Self::Opportunities,
            _ if line.contains([',', ';', '\t']) => Self::Columns,
            _ => Self::Text,
        }
    }

    /// Whether nothing else is likely; a table might be an incomplete scenario.
    pub(crate) fn is_certain(self) -> bool {
        !matches!(self, Self::Scenario | Self::Empty | Self::Binary | Self::Columns | Self::Text)
    }

    /// In words.
    pub fn what(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Gzip => "compressed by gzip",
            Self::Packed => "an archive or compressed (zip, zstd, xz, bzip2, Parquet)",
            Self::Capture => "a packet capture",
            Self::Binary => "binary",
            Self::Utf16 => "text in UTF-16",
            Self::Iperf3Json => "iperf3's JSON",
            Self::IperfText => "iperf's output for people",
            Self::Ss => "lines of ss",
            Self::Qlog => "a qlog file",
            Self::Flent => "a file of Flent",
            Self::Irtt => "irtt's JSON",
            Self::Ping => "output of ping",
            Self::MmLog => "a log of mm-link",
            Self::Json => "JSON",
            Self::Scenario => "a scenario",
            Self::Command => "a command of tc or Mahimahi",
            Self::Packetdrill => "a script of packetdrill",
            Self::Ns => "a program for ns-2 or ns-3",
            Self::Page => "a web page, not the file that it links to",
            Self::LfsPointer => "a pointer of Git LFS, not the file itself",
            Self::Opportunities => "a trace of Mahimahi",
            Self::Columns => "a table in columns",
            Self::Text => "another text",
        }
    }

    /// What to do with it; `None` if nothing here reads it.
    pub fn remedy(self) -> Option<&'static str> {
        Some(match self {
            Self::Iperf3Json | Self::Ss | Self::Qlog | Self::Flent | Self::Capture => {
                "`tusker diagnose FILE --rate RATE` says what limited it"
            }
            Self::IperfText => "measure with iperf3 --json, and `tusker diagnose` that file",
            Self::Scenario => "`tusker run FILE` simulates it",
            Self::Command => "`tusker import FILE` makes a scenario from it",
            Self::Opportunities => {
                "`tusker import FILE` makes a scenario of it, or rate = { trace = \"FILE\" }"
            }
            Self::Columns => {
                "as a rate over time: `tusker import FILE --time COLUMN --value COLUMN`, or \
                 { trace = \"FILE\", columns = { time = \"COLUMN\", value = \"COLUMN UNIT\" } }"
            }
            Self::Gzip | Self::Packed => "unpack it first; gzip is unpacked here",
            Self::Utf16 => "convert it: iconv -f UTF-16 -t UTF-8 FILE",
            Self::Irtt | Self::Ping => {
                "its round trips, as a table of seconds and milliseconds, can be the delay of a link"
            }
            Self::MmLog => "mm-throughput-graph reads it; traces are the files that mm-link takes",
            Self::Page => "download the file itself (on GitHub: Raw)",
            Self::LfsPointer => "git lfs pull fetches the file",
            Self::Packetdrill | Self::Ns => {
                "write its path as a scenario: docs/scenario.md has the keys"
            }
            Self::Empty | Self::Binary | Self::Json | Self::Text => return None,
        })
    }
}

/// Whether the first lines have whole numbers only.
fn is_opportunities(text: &str) -> bool {
    let lines = text.lines().map(str::trim).filter(|own| !own.is_empty() && !own.starts_with('#'));
    let mut lines = lines.take(3).peekable();
    lines.peek().is_some() && lines.all(|own| own.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_tools_are_recognised() {
        for (bytes, expected) in [
            (&b""[..], Seems::Empty),
            (b"PK\x03\x04\x14\0", Seems::Packed),
            (b"PAR1\x15\x04", Seems::Packed),
            (b"\xff\xfet\0i\0", Seems::Utf16),
            (b"\x0a\x0d\x0d\x0a\x1c\0\0\0", Seems::Capture),
            (b"{\"version\": {}, \"round_trips\": []}", Seems::Irtt),
            (b"[1700182800.42] 64 bytes from a: icmp_seq=1 ttl=63 time=60.6 ms", Seems::Ping),
            (b"# mahimahi mm-link (up) [a.trace] > log\n# queue\n", Seems::MmLog),
            (b"[  5] 0.00-1.00 sec  1.1 MBytes  9.4 Mbits/sec", Seems::IperfText),
            (b"[1, 2]", Seems::Json),
            (b"sudo mm-delay 40", Seems::Command),
            (b"set ns [new Simulator]", Seems::Ns),
            (b"0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3", Seems::Packetdrill),
            (b"<!DOCTYPE html>", Seems::Page),
            (b"version https://git-lfs.github.com/spec/v1\noid", Seems::LfsPointer),
            (b"a\tb\n1\t2\n", Seems::Columns),
            (b"# up\n0\n3\n3\n", Seems::Opportunities),
            (b"hello", Seems::Text),
        ] {
            assert_eq!(Seems::of(bytes), expected, "{:?}", String::from_utf8_lossy(bytes));
        }
    }
}
