//! Rates and delays over time that others recorded: Mahimahi's opportunities, or columns with a
//! time and a value, also packed by gzip.
//!
//! Layouts of published data sets, by the names of their columns (from memory): Pensieve and
//! others (`seconds Mbit/s` without names), FCC (`dtime`, `bytes_sec`), Irish 5G (`Timestamp`,
//! `DL_bitrate` in kbit/s), Lumos5G (`seq_num`, `Throughput` in Mbit/s), and time with Mbit/s
//! under names such as `time`, `timestamp_ms`, `downlink_mbps`.

use std::io::Read;

/// The most bytes that are read of a file, and of what is packed in it.
pub const MAX_FILE: u64 = 64 << 20;

/// The most opportunities that a trace may have; 4 bytes each.
pub(crate) const MAX_OPPORTUNITIES: usize = 10_000_000;

/// The most values over time.
const MAX_STEPS: usize = 70_000;

/// A message and the remedy.
type Wrong = (String, String);

/// What a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Rates, bits per second.
    Rate,
    /// Delays, seconds.
    Delay,
}

/// Which columns: a name or a number from 1, and perhaps a unit behind a blank.
#[derive(Clone, Copy, Debug, Default)]
pub struct Columns<'a> {
    /// Of the time.
    pub time: Option<&'a str>,
    /// Of the value.
    pub value: Option<&'a str>,
}

/// What was recorded.
#[derive(Clone, Debug, PartialEq)]
pub enum Recorded {
    /// Milliseconds at which a packet can leave, in Mahimahi's format.
    Opportunities(Vec<u32>),
    /// Times in seconds from the first on, and what applies from then on: bits per second, or
    /// seconds.
    Steps(Vec<(f64, f64)>),
}

/// What bytes seem to be, with the command that takes them.
pub fn seems(bytes: &[u8]) -> &'static str {
    let magic = bytes.get(..4).unwrap_or_default();
    let captures: [&[u8]; 5] = [
        &[0xa1, 0xb2, 0xc3, 0xd4],
        &[0xd4, 0xc3, 0xb2, 0xa1],
        &[0xa1, 0xb2, 0x3c, 0x4d],
        &[0x4d, 0x3c, 0xb2, 0xa1],
        &[0x0a, 0x0d, 0x0d, 0x0a],
    ];
    if bytes.is_empty() {
        return "empty";
    }
    if is_gzip(bytes) {
        return "compressed by gzip";
    }
    if captures.contains(&magic) {
        return "a packet capture";
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return "binary" };
    let begins = text.trim_start();
    let has = |word: &str| text.contains(word);
    match begins.chars().next() {
        Some('{') if has("\"intervals\"") => "iperf3's JSON, which `tusker diagnose` takes",
        Some('{' | '\u{1e}') if has("qlog") => "a qlog file",
        Some('{') => "JSON",
        _ if has("[dumbbell]") || has("[[flows]]") => "a scenario, which `tusker run` takes",
        Some('[') => "JSON",
        _ if has(" cwnd:") && has("rtt:") => "lines of ss, which `tusker diagnose` takes",
        _ if has("bits/sec") => "iperf's output for people: add --json, and `tusker diagnose` it",
        _ if begins.starts_with("tc ") || begins.starts_with("mm-") => {
            "a command, which `tusker import` takes"
        }
        _ if begins.lines().next().is_some_and(|line| line.contains([',', ';', '\t'])) => {
            "a table in columns"
        }
        _ => "another text",
    }
}

/// Whether gzip packed it.
pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// What gzip packed, as far as it is not too much.
///
/// # Errors
/// If it is damaged, larger than [`MAX_FILE`], or packed twice.
pub fn unpacked(name: &str, bytes: &[u8]) -> Result<Vec<u8>, Wrong> {
    let mut all = Vec::new();
    let packed = flate2::read::MultiGzDecoder::new(bytes);
    let read = packed.take(MAX_FILE + 1).read_to_end(&mut all);
    read.map_err(|e| (format!("`{name}`: {e}"), "pack it by gzip again".to_owned()))?;
    if all.len() as u64 > MAX_FILE {
        let message = format!("`{name}` has more than {} MiB when unpacked", MAX_FILE >> 20);
        return Err((message, "take a part of it".to_owned()));
    }
    match is_gzip(&all) {
        true => Err((format!("`{name}` is packed by gzip twice"), "unpack it once".to_owned())),
        false => Ok(all),
    }
}

