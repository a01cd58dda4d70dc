//! Verdicts as JUnit XML, which most continuous integration systems display.
//!
//! There is no standard for it; this is what they all read: `testsuites > testsuite > testcase
//! > (failure | skipped)`, with the counts that Jenkins' schema asks for.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use tusker_measure::condition::Verdict;

/// Cases that belong together.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Its name.
    pub name: String,
    /// In the order in which they are shown.
    pub cases: Vec<Case>,
}

/// One thing that was judged.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name within the suite.
    pub name: String,
    /// Whether what it requires holds; what is neither so nor not so was skipped.
    pub verdict: Verdict,
    /// Why not, a line for each reason.
    pub why: Vec<String>,
}

impl Suite {
    fn count(&self, such: fn(Verdict) -> bool) -> usize {
        self.cases.iter().filter(|case| such(case.verdict)).count()
    }
}

fn failed(verdict: Verdict) -> bool {
    verdict == Verdict::DoesNotHold
}

fn skipped(verdict: Verdict) -> bool {
    verdict != Verdict::Holds && !failed(verdict)
}

/// The file.
pub fn xml(suites: &[Suite]) -> Vec<u8> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    document(&mut writer, suites).expect("a list of bytes takes everything");
    let mut text = writer.into_inner();
    text.push(b'\n');
    text
}

fn document(writer: &mut Writer<Vec<u8>>, suites: &[Suite]) -> io::Result<()> {
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let total = |such: fn(Verdict) -> bool| suites.iter().map(|suite| suite.count(such)).sum();
    let attributes = counts("tusker", total(|_| true), total(failed), total(skipped));
    let all = writer.create_element("testsuites").with_attributes(borrowed(&attributes));
    all.write_inner_content(|writer| suites.iter().try_for_each(|own| suite(writer, own)))?;
    Ok(())
}

fn suite(writer: &mut Writer<Vec<u8>>, suite: &Suite) -> io::Result<()> {
    let name = plain(&suite.name);
    let (all, failed) = (suite.cases.len(), suite.count(failed));
    let attributes = counts(&name, all, failed, suite.count(skipped));
    let element = writer.create_element("testsuite").with_attributes(borrowed(&attributes));
    element.write_inner_content(|writer| {
        suite.cases.iter().try_for_each(|own| case(writer, &name, own))
    })?;
    Ok(())
}

fn case(writer: &mut Writer<Vec<u8>>, class: &str, case: &Case) -> io::Result<()> {
    let name = plain(&case.name);
    // without a time: a case is a verdict on an experiment, and 0 s would be no truth
    let element = writer
        .create_element("testcase")
        .with_attributes([("classname", class), ("name", name.as_str())]);
    let message = plain(case.why.first().map_or("", String::as_str));
    match case.verdict {
        Verdict::Holds => element.write_empty()?,
        Verdict::DoesNotHold => element.write_inner_content(|writer| {
            let failure = writer.create_element("failure");
            let failure =
                failure.with_attributes([("message", message.as_str()), ("type", "verdict")]);
            failure.write_text_content(BytesText::new(&plain(&case.why.join("\n"))))?;
            Ok(())
        })?,
        _ => element.write_inner_content(|writer| {
            let skipped = writer.create_element("skipped");
            skipped.with_attribute(("message", message.as_str())).write_empty()?;
            Ok(())
        })?,
    };
    Ok(())
}

fn counts(name: &str, tests: usize, failures: usize, skipped: usize) -> [(&str, String); 5] {
    [
        ("name", name.to_owned()),
        ("tests", tests.to_string()),
        ("failures", failures.to_string()),
        ("errors", "0".to_owned()),
        ("skipped", skipped.to_string()),
    ]
}

fn borrowed<'a>(
    attributes: &'a [(&'a str, String); 5],
) -> impl Iterator<Item = (&'a str, &'a str)> {
    attributes.iter().map(|(key, value)| (*key, value.as_str()))
}

/// Without characters that XML 1.0 cannot have at all, not even escaped.
fn plain(text: &str) -> String {
    let allowed = |c: &char| matches!(c, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
    text.chars().filter(allowed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a reader of another make finds.
    #[test]
    fn a_reader_of_xml_finds_every_name_verdict_and_count() {
        let case = |name: &str, verdict, why| Case { name: name.to_owned(), verdict, why };
        let odd = "a < b & \"c\" > 'd'\u{1b}[1m ±é\u{ffff}";
        let why = vec!["utilisation = 73.45 %".to_owned(), "loss & delay".to_owned()];
        let suites = [
            Suite {
                name: odd.to_owned(),
                cases: vec![
                    case("1@50", Verdict::Holds, Vec::new()),
                    case(odd, Verdict::DoesNotHold, why.clone()),
                    case("2@50", Verdict::Open, vec!["not run".to_owned()]),
                ],
            },
            Suite { name: "empty".to_owned(), cases: Vec::new() },
        ];
        let text = String::from_utf8(xml(&suites)).unwrap();
        let document = roxmltree::Document::parse(&text).unwrap();
        let root = document.root_element();
        assert_eq!(root.tag_name().name(), "testsuites");
        let kept = "a < b & \"c\" > 'd'[1m ±é";
        let counts = |node: &roxmltree::Node<'_, '_>| {
            ["tests", "failures", "errors", "skipped"]
                .map(|key| node.attribute(key).unwrap().parse::<u32>().unwrap())
        };
        assert_eq!(counts(&root), [3, 1, 0, 1]);
        assert!(!text.contains(" time="), "nobody measured how long a verdict took");
        let suites: Vec<_> = root.children().filter(roxmltree::Node::is_element).collect();
        assert_eq!(suites.iter().map(counts).collect::<Vec<_>>(), [[3, 1, 0, 1], [0, 0, 0, 0]]);
        assert_eq!(suites[0].attribute("name"), Some(kept));
        let cases: Vec<_> = suites[0].children().filter(roxmltree::Node::is_element).collect();
        assert_eq!(cases[1].attribute("classname"), Some(kept));
        assert_eq!(cases[1].attribute("name"), Some(kept));
        let failure = cases[1].first_element_child().unwrap();
        assert_eq!(failure.tag_name().name(), "failure");
        assert_eq!(failure.attribute("message"), Some("utilisation = 73.45 %"));
        assert_eq!(failure.text(), Some(why.join("\n").as_str()));
        let skipped = cases[2].first_element_child().unwrap();
        assert_eq!(skipped.attribute("message"), Some("not run"));
        assert!(cases[0].first_element_child().is_none());
    }
}
