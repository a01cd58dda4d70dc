//! Finds claims by the names that `--claim` takes: ids, and tests written by the user.

use tusker_lab::suite::claims::{self, Claim};

use crate::model::Conclusion;
use crate::paper::{Error, Paper};

/// What the sentence of a test of one's own is.
pub const OWN_TEST: &str = "your own test";

/// Names that are listed in an error.
const SHOWN: usize = 8;

/// What one name stands for.
#[derive(Clone, Debug)]
pub struct Named {
    /// The conclusion, if it is one.
    pub conclusion: Option<Conclusion>,
    /// The claim, or those of the conclusion.
    pub claims: Vec<Claim>,
}

impl Named {
    fn claim(claim: &Claim) -> Self {
        Self { conclusion: None, claims: vec![claim.clone()] }
    }
}

/// With the signs that tests are written with in place of those of print.
fn with_plain_signs(text: &str) -> String {
    const ALIKE: [(char, &str); 5] = [('≤', "<="), ('≥', ">="), ('−', "-"), ('×', "*"), ('·', "*")];
    ALIKE.iter().fold(text.to_owned(), |text, (printed, plain)| text.replace(*printed, plain))
}

impl Paper {
    /// The claims that each of these names stands for. A name is an id or a test; one text may have
    /// several, with commas between them.
    ///
    /// # Errors
    /// If there is no such claim, or a test does not fit the paper.
    pub fn claims_named(&self, texts: &[String]) -> Result<Vec<Named>, Error> {
        let mut all = Vec::new();
        for text in texts {
            for name in names(&with_plain_signs(text.trim())) {
                all.push(self.find_named(name)?);
            }
        }
        Ok(all)
    }

    fn find_named(&self, name: &str) -> Result<Named, Error> {
        if name.contains(['<', '>', '=']) {
            return Ok(Named::claim(&self.own_test(name)?));
        }
        if let Some(found) = self.by_id(name) {
            return Ok(found);
        }
        let ids = self.claims.iter().map(|claim| claim.id.as_str());
        let ids = ids.chain(self.conclusions.conclusions.iter().map(|own| own.id.as_str()));
        let key = &self.about.key;
        let list = format!("tusker reproduce {key} --claims lists all of them");
        let help = near(name, ids).map_or(list.clone(), |near| format!("{near}? {list}"));
        let name = if name.is_empty() { "''" } else { name };
        Err(Error::new(format!("--claim {name}"), format!("{key} has no such claim"), help))
    }

    /// A conclusion stands for its claims; one of the same name as a claim has it among them.
    /// `claim:ID` and `conclusion:ID` mean one of the two.
    fn by_id(&self, name: &str) -> Option<Named> {
        let (kind, id) = name.split_once(':').unwrap_or(("", name));
        let claim = self.claims.iter().find(|claim| claim.id == id);
        let conclusion = self.conclusions.conclusions.iter().find(|own| own.id == id);
        match (kind, conclusion) {
            ("claim", _) | ("", None) => claim.map(Named::claim),
            ("conclusion", own) => own.map(|own| self.concluded(own)),
            ("", Some(own)) => {
                let mut found = self.concluded(own);
                if let Some(claim) = claim.filter(|_| !own.claims.iter().any(|name| name == id)) {
                    found.claims.insert(0, claim.clone());
                }
                Some(found)
            }
            _ => None,
        }
    }

    fn concluded(&self, own: &Conclusion) -> Named {
        let claims = own.claims.iter().filter_map(|id| self.claims.iter().find(|c| c.id == *id));
        Named { conclusion: Some(own.clone()), claims: claims.cloned().collect() }
    }

    /// A test in the language of claims.toml, held against every variant.
    fn own_test(&self, test: &str) -> Result<Claim, Error> {
        let wrong =
            |message: String, help: String| Error::new(format!("--claim '{test}'"), message, help);
        let language = || {
            let case = self.cases.cases.first().map_or("1", |case| case.id.as_str());
            let measure = self.about.measures.first().map_or("", |m| m.name.as_str());
            format!(
                "write measure(CASE) > measure(CASE), as in {measure}({case}) > 0.5; the head of \
                 papers/ghstcp/claims.toml has the language"
            )
        };
        let comparison = claims::test(test).map_err(|message| wrong(message, language()))?;
        let cases: Vec<&str> = self.cases.cases.iter().map(|case| case.id.as_str()).collect();
        let variants = self.cases.variant.values.iter().map(|own| own.name.as_str());
        let variants: Vec<&str> = variants.collect();
        let measures: Vec<&str> = self.about.measures.iter().map(|m| m.name.as_str()).collect();
        let check = |what: &str, name: &str, all: &[&str]| {
            if all.contains(&name) {
                return Ok(());
            }
            let near = near(name, all.iter().copied()).map_or(String::new(), |near| near + "? ");
            let help = format!("{near}there are {}", all.join(", "));
            Err(wrong(format!("there is no {what} `{name}`"), help))
        };
        let operands = comparison.measures();
        if operands.is_empty() {
            return Err(wrong("it names no measure of a case".to_owned(), language()));
        }
        for operand in operands {
            check("measure", &operand.measure, &measures)?;
            check("case", operand.case.as_deref().unwrap_or_default(), &cases)?;
            let variant = operand.variant.as_deref();
            variant.map_or(Ok(()), |name| check(&self.cases.variant.name, name, &variants))?;
        }
        let claim = Claim::of_test(test, OWN_TEST);
        let rows: Vec<String> = self.rows().iter().map(crate::rows::Row::id).collect();
        let all = || {
            let shown: Vec<&str> = rows.iter().take(SHOWN).map(String::as_str).collect();
            format!("the rows are {}, ...", shown.join(", "))
        };
        for operand in claim.operands(self).map_err(|message| wrong(message, all()))? {
            if !rows.contains(&operand.row.to_string()) {
                return Err(wrong(format!("there is no row {}", operand.row), all()));
            }
        }
        Ok(claim)
    }
}

