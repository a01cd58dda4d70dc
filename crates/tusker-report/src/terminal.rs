//! A page in lines for a terminal: the answer, its table as far as there is room for its
//! columns, and with [`Detail::All`] everything else; notes and commands to type next apart
//! from these, because they go to stderr.
//!
//! Meanings are written with [`CODE`] for the escape character, which the command line turns
//! into colours where they are wanted. Control characters of texts are shown, not sent.

use tusker_measure::table::{self, CODE, Fitted, counted, fold};
use tusker_scenario::shown;

use crate::page::{Block, Line, Meaning, Page, Row, Section, Span, Step, Table};

/// How much of a page is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The table, and notes that make it doubtful.
    Quiet,
    /// The answer, its table, and three notes at most.
    #[default]
    Short,
    /// Everything.
    All,
}

/// Where a page is shown.
#[derive(Clone, Debug, Default)]
pub struct Terminal {
    /// Columns, if there is a limit.
    pub columns: Option<usize>,
    /// Rows of a table, if there is a limit.
    pub rows: Option<usize>,
    /// How much is shown.
    pub detail: Detail,
    /// Tables are shown with all columns and rows, whatever the limits.
    pub wide: bool,
}

/// Notes that are shown unless everything is.
const NOTES: usize = 3;

/// What a note begins with.
const NOTE: &str = "note:";

/// The lines for stdout.
pub fn text(page: &Page, terminal: &Terminal) -> String {
    let mut parts: Vec<String> = Vec::new();
    let quiet = terminal.detail == Detail::Quiet && page.table.is_some();
    let lead: Vec<Line> = vec![vec![Span::muted(&*page.lead)]];
    let lead = lead.iter().filter(|_| !page.lead.is_empty());
    let answer: String = page.answer.iter().chain(lead).map(|own| line(own, terminal)).collect();
    if !answer.is_empty() && !quiet {
        parts.push(answer);
    }
    parts.extend(page.table.as_ref().map(|table| terminal.table(table)));
    parts.extend(more(page, terminal));
    if terminal.detail == Detail::All {
        parts.extend(page.sections.iter().map(|section| terminal.section(section)));
    }
    parts.join("\n")
}

/// The notes, what is to be known of the work, and the commands to type next, for stderr, a
/// paragraph each; `program` is how the program was called.
pub fn talk(page: &Page, terminal: &Terminal, program: &str) -> Vec<String> {
    let mut lines = notes(page, terminal);
    let quiet = terminal.detail == Detail::Quiet;
    let work = page.work.iter().filter(|own| own.doubt || !quiet);
    lines.extend(work.map(|own| hanging(&safe(&own.text), NOTE, terminal.columns)));
    if !quiet {
        lines.extend(next(&page.next, program));
    }
    lines
}

/// What was asked for besides the answer, alone: for stderr where stdout is for a program.
pub fn more(page: &Page, terminal: &Terminal) -> Vec<String> {
    page.more.iter().map(|section| terminal.section(section)).collect()
}

/// The notes, for stderr, a paragraph each.
pub fn notes(page: &Page, terminal: &Terminal) -> Vec<String> {
    let quiet = terminal.detail == Detail::Quiet;
    let told = page.notes.iter().filter(|note| note.doubt || !quiet).collect::<Vec<_>>();
    let most = if terminal.detail == Detail::Short { NOTES } else { usize::MAX };
    let head = mark(NOTE, Meaning::Mixed);
    let note = |text: &str| {
        let text = hanging(&format!("{NOTE} {}", safe(text)), NOTE, terminal.columns);
        format!("{head}{}", &text[NOTE.len()..])
    };
    let mut lines: Vec<String> = told.iter().take(most).map(|own| note(&own.text)).collect();
    if told.len() > most {
        let more = counted((told.len() - most) as u128, "more note");
        lines.push(mark(&format!("{more}; --explain shows all"), Meaning::Muted));
    }
    lines
}

impl Terminal {
    /// A table with its caption, as far as there is room.
    fn table(&self, own: &Table) -> String {
        let rows = self.rows.filter(|_| !self.wide).unwrap_or(usize::MAX);
        let heads = own.columns.iter().map(|column| column.head.clone());
        let ranks = own.columns.iter().map(|column| column.rank);
        let mut text = table::Table::new(heads).bold_head().keys(own.keys).ranks(ranks);
        if own.words {
            text = text.left();
        }
        for Row { cells, .. } in own.rows.iter().take(rows) {
            text.row(cells.iter().map(span));
        }
        let columns = self.columns.filter(|_| !self.wide);
        let more = match own.rows.len().saturating_sub(rows) {
            0 => String::new(),
            more => {
                let more = counted(more as u128, "more row");
                let more = format!("and {more}; a file or a pipe (| less -S) gets all");
                mark(&more, Meaning::Muted) + "\n"
            }
        };
        fit(&text, columns) + &more
    }

