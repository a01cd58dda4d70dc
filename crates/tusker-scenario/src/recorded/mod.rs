//! Values over time that others recorded: Mahimahi's opportunities, or columns with a time and a
//! value, also packed by gzip.
//!
//! Layouts of published data sets that are recognised, and where they are described:
//!
//! - Pensieve's cooked traces, Oboe, Puffer: seconds and Mbit/s without names
//!   (hongzimao/pensieve, traces/README.md; confiwent/Real-world-bandwidth-traces).
//! - FCC, `curr_webget.csv`: `dtime`, `bytes_sec`; the 2016 files have no names, the time in
//!   column 2 and bytes per second in column 7 (hongzimao/pensieve, traces/fcc).
//! - Ghent 4G: no names; milliseconds since the start, bytes, and the milliseconds in which they
//!   arrived in columns 2, 5 and 6 (hongzimao/pensieve, traces/belgium); Oslo's HSDPA logs are
//!   alike (converters of others: epoch, elapsed ms, latitude, longitude, bytes, interval ms).
//! - Irish 4G and 5G (uccmisl): `Timestamp`, `DL_bitrate` in kbit/s (users of the data; its README
//!   names no columns).
//! - Lumos5G: `run_num`, `seq_num` in seconds, `Throughput` (its README, which names no unit;
//!   Mbit/s: users of the data).
//! - Starlink: WetLinks has `timestamp_start`, `download` in bit/s (its net_iperf.txt);
//!   Satellite-vs-Cellular has `time`, `throughput` in Mbit/s (its README); LENS has `timestamp`
//!   in s or ns, `rtt` in ms, and -1 for a lost packet (its README).
//! - Wi-Fi: Pensieve's home_wifi is published only in Mahimahi's format.

mod columns;
mod seems;

pub use columns::{Columns, Wanted};
pub use seems::Seems;

use std::io::Read;

use columns::{Layout, layout, time_unit};

/// The most bytes that are read of a file, and of what is packed in it.
pub const MAX_FILE: u64 = 64 << 20;

/// The most opportunities that a trace may have; 4 bytes each.
pub(crate) const MAX_OPPORTUNITIES: usize = 10_000_000;

/// The most values over time.
const MAX_STEPS: usize = 70_000;

/// Above this, a rate without a unit is not in Mbit/s.
const MOST_MBITS: f64 = 1e6;

/// A message and the remedy.
type Wrong = (String, String);