/// Reads a file; `name` is what messages call it.
///
/// # Errors
/// A message with the line, and the remedy.
pub fn read(
    name: &str,
    bytes: &[u8],
    wanted: Wanted,
    columns: Columns<'_>,
) -> Result<Recorded, Wrong> {
    if is_gzip(bytes) {
        return read(name, &unpacked(name, bytes)?, wanted, columns);
    }
    let other = || {
        let help = match wanted {
            Wanted::Rate => {
                "expected a trace: a line for each packet that can leave with its time in ms \
                 (Mahimahi), or lines such as `1.5,20.3` with seconds and Mbit/s"
            }
            Wanted::Delay => "expected lines such as `1.5,42` with seconds and milliseconds",
        };
        (format!("`{name}` seems to be {}", seems(bytes)), help.to_owned())
    };
    let text = std::str::from_utf8(bytes).map_err(|_| other())?;
    if text.trim_start().starts_with(['{', '[', '\u{1e}']) {
        return Err(other());
    }
    let lines = || {
        let lines = text.lines().enumerate().map(|(n, line)| (n + 1, line.trim()));
        lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    };
    let Some((first, head)) = lines().next() else {
        return Err((format!("`{name}` is empty and has no duration"), other().1));
    };
    let split = separator(head);
    if wanted == Wanted::Rate && split(head).len() == 1 {
        if !head.as_bytes()[0].is_ascii_digit() {
            return Err(other());
        }
        return opportunities(name, lines());
    }
    let fields = split(head);
    let named = fields.iter().all(|field| number(field).is_none() && date(field).is_none());
    let names: &[&str] = if named { &fields } else { &[] };
    let time = column(name, names, fields.len(), columns.time, &TIMES, 1)?;
    let known: &[&str] = if wanted == Wanted::Rate { &RATES } else { &DELAYS };
    let value = column(name, names, fields.len(), columns.value, known, 2)?;
    let scale = match wanted {
        Wanted::Rate => rate_unit(value.unit),
        Wanted::Delay => time_unit(value.unit).unwrap_or(1e-3),
    };
    let per_second = time_unit(time.unit);
    let mut steps: Vec<(f64, f64)> = Vec::new();
    let mut start = None;
    for (n, line) in lines().filter(|(n, _)| !named || *n > first) {
        let wrong = |message: String, help: &str| {
            Err((format!("`{name}`, line {n}: {message}"), help.to_owned()))
        };
        let fields = split(line);
        let at = |place: usize| fields.get(place).copied().unwrap_or_default();
        // missing values of data sets
        if ["", "-", "nan", "NaN", "NA", "null"].contains(&at(value.place)) {
            continue;
        }
        let stamp = match (number(at(time.place)), date(at(time.place))) {
            // milliseconds since 1970
            (Some(own), _) => own * per_second.unwrap_or(if own > 1e11 { 1e-3 } else { 1.0 }),
            (None, Some(own)) => own,
            (None, None) => {
                let message = format!("expected a time, found `{}`", shown(at(time.place)));
                return wrong(message, "seconds, or a date such as 2024-05-01 12:00:00");
            }
        };
        let Some(own) = number(at(value.place)).filter(|own| *own >= 0.0 && own * scale < 1e15)
        else {
            let message = format!("expected a value, found `{}`", shown(at(value.place)));
            return wrong(message, "a number of 0 or more");
        };
        let first = *start.get_or_insert(stamp);
        let seconds = stamp - first;
        match steps.last() {
            // several values in one second: the first counts
            Some(&(before, _)) if seconds == before => continue,
            Some(&(before, _)) if seconds < before => {
                let message = format!("{seconds} s after {before} s");
                return wrong(message, "times must not decrease");
            }
            _ => {}
        }
        if !(0.0..1e7).contains(&seconds) {
            return wrong(format!("a time of {seconds} s"), "times below 1e7 s");
        }
        if steps.len() >= MAX_STEPS {
            return wrong(format!("more than {MAX_STEPS} values"), "a shorter trace");
        }
        steps.push((seconds, own * scale));
    }
    // a value that goes on is no step
    steps.dedup_by(|next, before| next.1 == before.1);
    match steps.is_empty() {
        true => Err((format!("`{name}` has no values"), other().1)),
        false => Ok(Recorded::Steps(steps)),
    }
}