    fn section(&self, section: &Section) -> String {
        let title = self.paragraph(&section.title, "");
        let title = mark(title.trim_end(), Meaning::Strong);
        let title = (!section.title.is_empty()).then(|| format!("{title}\n"));
        let blocks = section.blocks.iter().filter_map(|block| self.block(block));
        title.into_iter().chain(blocks).collect::<Vec<_>>().join("\n")
    }

    fn block(&self, block: &Block) -> Option<String> {
        Some(match block {
            Block::Text(text) => self.paragraph(text, ""),
            Block::Warning(text) => mark(NOTE, Meaning::Mixed) + " " + &self.paragraph(text, ""),
            Block::Commands(all) => {
                let line = |own: &String| format!("    {}", safe(own)).trim_end().to_owned() + "\n";
                all.iter().map(line).collect()
            }
            Block::Live(live) => format!("    {}\n", safe(&live.command)),
            Block::Facts(facts) => {
                let fact =
                    |(name, value): &(String, String)| self.paragraph(value, &format!("{name}: "));
                facts.iter().map(fact).collect()
            }
            Block::Fold(title, text) => format!("{}\n{}\n", safe(title), safe(text.trim_end())),
            Block::FoldedTable(own) | Block::Table(own) => self.captioned(own),
            Block::Figure(_) => return None,
            Block::More(title, blocks) => {
                let blocks: Vec<String> = blocks.iter().filter_map(|own| self.block(own)).collect();
                format!("{}\n{}", safe(title), blocks.join("\n"))
            }
        })
    }

    fn captioned(&self, own: &Table) -> String {
        match own.caption.is_empty() {
            true => self.table(own),
            false => {
                format!("{}\n{}", self.paragraph(&own.caption, "").trim_end(), self.table(own))
            }
        }
    }

    /// A paragraph after `head`. Lines that begin with a dash are items, which go on below
    /// their text.
    fn paragraph(&self, text: &str, head: &str) -> String {
        hanging(&safe(&format!("{head}{text}")), "-", self.columns) + "\n"
    }
}

/// The commands with what they are good for beside them, as a comment of a shell, or below
/// where that would be wider than a terminal: a path cannot be folded.
pub fn next(steps: &[Step], program: &str) -> Vec<String> {
    const ROOM: usize = 80 - "next: ".len();
    let command = |step: &Step| format!("{program} {}", safe(&step.command));
    let wide = steps.iter().map(|step| command(step).chars().count()).max().unwrap_or(0);
    let fits = |step: &Step| wide + "  # ".len() + step.what.chars().count() <= ROOM;
    let beside = steps.iter().all(fits);
    let lines = steps.iter().flat_map(|step| match beside {
        true => vec![format!("{:wide$}  # {}", command(step), step.what)],
        false => vec![command(step), format!("    # {}", step.what)],
    });
    let head = mark("next:", Meaning::Strong);
    let heads = std::iter::once(head.as_str()).chain(std::iter::repeat("     "));
    heads.zip(lines).map(|(head, line)| format!("{head} {line}")).collect()
}

fn line(spans: &Line, terminal: &Terminal) -> String {
    let text: String = spans.iter().map(span).collect();
    match terminal.columns {
        // the codes of a span go along with its words
        Some(columns) if !spans.is_empty() => fold(&text, columns).join("\n") + "\n",
        _ => text + "\n",
    }
}

fn span(span: &Span) -> String {
    mark(&safe(&span.text), span.meaning)
}

/// Without anything that acts on a terminal.
fn safe(text: &str) -> String {
    shown(text).replace(CODE, &char::REPLACEMENT_CHARACTER.to_string())
}

fn mark(text: &str, meaning: Meaning) -> String {
    let code = match meaning {
        Meaning::Plain | Meaning::Vague => return text.to_owned(),
        Meaning::Strong => 1,
        Meaning::Muted => 2,
        Meaning::Bad => 31,
        Meaning::Good => 32,
        Meaning::Mixed => 33,
    };
    format!("{CODE}[{code}m{text}{CODE}[0m")
}

/// A table with the columns that there is room for; a line below names the others.
pub fn fit(table: &table::Table, columns: Option<usize>) -> String {
    let Fitted { text, hidden } = table.fit(columns);
    if hidden.is_empty() {
        return text;
    }
    let count = format!("{} hidden", counted(hidden.len() as u128, "column"));
    let named = format!("{count} ({}); --wide shows all", hidden.join(", "));
    let fits = named.chars().count() <= columns.unwrap_or(usize::MAX);
    let line = if fits { named } else { format!("{count}; --wide shows all") };
    format!("{text}{}\n", mark(&line, Meaning::Muted))
}

