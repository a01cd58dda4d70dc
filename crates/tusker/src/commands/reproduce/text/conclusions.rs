//! What a paper concludes, and whether it stands.

use tusker_papers::claims::Verdict;
use tusker_papers::conclusions::{ConclusionResult, Standing};

use super::{begins_coloured, wrapped};
use crate::screen::{Mood, bold};

const INDENT: &str = "               ";

/// Those whose rows were all run here; nothing if there is none.
pub fn of_these_runs(all: &[ConclusionResult]) -> String {
    let judged: Vec<&ConclusionResult> =
        all.iter().filter(|one| one.here != Verdict::Open).collect();
    if judged.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{}\n", bold("Conclusions, by what was recorded beside the paper"));
    for one in judged {
        let here = format!("; these runs by themselves: {}", one.here.text());
        text += &lines(one, &here);
    }
    text + &not_asked(all) + "\n"
}

/// The readings that nobody tried for any of them.
fn not_asked(all: &[ConclusionResult]) -> String {
    let Some(first) = all.first().filter(|one| !one.not_asked.is_empty()) else {
        return String::new();
    };
    let names = first.not_asked.join(", ");
    let told = format!("{names}; --readings says what each means");
    format!("\n{}", wrapped("other readings of the text, not tried for conclusions: ", &told, "  "))
}

/// All of them.
pub fn all(all: &[ConclusionResult]) -> String {
    let mut text = format!("{}\n", bold("Conclusions"));
    for one in all {
        text += &lines(one, "");
    }
    text + &not_asked(all)
}

fn lines(one: &ConclusionResult, here: &str) -> String {
    let standing = one.standing.text();
    let first = wrapped(&format!("{standing:<13}  "), &one.says, INDENT);
    let mood = match one.standing {
        Standing::Stands => Some(Mood::Good),
        Standing::Depends => Some(Mood::Mixed),
        Standing::Fails => Some(Mood::Bad),
        Standing::Open => None,
    };
    let mut text = format!("\n{}", begins_coloured(&first, standing, mood));
    if !one.depends_on.is_empty() && one.standing == Standing::Depends {
        text += &wrapped(INDENT, &format!("on {}", one.depends_on.join("; ")), INDENT);
    }
    if let Some(margin) = &one.margin {
        text += &wrapped(INDENT, &format!("margin: {}", margin.text()), INDENT);
    }
    text + &wrapped(INDENT, &format!("run: {}{here}", one.runs()), INDENT)
}