/// Mahimahi's format: a whole number of milliseconds per line, ascending.
fn opportunities<'a>(
    name: &str,
    lines: impl Iterator<Item = (usize, &'a str)>,
) -> Result<Recorded, Wrong> {
    const HELP: &str = "a line for each packet that can leave, with the time in ms";
    let mut times: Vec<u32> = Vec::new();
    for (n, line) in lines {
        let wrong = |message: String, help: &str| {
            Err((format!("`{name}`, line {n}: {message}"), help.to_owned()))
        };
        let Ok(ms) = line.parse::<u32>() else {
            if line.bytes().all(|b| b.is_ascii_digit()) {
                return wrong(
                    format!("{} ms is too late", shown(line)),
                    "at most 4294967295 ms, 49 days",
                );
            }
            let message =
                format!("expected a whole number of milliseconds, found `{}`", shown(line));
            return wrong(message, HELP);
        };
        if times.last().is_some_and(|&before| before > ms) {
            let message = format!("{ms} ms after {} ms", times[times.len() - 1]);
            let help = "times must not decrease; several packets may have the same time";
            return wrong(message, help);
        }
        if times.len() >= MAX_OPPORTUNITIES {
            return wrong(format!("more than {MAX_OPPORTUNITIES} lines"), "a shorter trace");
        }
        times.push(ms);
    }
    match times.last() {
        None | Some(0) => {
            Err((format!("`{name}` has no duration"), format!("{HELP}; the last above 0")))
        }
        Some(_) => Ok(Recorded::Opportunities(times)),
    }
}

/// A column: its place, and the name that says its unit.
#[derive(Clone, Copy)]
struct Column<'a> {
    place: usize,
    unit: &'a str,
}

/// Names of columns with times, rates and delays, the most particular first; what contains one
/// is one.
const TIMES: [&str; 6] = ["timestamp", "time", "seconds", "elapsed", "seq_num", "sec"];
const RATES: [&str; 10] = [
    "dl_bitrate",
    "bytes_sec",
    "downlink",
    "download",
    "throughput",
    "bandwidth",
    "mbps",
    "mbit",
    "rate",
    "bw",
];
const DELAYS: [&str; 4] = ["rtt", "latency", "delay", "ping"];

/// The column that is asked for, or that has such a name, or else the one at this place.
fn column<'a>(
    file: &str,
    names: &[&'a str],
    count: usize,
    asked: Option<&'a str>,
    known: &[&str],
    place: usize,
) -> Result<Column<'a>, Wrong> {
    let list = || match names {
        [] => format!("columns are 1 to {count}"),
        names => format!("columns: {}", shown(&names.join(", "))),
    };
    let lower = |name: &str| name.to_lowercase();
    if let Some(asked) = asked {
        let (name, unit) = asked.split_once(' ').unwrap_or((asked, ""));
        let named = names.iter().position(|own| *own == asked || *own == name);
        let numbered = name.parse().ok().filter(|n| (1..=count).contains(n)).map(|n: usize| n - 1);
        let Some(at) = named.or(numbered) else {
            return Err((format!("`{file}` has no column `{}`", shown(asked)), list()));
        };
        let unit = if unit.is_empty() { names.get(at).copied().unwrap_or_default() } else { unit };
        return Ok(Column { place: at, unit });
    }
    let is = |own: &str, known: &str| lower(own).contains(known);
    let found = known.iter().find_map(|known| names.iter().position(|own| is(own, known)));
    match found {
        Some(at) => Ok(Column { place: at, unit: names[at] }),
        None if count >= place && (names.is_empty() || count == 2) => {
            Ok(Column { place: place - 1, unit: names.get(place - 1).copied().unwrap_or_default() })
        }
        None => {
            let message = format!("`{file}`: which column is it? {}", list());
            Err((
                message,
                "say it: columns = { time = \"NAME\", value = \"NAME UNIT\" }".to_owned(),
            ))
        }
    }
}