/// Lines that are broken where they do not fit. What they go on with stands as far to the
/// right as they do, and after `head` as far as its text.
pub fn hanging(text: &str, head: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns else { return text.to_owned() };
    let broken = |line: &str| {
        let own = line.len() - line.trim_start().len();
        let indent = if line.starts_with(head) { head.len() + 1 } else { own };
        // what is as wide as the screen and more has no room to hang in
        let room = columns.saturating_sub(indent).max(20);
        let begin = " ".repeat(indent);
        if line.chars().count() <= columns {
            return line.to_owned();
        }
        let (kept, rest) = line.split_at(indent);
        let rest = fold(rest, room).join(&format!("\n{begin}"));
        format!("{kept}{rest}")
    };
    text.split('\n').map(broken).collect::<Vec<String>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Note;

    /// As it is seen without colours.
    fn plain(text: &str) -> String {
        ["[0m", "[1m", "[2m", "[31m", "[32m", "[33m"]
            .iter()
            .fold(text.to_owned(), |text, code| text.replace(&format!("{CODE}{code}"), ""))
    }

    fn page() -> Page {
        let mut table = Table::new("Runs", ["cc", "throughput", "RTT p95", "loss"]);
        table = table.spare(&["RTT p95", "loss"]);
        table.row(None, ["reno", "96.2 Mbit/s", "62.4 ms", "0 %"]);
        table.row(
            None,
            [Span::from("hstcp"), Span::good("99.7 Mbit/s"), "74.5 ms".into(), "0.011 %".into()],
        );
        let mut page = Page {
            title: "Two".to_owned(),
            lead: "one run, seed 1".to_owned(),
            answer: vec![vec![Span::strong("hstcp"), " has the higher throughput".into()]],
            table: Some(table.clone()),
            next: vec![Step::new("report a --list", "figures"), Step::new("sweep a", "more")],
            ..Page::default()
        };
        page.note("it is short");
        page.doubt("it is too short to say anything about the long run");
        page.note("third");
        page.note("fourth");
        page.section(
            "What was run",
            vec![
                Block::Facts(vec![("Seeds".to_owned(), "1, 2".to_owned())]),
                Block::Text("A sentence.".to_owned()),
                Block::Warning("A warning.".to_owned()),
            ],
        );
        page
    }

    #[test]
    fn the_answer_comes_first_and_then_one_table_that_fits() {
        let wide = Terminal { columns: Some(60), ..Terminal::default() };
        let expected = "\
hstcp has the higher throughput
one run, seed 1

cc      throughput  RTT p95     loss
reno   96.2 Mbit/s  62.4 ms      0 %
hstcp  99.7 Mbit/s  74.5 ms  0.011 %
";
        assert_eq!(plain(&text(&page(), &wide)), expected);
        let narrow = Terminal { columns: Some(28), ..Terminal::default() };
        let expected = "\
hstcp has the higher
throughput
one run, seed 1

cc      throughput     loss
reno   96.2 Mbit/s      0 %
hstcp  99.7 Mbit/s  0.011 %
1 column hidden; --wide shows all
";
        assert_eq!(plain(&text(&page(), &narrow)), expected);
        let one = Terminal { rows: Some(1), ..Terminal::default() };
        let shown = plain(&text(&page(), &one));
        assert!(shown.ends_with("and 1 more row; a file or a pipe (| less -S) gets all\n"));
    }

    #[test]
    fn everything_is_shown_with_all_columns_and_nothing_but_data_to_the_quiet() {
        let all = Terminal { columns: Some(28), detail: Detail::All, wide: true, rows: Some(1) };
        let expected = "\
hstcp has the higher
throughput
one run, seed 1

cc      throughput  RTT p95     loss
reno   96.2 Mbit/s  62.4 ms      0 %
hstcp  99.7 Mbit/s  74.5 ms  0.011 %

What was run

Seeds: 1, 2

A sentence.

note: A warning.
";
        assert_eq!(plain(&text(&page(), &all)), expected);
        let quiet = Terminal { detail: Detail::Quiet, ..Terminal::default() };
        assert!(plain(&text(&page(), &quiet)).starts_with("cc  "));
        let doubt = "note: it is too short to say anything about the long run";
        assert_eq!(
            talk(&page(), &quiet, "tusker").iter().map(|own| plain(own)).collect::<Vec<_>>(),
            [doubt]
        );
    }

    #[test]
    fn what_was_asked_for_is_shown_with_the_answer_and_the_work_with_the_notes() {
        let mut page = page();
        let mut table = Table::new("", ["buffer where jain > 0.9"]);
        table.row(None, ["1bdp or more"]);
        page.more.push(Section { blocks: vec![Block::Table(table)], ..Section::default() });
        let short = Terminal::default();
        let end = "0.011 %\n\nbuffer where jain > 0.9\n1bdp or more\n";
        assert!(plain(&text(&page, &short)).ends_with(end), "{}", plain(&text(&page, &short)));
        assert_eq!(more(&page, &short).len(), 1);
        page.work("it took 3 s");
        page.work.push(Note { text: "2 of 3 are done".to_owned(), doubt: true });
        let told = |detail| {
            let lines = talk(&page, &Terminal { detail, ..Terminal::default() }, "tusker");
            lines.iter().map(|own| plain(own)).collect::<Vec<_>>()
        };
        assert_eq!(told(Detail::Short)[4..6], ["it took 3 s", "2 of 3 are done"]);
        assert!(told(Detail::Short)[6].starts_with("next: "));
        assert_eq!(told(Detail::Quiet)[1..], ["2 of 3 are done"]);
    }

    #[test]
    fn three_notes_are_told_and_then_what_to_type_next() {
        let terminal = Terminal { columns: Some(40), ..Terminal::default() };
        let lines: Vec<String> =
            talk(&page(), &terminal, "tusker").iter().map(|own| plain(own)).collect();
        let expected = [
            "note: it is short",
            "note: it is too short to say anything\n      about the long run",
            "note: third",
            "1 more note; --explain shows all",
            "next: tusker report a --list  # figures",
            "      tusker sweep a          # more",
        ];
        assert_eq!(lines, expected);
        let all = Terminal { detail: Detail::All, ..terminal };
        assert_eq!(talk(&page(), &all, "tusker").len(), 6);
        assert_eq!(plain(&talk(&page(), &all, "tusker")[3]), "note: fourth");
    }

    #[test]
    fn what_a_command_is_for_moves_below_where_the_line_would_be_too_long() {
        let steps = [Step::new("report a --list", "figures"), Step::new("sweep a", "more")];
        let lines =
            |program: &str| next(&steps, program).iter().map(|own| plain(own)).collect::<Vec<_>>();
        // "next: " + 47 + " report a --list" + "  # " + "figures" are 80
        let program = "p".repeat(47);
        assert_eq!(lines(&program).len(), 2);
        let below = lines(&format!("{program}p"));
        assert_eq!(
            below[1..],
            ["          # figures", &format!("      {program}p sweep a"), "          # more"]
        );
    }

    #[test]
    fn control_characters_are_shown_and_not_sent() {
        let mut table = Table::new("t", ["a"]);
        table.row(None, [format!("x\u{1b}[2J{CODE}[2J")]);
        let answer = vec![vec![format!("\u{9b}31m{CODE}[31m").into()]];
        let page = Page { answer, table: Some(table), ..Page::default() };
        let shown = text(&page, &Terminal::default());
        assert_eq!(plain(&shown), "\\u{9b}31m\u{fffd}[31m\n\na\nx\\u{1b}[2J\u{fffd}[2J\n");
    }

    #[test]
    fn what_is_hidden_is_named_if_there_is_room_to() {
        let mut own = table::Table::new(["link", "utilisation", "synchronisation"]).keys(1);
        own.row(["R1->R2", "1", "2"]);
        let fit = |own: &table::Table, columns| plain(&fit(own, columns));
        assert_eq!(fit(&own, None), own.to_string());
        // 6 + 2 + 11 + 2 + 15 = 36
        assert_eq!(fit(&own, Some(36)), own.to_string());
        let one = "link    utilisation\nR1->R2            1\n1 column hidden; --wide shows all\n";
        assert_eq!(fit(&own, Some(35)), one);
        let two = "link\nR1->R2\n2 columns hidden; --wide shows all\n";
        assert_eq!(fit(&own, Some(18)), two);
        let mut own = table::Table::new(["a".repeat(60), "p5".to_owned()]);
        own.row(["x", "1"]);
        let text = fit(&own, Some(61));
        assert!(text.ends_with("\n1 column hidden (p5); --wide shows all\n"), "{text}");
    }

    #[test]
    fn messages_are_broken_between_words_and_go_on_below_their_text() {
        let text = "note: aaaa bbbb cccc dddd eeee ffff\n      gggg";
        // 26 columns, six of them before the text
        let broken = "note: aaaa bbbb cccc dddd\n      eeee ffff\n      gggg";
        assert_eq!(hanging(text, "note:", Some(26)), broken);
        assert_eq!(hanging(text, "note:", Some(80)), text);
        let path = format!("results are in {}", "x".repeat(40));
        let broken = format!("results are in\n{}", "x".repeat(40));
        assert_eq!(hanging(&path, "note:", Some(26)), broken);
    }
}
