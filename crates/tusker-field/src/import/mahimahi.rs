//! Lines of Mahimahi's shells: `mm-delay 40 mm-loss uplink 0.01 mm-link up.trace down.trace`.

use tusker_core::Duration;
use tusker_scenario::Limit;

use super::{Difference, Path, short, words};
use crate::Mistake;

/// The shells, one within the other: delays add up.
pub(super) fn path(text: &str, upload: bool) -> Result<Path, Mistake> {
    let mut path =
        Path { title: short(text.lines().next().unwrap_or_default()), ..Path::default() };
    let wrong = |message: String, help: &str| Err(Mistake::new(message, help));
    let words = words(text);
    let mut words = words.iter().copied().peekable();
    let mut milliseconds = 0.0;
    let mut delivered = [1.0, 1.0];
    while let Some(word) = words.next() {
        match word.rsplit('/').next().unwrap_or(word) {
            "mm-delay" => match words.next().map(str::parse::<u32>) {
                Some(Ok(ms @ 0..=100_000)) => milliseconds += f64::from(ms),
                _ => {
                    return wrong(
                        "mm-delay: which delay?".into(),
                        "expected mm-delay MILLISECONDS",
                    );
                }
            },
            "mm-loss" => {
                let direction = words.next().unwrap_or_default();
                let up = match direction {
                    "uplink" => true,
                    "downlink" => false,
                    other => {
                        let message = format!("mm-loss: `{}` is no direction", short(other));
                        return wrong(message, "expected mm-loss uplink|downlink SHARE");
                    }
                };
                let Some(Ok(share @ 0.0..1.0)) = words.next().map(str::parse::<f64>) else {
                    return wrong(
                        format!("mm-loss {direction}: which share?"),
                        "expected a share from 0 to below 1, such as 0.01",
                    );
                };
                delivered[usize::from(up != upload)] *= 1.0 - share;
            }
            "mm-link" => link(&mut path, &mut words, upload)?,
            "--" => break,
            other if other.starts_with("mm-") => {
                let message = format!("`{}` is not known", short(other));
                return wrong(message, "known: mm-delay, mm-loss, mm-link");
            }
            // the command that runs within
            _ => break,
        }
    }
    let command: Vec<&str> = words.collect();
    if !command.is_empty() {
        path.differences
            .push(Difference::LeftOut(format!("the command {}", short(&command.join(" ")))));
    }
    path.delay = Some(Duration::from_secs(milliseconds / 1e3));
    for (key, delivered) in ["dumbbell", "dumbbell.reverse"].iter().zip(delivered) {
        if delivered < 1.0 {
            // as it was written, without what multiplying adds
            let loss = ((1.0 - delivered) * 1e12).round() / 1e12;
            path.sets.push(format!("{key}.loss={loss}"));
        }
    }
    Ok(path)
}

/// `mm-link UP DOWN` with options.
fn link<'a>(
    path: &mut Path,
    words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
    upload: bool,
) -> Result<(), Mistake> {
    let mut files: Vec<String> = Vec::new();
    // policy and limit, up and down
    let mut queues: [(Option<String>, Option<Limit>); 2] = Default::default();
    loop {
        let next = match words.peek() {
            Some(word) if word.starts_with("--") && *word != "--" => *word,
            Some(word) if files.len() < 2 && *word != "--" => *word,
            _ => break,
        };
        words.next();
        if !next.starts_with("--") {
            files.push(next.to_owned());
            continue;
        }
        let (key, value) = next.split_once('=').unwrap_or((next, ""));
        let up = key.starts_with("--uplink");
        let queue = &mut queues[usize::from(!up)];
        match key {
            "--uplink-queue" | "--downlink-queue" => match value {
                "infinite" => {}
                "droptail" | "codel" | "pie" => queue.0 = Some(value.to_owned()),
                other => {
                    let message = format!("mm-link: the queue `{}` is not known", short(other));
                    let help = "known: infinite, droptail, codel, pie; drophead is not simulated";
                    return Err(Mistake::new(message, help));
                }
            },
            "--uplink-queue-args" | "--downlink-queue-args" => {
                for part in value.split(',').map(|part| part.trim_matches(['"', '\''])) {
                    let number = part.split_once('=').and_then(|(_, n)| n.parse::<u64>().ok());
                    let limit = match (part.split('=').next(), number) {
                        (Some("packets"), Some(n @ 1..)) => Limit::Packets(n),
                        (Some("bytes"), Some(n @ 1..)) => Limit::Bytes(n),
                        (Some("target" | "interval" | "qdelay_ref" | "max_burst"), Some(_)) => {
                            path.differences.push(Difference::LeftOut(format!("{key} {part}")));
                            continue;
                        }
                        _ => {
                            let message = format!("mm-link: {key}: `{}`", short(part));
                            let help = "expected packets=N or bytes=N";
                            return Err(Mistake::new(message, help));
                        }
                    };
                    queue.1 = Some(limit);
                }
            }
            "--uplink-log"
            | "--downlink-log"
            | "--meter-uplink"
            | "--meter-downlink"
            | "--meter-uplink-delay"
            | "--meter-downlink-delay"
            | "--meter-all"
            | "--once" => {
                if key == "--once" {
                    path.differences.push(Difference::LeftOut("--once: traces repeat".to_owned()));
                }
            }
            other => {
                let message = format!("mm-link: `{}` is not known", short(other));
                let help = "known: --uplink-queue, --uplink-queue-args, and those of downlink";
                return Err(Mistake::new(message, help));
            }
        }
    }
    let Ok([up, down]) = <[String; 2]>::try_from(files) else {
        return Err(Mistake::new("mm-link: which traces?", "expected mm-link UPLINK DOWNLINK"));
    };
    if path.traces.is_some() {
        return Err(Mistake::new("mm-link within mm-link", "import one of them"));
    }
    let [up_queue, down_queue] = queues;
    let (data, back, queue, other) =
        if upload { (up, down, up_queue, down_queue) } else { (down, up, down_queue, up_queue) };
    path.traces = Some((data, back));
    (path.policy, path.limit) = queue;
    if path.policy.is_some() {
        path.limit.get_or_insert(Limit::Unlimited);
    }
    if let Some(limit) = other.1 {
        let limit = tusker_scenario::Written::write(&limit);
        path.sets.push(format!("dumbbell.reverse.queue={limit}"));
    }
    Ok(())
}