/// Bits per second of a unit, or of a column's name; Mbit/s by default.
fn rate_unit(name: &str) -> f64 {
    let lower = name.to_lowercase();
    let has = |part: &str| lower.contains(part);
    let bits = match () {
        () if has("gbit") || has("gbps") => 1e9,
        () if has("mbit") || has("mbps") || has("mb/s") => 1e6,
        () if has("kbit") || has("kbps") || has("bitrate") => 1e3,
        () if has("bytes") || has("byte") => return 8.0,
        () if has("bps") || has("bit/s") || has("bits") => 1.0,
        () => 1e6,
    };
    if has("mb/s") { 8.0 * bits } else { bits }
}

/// Seconds of a unit of time, or of a column's name that has one.
fn time_unit(name: &str) -> Option<f64> {
    let lower = name.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    words.find_map(|word| match word {
        "s" | "sec" | "seconds" => Some(1.0),
        "ms" | "msec" | "milliseconds" => Some(1e-3),
        "us" | "usec" | "microseconds" => Some(1e-6),
        "ns" => Some(1e-9),
        _ => None,
    })
}

/// What divides the columns of a table: what the first line has.
fn separator(line: &str) -> impl Fn(&str) -> Vec<&str> + use<> {
    let found = [',', ';', '\t'].into_iter().find(|c| line.contains(*c));
    move |line: &str| {
        let clean = |field: &str| -> (usize, usize) {
            let kept = field.trim().trim_matches('"');
            let start = kept.as_ptr() as usize - line.as_ptr() as usize;
            (start, start + kept.len())
        };
        let ranges: Vec<(usize, usize)> = match found {
            Some(c) => line.split(c).map(clean).collect(),
            None => line.split_whitespace().map(clean).collect(),
        };
        ranges.into_iter().map(|(from, to)| &line[from..to]).collect()
    }
}

fn number(text: &str) -> Option<f64> {
    // `inf` and `nan` are no numbers here
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    text.parse().ok().filter(|number: &f64| plain && number.is_finite())
}

/// Seconds of `2019.12.16_13.40.04` or `2024-05-01T12:00:00.5`, from some day on.
fn date(text: &str) -> Option<f64> {
    let mut parts = text.trim_end_matches('Z').splitn(6, ['.', '_', '-', ':', 'T', ' ', '/']);
    let mut whole = |range: std::ops::RangeInclusive<u32>| -> Option<f64> {
        let number: u32 = parts.next()?.parse().ok()?;
        range.contains(&number).then_some(f64::from(number))
    };
    let (year, month, day) = (whole(1970..=2200)?, whole(1..=12)?, whole(1..=31)?);
    let (hour, minute) = (whole(0..=23)?, whole(0..=59)?);
    let second: f64 = parts.next().map_or(Some(0.0), number).filter(|s| (0.0..61.0).contains(s))?;
    // days of the Gregorian calendar, years beginning in March
    let (y, m) = if month > 2.0 { (year, month - 3.0) } else { (year - 1.0, month + 9.0) };
    let leaps = (y / 4.0).floor() - (y / 100.0).floor() + (y / 400.0).floor();
    let days = 365.0 * y + leaps + ((153.0 * m + 2.0) / 5.0).floor() + day;
    Some(((days * 24.0 + hour) * 60.0 + minute) * 60.0 + second)
}

