//! Checks that the files of a paper agree with each other.

use std::collections::{BTreeMap, BTreeSet};

use super::{CaseId, Error, Paper, wrong};

impl Paper {
    /// Names that become file and folder names contain only safe characters.
    fn check_names(&self, place: &str) -> Result<(), Error> {
        let about = &self.about;
        let figures = about.figures.iter().map(|f| ("suite.toml", "a figure's id", &f.id));
        let tables = about.tables.iter().map(|t| ("suite.toml", "a table's id", &t.id));
        let cases = self.cases.cases.iter();
        let ids = cases.clone().map(|case| ("cases.toml", "a case's id", &case.id));
        let of_cases = cases.map(|case| ("cases.toml", "a case's table", &case.table));
        let variants = self.cases.variant.values.iter();
        let variants = variants.map(|v| ("cases.toml", "a variant's name", &v.name));
        let key = std::iter::once(("suite.toml", "key", &about.key));
        let all = key.chain(figures).chain(tables).chain(ids).chain(of_cases).chain(variants);
        for (file, what, name) in all {
            if !is_plain(name) {
                let name = name.escape_debug();
                let message = format!("{what} is `{name}`, which cannot name a file or folder");
                let help = "use up to 64 letters, digits, - _ + and ., and do not start with .";
                return Err(wrong(place, file, message, help));
            }
        }
        Ok(())
    }

    /// Conclusions use claims and readings that exist.
    fn check_conclusions(&self, place: &str, claims: &BTreeSet<&str>) -> Result<(), Error> {
        let at = |message: String, help: String| wrong(place, "conclusions.toml", message, help);
        let readings: Vec<&str> = self.readings.iter().map(|r| r.name.as_str()).collect();
        for name in &self.conclusions.readings {
            if !readings.contains(&name.as_str()) {
                let help = format!("there are {}", readings.join(", "));
                return Err(at(format!("there is no reading `{name}`"), help));
            }
        }
        let mut ids = BTreeSet::new();
        for one in &self.conclusions.conclusions {
            if !ids.insert(&one.id) {
                let help = "choose another id".to_owned();
                return Err(at(format!("there are two conclusions `{}`", one.id), help));
            }
            let unknown = one.claims.iter().find(|id| !claims.contains(id.as_str()));
            if let Some(id) = unknown.map(String::as_str).or(one.claims.is_empty().then_some("")) {
                let message = format!("conclusion {}: there is no claim `{id}`", one.id);
                let help = "name claims of claims.toml, at least one".to_owned();
                return Err(at(message, help));
            }
        }
        Ok(())
    }