/// What was recorded.
#[derive(Clone, Debug, PartialEq)]
pub enum Recorded {
    /// Milliseconds at which a packet can leave, in Mahimahi's format.
    Opportunities(Vec<u32>),
    /// Times in seconds from the first on, and what applies from then on: bits per second, or
    /// seconds.
    Steps(Vec<(f64, f64)>),
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
    columns: &Columns,
) -> Result<Recorded, Wrong> {
    if is_gzip(bytes) {
        return read(name, &unpacked(name, bytes)?, wanted, columns);
    }
    let other = || {
        let expected = match wanted {
            Wanted::Rate => {
                "expected a trace: a line for each packet that can leave with its time in ms \
                 (Mahimahi), or lines such as `1.5,20.3` with seconds and Mbit/s"
            }
            Wanted::Delay | Wanted::Jitter => {
                "expected lines such as `1.5,42` with seconds and milliseconds"
            }
            Wanted::Loss => "expected lines such as `1.5,0.01` with seconds and a share",
        };
        let seems = Seems::of(bytes);
        let remedy = seems.remedy().filter(|_| seems.is_certain() || seems == Seems::Scenario);
        let help = remedy.map_or(expected.to_owned(), |remedy| format!("{remedy}; {expected}"));
        (format!("`{name}` seems to be {}", seems.what()), help)
    };
    let text = std::str::from_utf8(bytes).map_err(|_| other())?;
    let seems = Seems::of(bytes);
    if seems != Seems::Opportunities && (seems.is_certain() || seems == Seems::Scenario) {
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
    if wanted == Wanted::Rate && split(head).len() == 1 && columns.is_empty() {
        if !head.as_bytes()[0].is_ascii_digit() {
            return Err(other());
        }
        return opportunities(name, lines());
    }
    let fields = split(head);
    let named = fields.iter().all(|field| number(field).is_none() && date(field).is_none());
    let names: &[&str] = if named { &fields } else { &[] };
    let Layout { time, value, over, rows } = layout(name, names, &fields, wanted, columns)?;
    let scale = value.scale(wanted);
    // Mbit/s, if nothing else is said
    let per_value = scale.unwrap_or(1e6);
    let per_second = time_unit(time.unit);
    let mut steps: Vec<(f64, f64)> = Vec::new();
    let mut start = None;
    for (n, line) in lines().filter(|(n, _)| !named || *n > first) {
        let wrong = |message: String, help: &str| {
            Err((format!("`{name}`, line {n}: {message}"), help.to_owned()))
        };
        let fields = split(line);
        let at = |place: usize| fields.get(place).copied().unwrap_or_default();
        if rows.is_some_and(|(place, own)| at(place) != own) {
            continue;
        }
        // missing values of data sets
        if ["", "-", "nan", "NaN", "NA", "null"].contains(&at(value.place)) {
            continue;
        }
        // a packet that was lost has no delay
        if matches!(wanted, Wanted::Delay | Wanted::Jitter) && fields.contains(&"-1") {
            continue;
        }
        let stamp = match (number(at(time.place)), date(at(time.place))) {
            (Some(own), _) => own * per_second.unwrap_or_else(|| since_1970(own)),
            (None, Some(own)) => own,
            (None, None) => {
                let message = format!("expected a time, found `{}`", shown(at(time.place)));
                return wrong(message, "seconds, or a date such as 2024-05-01 12:00:00");
            }
        };
        let of_value = number(at(value.place)).filter(|own| *own >= 0.0);
        let Some(own) = of_value.filter(|own| own * per_value < 1e15) else {
            let message = format!("expected a value, found `{}`", shown(at(value.place)));
            return wrong(message, "a number of 0 or more");
        };
        if wanted == Wanted::Rate && scale.is_none() && own > MOST_MBITS {
            let message = format!("{own:e} Mbit/s cannot be a rate");
            return wrong(message, "say the unit: columns = { value = \"COLUMN bit/s\" }");
        }
        let mut own = own * per_value;
        if let Some(over) = over {
            let long = number(at(over.place)).map(|own| own * time_unit(over.unit).unwrap_or(1.0));
            let Some(long) = long.filter(|long| *long >= 0.0) else {
                let message = format!("expected a time, found `{}`", shown(at(over.place)));
                return wrong(message, "the time in which the value arrived");
            };
            // nothing can arrive in no time
            if long == 0.0 {
                continue;
            }
            own /= long;
        }
        let first = *start.get_or_insert(stamp);
        let seconds = stamp - first;
        match steps.last() {
            // several values in one second: the first counts
            Some(&(before, _)) if seconds == before => continue,
            Some(&(before, _)) if seconds < before => {
                let message = format!("{seconds} s after {before} s");
                let help = "times must not decrease; of several runs or units in a file, take \
                            one: columns = { rows = \"COLUMN=VALUE\" }";
                return wrong(message, help);
            }
            _ => {}
        }
        if !(0.0..1e7).contains(&seconds) {
            return wrong(format!("a time of {seconds} s"), "times below 1e7 s");
        }
        if steps.len() >= MAX_STEPS {
            return wrong(format!("more than {MAX_STEPS} values"), "a shorter trace");
        }
        steps.push((seconds, own));
    }
    // a value that goes on is no step
    steps.dedup_by(|next, before| next.1 == before.1);
    match steps.is_empty() {
        true if rows.is_some() => {
            let message = format!("`{name}` has no such rows with values");
            Err((message, "rows = \"COLUMN=VALUE\" keeps those with exactly this value".into()))
        }
        true => Err((format!("`{name}` has no values"), other().1)),
        false => Ok(Recorded::Steps(steps)),
    }
}

/// Seconds of a unit of time without a name: numbers of s, ms, us or ns since 1970 are told
/// apart by their size.
fn since_1970(own: f64) -> f64 {
    match own {
        1e17.. => 1e-9,
        1e14.. => 1e-6,
        1e11.. => 1e-3,
        _ => 1.0,
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
        read("a.csv", text.as_bytes(), Wanted::Rate, &Columns::default())
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
        // the same without names, as in 2016
        let fcc = "7,2016-07-01 00:00:05,x,10.0.0.1,1,1,1000000,9\n\
                   7,2016-07-01 00:00:10,x,10.0.0.1,1,1,500000,9\n";
        assert_eq!(rates(fcc), steps(&[(0.0, 8e6), (5.0, 4e6)]));
        // Ghent: 125,000 bytes in 1 s are 1 Mbit/s, 250,000 in 0.5 s are 4 Mbit/s
        let ghent = "1453121790686 0 51.038 3.733 125000 1000\n\
                     1453121791686 1000 51.038 3.733 250000 500\n";
        assert_eq!(rates(ghent), steps(&[(0.0, 1e6), (1.0, 4e6)]));
        let lumos = "run_num,seq_num,latitude,Throughput\n1,0,44.9,512\n1,1,44.9,768.5\n";
        assert_eq!(rates(lumos), steps(&[(0.0, 512e6), (1.0, 768.5e6)]));
        let millis = "timestamp_ms;downlink_mbps\n1700000000000;100\n1700000015000;50\n";
        assert_eq!(rates(millis), steps(&[(0.0, 1e8), (15.0, 5e7)]));
        // WetLinks: bit/s, which its names do not say
        let wet = "site_name,timestamp_start,download\na,2023-09-28T00:00:00,200000000\n\
                   a,2023-09-28T00:00:15,1.5e8\n";
        let (message, help) = rates(wet).unwrap_err();
        assert!(message.contains("2e8 Mbit/s") && help.contains("bit/s"), "{message}");
        let value = Some("download bit/s".into());
        let columns = Columns { value, ..Columns::default() };
        let own = read("a", wet.as_bytes(), Wanted::Rate, &columns);
        assert_eq!(own, steps(&[(0.0, 2e8), (15.0, 1.5e8)]));
        // LENS: ns, a round trip of 120 ms in two directions, lost packets
        let lens = "timestamp,rtt,uplink,downlink\n1705744800000000000,0,0,-1\n\
                    1705744801000000000,120,72,48\n1705744801500000000,100,52,48\n";
        let read = |columns| read("a", lens.as_bytes(), Wanted::Delay, columns);
        let Ok(Recorded::Steps(own)) = read(&Columns::default()) else { panic!("steps") };
        assert_eq!(own, [(0.0, 0.06), (0.5, 0.05)]);
    }

    #[test]
    fn columns_that_were_named() {
        let text = "a,b,c\n10,5,7\n20,6,8\n";
        let (message, help) = rates(text).unwrap_err();
        assert!(message.contains("columns: a, b, c") && help.contains("columns ="), "{message}");
        let of = |time: &str, value: &str| Columns {
            time: Some(time.into()),
            value: Some(value.into()),
            ..Columns::default()
        };
        let columns = of("a ms", "3 kbit/s");
        let own = read("a.csv", text.as_bytes(), Wanted::Rate, &columns);
        assert_eq!(own, steps(&[(0.0, 7e3), (0.01, 8e3)]));
        let own = read("a", b"0 10\n1 20.5", Wanted::Delay, &Columns::default());
        assert_eq!(own, steps(&[(0.0, 0.01), (1.0, 0.0205)]));
        let columns = of("a", "d");
        assert!(read("a", text.as_bytes(), Wanted::Rate, &columns).unwrap_err().0.contains("`d`"));
        // 5 kB in 40 ms are 1 Mbit/s, 6 kB in 24 ms are 2 Mbit/s
        let columns = Columns { over: Some("over ms".into()), ..of("t", "n kbytes") };
        let text = "t,n,over\n0,5,40\n1,7,0\n2,6,24\n";
        let own = read("a", text.as_bytes(), Wanted::Rate, &columns);
        assert_eq!(own, steps(&[(0.0, 1e6), (2.0, 2e6)]));
        let columns = Columns { rows: Some("run=2".into()), ..Columns::default() };
        let text = "run,time,mbps\n1,0,5\n1,1,6\n2,0,7\n2,3,8\n";
        assert!(rates(text).unwrap_err().1.contains("rows ="));
        let own = read("a", text.as_bytes(), Wanted::Rate, &columns);
        assert_eq!(own, steps(&[(0.0, 7e6), (3.0, 8e6)]));
        let text = "time,loss %,jitter\n0,1,3\n1,50,4\n";
        let own = read("a", text.as_bytes(), Wanted::Loss, &Columns::default());
        assert_eq!(own, steps(&[(0.0, 0.01), (1.0, 0.5)]));
        let own = read("a", text.as_bytes(), Wanted::Jitter, &Columns::default());
        assert_eq!(own, steps(&[(0.0, 0.003), (1.0, 0.004)]));
    }

    #[test]
    fn opportunities_with_comments_blank_lines_and_gzip() {
        let text = "# Verizon\n\n0\n3\r\n3\n# later\n7\n";
        let expected = Ok(Recorded::Opportunities(vec![0, 3, 3, 7]));
        assert_eq!(rates(text), expected);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text.as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        assert_eq!(read("a.gz", &packed, Wanted::Rate, &Columns::default()), expected);
        let cut = &packed[..packed.len() - 9];
        assert!(read("a.gz", cut, Wanted::Rate, &Columns::default()).is_err());
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
            (b"\xff\xff\x00", "binary"),
            (b"\xff\xfe\x00", "UTF-16"),
            (b"# mahimahi mm-link (up)\n0 # 1504\n", "a log of mm-link"),
            (b"Connecting to host a, port 5201\n[  5] 0-1 sec 9 Mbits/sec", "tusker diagnose"),
            (b"\xd4\xc3\xb2\xa1 capture", "a packet capture"),
            (b"{\"start\":{},\"intervals\":[]}", "tusker diagnose"),
            (b"[dumbbell]\nrate = \"1Mbit\"\n", "a scenario: `tusker run FILE`"),
            (b"hello\n", "another text"),
        ] {
            let wrong = read("a", bytes, Wanted::Rate, &Columns::default()).unwrap_err();
            let all = format!("{}: {}", wrong.0, wrong.1);
            assert!(all.contains(word) && !wrong.1.is_empty(), "{wrong:?}: {word}");
        }
        // much from little
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        (0..65).for_each(|_| packed.write_all(&vec![b'1'; 1 << 20]).unwrap());
        let packed = packed.finish().unwrap();
        let wrong = read("a", &packed, Wanted::Rate, &Columns::default()).unwrap_err();
        assert!(wrong.0.contains("more than 64 MiB"), "{wrong:?}");
    }
}