/// A text of others for a message: short, without control characters.
fn shown(text: &str) -> String {
    let short: String = text.chars().take(80).collect();
    short.escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn rates(text: &str) -> Result<Recorded, Wrong> {
        read("a.csv", text.as_bytes(), Wanted::Rate, Columns::default())
    }

    fn steps(list: &[(f64, f64)]) -> Result<Recorded, Wrong> {
        Ok(Recorded::Steps(list.to_vec()))
    }

    #[test]
    fn layouts_of_published_data_sets() {
        // Pensieve: seconds and Mbit/s, without names
        assert_eq!(rates("0.5 4.0\n1.5\t2.5\n"), steps(&[(0.0, 4e6), (1.0, 2.5e6)]));
        assert_eq!(rates("# by hand\n\n3,1\n4,0\n"), steps(&[(0.0, 1e6), (1.0, 0.0)]));
        // FCC: 1 MB/s are 8 Mbit/s
        let fcc = "unit_id,dtime,target,bytes_sec\n7,2016-07-01 00:00:05,x,1000000\n\
                   7,2016-07-01 00:00:10,x,500000\n";
        assert_eq!(rates(fcc), steps(&[(0.0, 8e6), (5.0, 4e6)]));
        // Irish 5G: kbit/s, several lines in a second, missing values
        let irish = "Timestamp,Longitude,DL_bitrate,UL_bitrate\n\
                     2019.12.31_23.59.59,-8.4,1000,5\n2019.12.31_23.59.59,-8.4,9,5\n\
                     2020.01.01_00.00.00,-8.4,-,5\n2020.01.01_00.00.01,-8.4,2000,5\n";
        assert_eq!(rates(irish), steps(&[(0.0, 1e6), (2.0, 2e6)]));
        let lumos = "run_num,seq_num,latitude,Throughput\n1,0,44.9,512\n1,1,44.9,768.5\n";
        assert_eq!(rates(lumos), steps(&[(0.0, 512e6), (1.0, 768.5e6)]));
        let millis = "timestamp_ms;downlink_mbps\n1700000000000;100\n1700000015000;50\n";
        assert_eq!(rates(millis), steps(&[(0.0, 1e8), (15.0, 5e7)]));
    }

    #[test]
    fn columns_that_were_named() {
        let text = "a,b,c\n10,5,7\n20,6,8\n";
        let (message, help) = rates(text).unwrap_err();
        assert!(message.contains("columns: a, b, c") && help.contains("columns ="), "{message}");
        let columns = Columns { time: Some("a ms"), value: Some("3 kbit/s") };
        let own = read("a.csv", text.as_bytes(), Wanted::Rate, columns);
        assert_eq!(own, steps(&[(0.0, 7e3), (0.01, 8e3)]));
        let own = read("a", b"0 10\n1 20.5", Wanted::Delay, Columns::default());
        assert_eq!(own, steps(&[(0.0, 0.01), (1.0, 0.0205)]));
        let columns = Columns { time: Some("a"), value: Some("d") };
        assert!(read("a", text.as_bytes(), Wanted::Rate, columns).unwrap_err().0.contains("`d`"));
    }

    #[test]
    fn opportunities_with_comments_blank_lines_and_gzip() {
        let text = "# Verizon\n\n0\n3\r\n3\n# later\n7\n";
        let expected = Ok(Recorded::Opportunities(vec![0, 3, 3, 7]));
        assert_eq!(rates(text), expected);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text.as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        assert_eq!(read("a.gz", &packed, Wanted::Rate, Columns::default()), expected);
        let cut = &packed[..packed.len() - 9];
        assert!(read("a.gz", cut, Wanted::Rate, Columns::default()).is_err());
    }

    /// Every mistake names the line or what the file seems to be.
    #[test]
    fn damaged_files_have_one_clear_error() {
        for (bytes, word) in [
            (&b""[..], "no duration"),
            (b"\n# nothing\n", "no duration"),
            (b"0\n", "no duration"),
            (b"5\n4\n", "line 2: 4 ms after 5 ms"),
            (b"1\n3000000000000\n", "line 2: 3000000000000 ms is too late"),
            (b"1\nx\n", "line 2: expected a whole number of milliseconds, found `x`"),
            (b"1,2\n2,-3\n", "line 2: expected a value, found `-3`"),
            (b"1,2\n2,1e999\n", "line 2: expected a value"),
            (b"1,2\n2,inf\n", "line 2: expected a value, found `inf`"),
            (b"1,2\nx,3\n", "line 2: expected a time, found `x`"),
            (b"2,1\n1,2\n", "line 2: -1 s after 0 s"),
            (b"0,1\n1e300,2\n", "a time of"),
            (b"\xff\xfe\x00", "binary"),
            (b"\xd4\xc3\xb2\xa1 capture", "a packet capture"),
            (b"{\"start\":{},\"intervals\":[]}", "tusker diagnose"),
            (b"[dumbbell]\nrate = \"1Mbit\"\n", "a scenario, which `tusker run` takes"),
            (b"hello\n", "another text"),
        ] {
            let wrong = read("a", bytes, Wanted::Rate, Columns::default()).unwrap_err();
            assert!(wrong.0.contains(word) && !wrong.1.is_empty(), "{wrong:?}: {word}");
        }
        // much from little
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        (0..65).for_each(|_| packed.write_all(&vec![b'1'; 1 << 20]).unwrap());
        let packed = packed.finish().unwrap();
        let wrong = read("a", &packed, Wanted::Rate, Columns::default()).unwrap_err();
        assert!(wrong.0.contains("more than 64 MiB"), "{wrong:?}");
    }
}