    /// Names that are used exist.
    pub(super) fn check(&self, place: &str) -> Result<(), Error> {
        self.check_names(place)?;
        let measures: BTreeSet<&str> =
            self.about.measures.iter().map(|measure| measure.name.as_str()).collect();
        let exists = |file: &str, used: &str, names: &BTreeSet<&str>| {
            if names.contains(used) {
                return Ok(());
            }
            let all: Vec<&str> = names.iter().copied().collect();
            let help = format!("there are {}", all.join(", "));
            Err(wrong(place, file, format!("there is no `{used}`"), help))
        };
        let variants = self.cases.variant.values.iter().map(|v| v.name.as_str()).collect();
        let names = self.cases.choose.values().flat_map(BTreeMap::keys);
        if let Some(name) = names.into_iter().find(|name| name.contains(',')) {
            let message = format!("`{name}` has a comma, which ends a cell of a table");
            return Err(wrong(place, "cases.toml", message, "choose another name"));
        }
        for case in &self.cases.cases {
            case.at.iter().try_for_each(|name| exists("cases.toml", name, &variants))?;
            for (what, name) in &case.choose {
                let whats = self.cases.choose.keys().map(String::as_str).collect();
                exists("cases.toml", what, &whats)?;
                let names = self.cases.choose[what].keys().map(String::as_str).collect();
                exists("cases.toml", name, &names)?;
            }
        }
        for table in &self.about.tables {
            let tables = self.cases.cases.iter().map(|case| case.table.as_str()).collect();
            exists("suite.toml", &table.id, &tables)?;
            table.show.iter().try_for_each(|name| exists("suite.toml", name, &measures))?;
        }
        self.about.beside.iter().try_for_each(|name| exists("suite.toml", name, &measures))?;
        for measure in &self.about.measures {
            measure
                .source()
                .map_err(|message| wrong(place, "suite.toml", message, crate::measure::FORM))?;
        }
        for reading in &self.readings {
            for measure in reading.measures.keys() {
                exists("readings.toml", measure, &measures)?;
            }
            for when in &reading.when {
                for (what, chosen) in &when.chose {
                    let whats = self.cases.choose.keys().map(String::as_str).collect();
                    exists("readings.toml", what, &whats)?;
                    let names = self.cases.choose[what].keys().map(String::as_str).collect();
                    chosen.iter().try_for_each(|name| exists("readings.toml", name, &names))?;
                }
            }
        }
        let rows: BTreeSet<String> = self.rows().into_iter().map(|row| row.id()).collect();
        let rows: BTreeSet<&str> = rows.iter().map(String::as_str).collect();
        for figure in &self.about.figures {
            figure.row_ids().iter().try_for_each(|row| exists("suite.toml", row, &rows))?;
            figure.show.iter().try_for_each(|name| exists("suite.toml", name, &measures))?;
            if figure
                .bars
                .as_ref()
                .is_some_and(|b| !b.names.is_empty() && b.names.len() != b.cases.len())
            {
                let message = format!("figure {} does not have a name for each case", figure.id);
                let help = "write as many names as cases, or none";
                return Err(wrong(place, "suite.toml", message, help));
            }
            for bar in figure.bars.iter().flat_map(|bars| &bars.panels).flat_map(|own| &own.bars) {
                exists("suite.toml", &bar.measure, &measures)?;
            }
            if let Some(sweep) = &figure.sweep {
                exists("suite.toml", &sweep.measure, &measures)?;
                let place_of =
                    |name: &String| self.cases.variant.values.iter().find(|v| v.name == *name)?.x;
                if let Some(name) = sweep.at.iter().find(|name| place_of(name).is_none()) {
                    let message = format!("figure {} is along `{name}`, which has no x", figure.id);
                    return Err(wrong(
                        place,
                        "cases.toml",
                        message,
                        "write x = 100.0 at this variant",
                    ));
                }
            }
        }
        let mut ids = BTreeSet::new();
        for claim in &self.claims {
            let at = |message: String| {
                let help = "see the head of claims.toml for the form of a claim";
                wrong(place, "claims.toml", format!("claim {}: {message}", claim.id), help)
            };
            if !ids.insert(claim.id.as_str()) {
                return Err(at("there are two of this name".to_owned()));
            }
            for operand in claim.operands(self).map_err(at)? {
                exists("claims.toml", &operand.measure, &measures)?;
                exists("claims.toml", &operand.row.to_string(), &rows)?;
            }
        }
        self.check_conclusions(place, &ids)?;
        let cases: BTreeSet<&str> = self.cases.cases.iter().map(|case| case.id.as_str()).collect();
        let judged = self.about.measures.iter().filter(|m| m.tolerance.is_some());
        let judged: BTreeSet<&str> = judged.map(|measure| measure.name.as_str()).collect();
        for reason in &self.reasons.rows {
            if reason.cases.is_empty() == reason.rows.is_empty() {
                let message = format!("a reason names either cases or rows: {}", reason.why);
                let help = "write cases = [7] and at = [\"50\"], or rows = [\"7@50\"]";
                return Err(wrong(place, "reasons.toml", message, help));
            }
            reason.cases.iter().try_for_each(|CaseId(id)| exists("reasons.toml", id, &cases))?;
            reason.at.iter().try_for_each(|name| exists("reasons.toml", name, &variants))?;
            reason.rows.iter().try_for_each(|id| exists("reasons.toml", id, &rows))?;
            reason.off.keys().try_for_each(|name| exists("reasons.toml", name, &judged))?;
        }
        for reason in self.reasons.claims.iter().flat_map(|reason| &reason.ids) {
            exists("reasons.toml", reason, &ids)?;
        }
        Ok(())
    }
}

/// Whether a name can be part of a path without leading anywhere else.
fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "-_+.".contains(c);
    !name.is_empty() && name.len() <= 64 && !name.starts_with('.') && name.chars().all(plain)
}