/// The names in a text, with commas or semicolons between them; those within parentheses
/// belong to a test.
fn names(text: &str) -> Vec<&str> {
    let (mut open, mut from, mut found) = (0, 0, Vec::new());
    for (at, sign) in text.char_indices() {
        match sign {
            '(' => open += 1,
            ')' => open -= 1,
            ',' | ';' if open == 0 => {
                found.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(text[from..].trim());
    found
}

/// `did you mean NAME`, if one is like it.
fn near<'a>(name: &str, all: impl Iterator<Item = &'a str>) -> Option<String> {
    let like = |own: &&str| strsim::jaro_winkler(own, name);
    let near = all.max_by(|a, b| like(a).total_cmp(&like(b)));
    near.filter(|near| like(near) > 0.7).map(|near| format!("did you mean `{near}`"))
}

#[cfg(test)]
mod tests {
    use miette::Diagnostic;

    use super::*;

    fn ask(text: &str) -> Result<Vec<Named>, Error> {
        Paper::find("ghstcp").unwrap().claims_named(&[text.to_owned()])
    }

    fn ids(text: &str) -> Vec<Vec<String>> {
        let all = ask(text).unwrap().into_iter();
        all.map(|one| one.claims.into_iter().map(|claim| claim.id).collect()).collect()
    }

    #[test]
    fn claims_and_conclusions_have_ids() {
        let fairer = [["case7-fairer-than-4"]];
        assert_eq!(ids("case7-fairer-than-4"), fairer);
        // conclusions.toml: the conclusion has two claims, one of its own name
        let two = ["ghstcp-is-fairer", "case7-s1-gains-greatly"];
        assert_eq!(ids("ghstcp-is-fairer"), [two]);
        let both = ids("case7-fairer-than-4, ghstcp-is-fairer");
        assert_eq!(both, [fairer[0].to_vec(), two.to_vec()]);
    }

    /// conclusions.toml and claims.toml both have this id, and only one has the other two.
    #[test]
    fn each_of_two_with_one_id_has_a_name() {
        let one = |text: &str| ask(text).unwrap().remove(0);
        let claim = one("claim:ghstcp-is-fairer");
        assert!(claim.conclusion.is_none());
        assert_eq!(ids("claim:ghstcp-is-fairer"), [["ghstcp-is-fairer"]]);
        let conclusion = one("conclusion:ghstcp-is-fairer");
        assert!(conclusion.conclusion.is_some());
        assert_eq!(conclusion.claims.len(), 2);
        assert!(ask("conclusion:case7-fairer-than-4").is_err());
    }

    #[test]
    fn a_comparison_is_a_test_of_ones_own() {
        assert_eq!(ids("fairness(7) > fairness(4)"), [["fairness(7) > fairness(4)"]]);
        // commas within parentheses belong to the test
        let test = "max(s1(7), s1(6)) > s1(4)";
        assert_eq!(ids(&format!("{test}, case7-fairer-than-4")).len(), 2);
        // as --claims prints several tests
        assert_eq!(ids(&format!("{test}; s1(7) > s1(4)")).len(), 2);
        let claim = &ask(test).unwrap()[0].claims[0];
        assert!(claim.place.is_empty() && claim.tests == [test]);
    }

    #[test]
    fn a_mistake_has_a_remedy() {
        for (text, part) in [
            ("case7-fairer-then-4", "did you mean `case7-fairer-than-4`? tusker reproduce ghstcp"),
            ("fairnes(7) > fairness(4)", "there is no measure `fairnes`"),
            ("fairness(77) > fairness(4)", "there is no case `77`"),
            ("fairness(7@51) > fairness(4)", "there is no delay `51`"),
            ("fairness(7) >", "expected a number or a measure at the end"),
            ("fairness(7 > fairness(4)", "expected `)` before `>`"),
            ("2 > 1", "it names no measure of a case"),
            ("pigs fly", "ghstcp has no such claim; tusker reproduce ghstcp --claims lists all"),
            ("fairness(7) = fairness(4)", "`=` means nothing"),
        ] {
            let error = ask(text).unwrap_err();
            let all = format!("{error}; {}", error.help().unwrap());
            assert!(all.contains(part), "{text}: {all}");
        }
    }
}
