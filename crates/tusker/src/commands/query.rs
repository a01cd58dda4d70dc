//! `tusker query`: SQL over the tables of a folder. DuckDB answers, as a separate program:
//! as a part of this one, it would take minutes to compile and 30 MB.

mod engine;

use std::io::{self, IsTerminal};

use tusker_report::rows;
use tusker_store::files::read_at_most;
use tusker_store::views;
use tusker_transfer::planned;

use crate::args::{QueryArgs, Rows};
use crate::failure::Failure;
use crate::output::print;
use crate::screen::fit;

pub fn query(args: &QueryArgs) -> Result<(), Failure> {
    let views = views::find(&args.dir)?;
    if planned::is_plan(&args.dir) && !views.has(planned::TABLE) {
        let message = format!("the plan in {} has no table", args.dir.display());
        let help = "the same `tusker plan` command writes it, without a new run; plan.json has \
                    the rows as well";
        return Err(Failure::input(message, help));
    }
    let views = views.some_of(&args.dir)?;
    let sql = sql(args)?;
    let answer = engine::ask(&views, &sql, args.format == Rows::Json, args.allow_files)?;
    match args.format {
        Rows::Csv => print(&answer),
        Rows::Json => print(&rows::without_nan(&answer)),
        Rows::Table => print(&rows::table(&answer).map_or_else(String::new, |table| fit(&table))),
    }
}

/// The query.
fn sql(args: &QueryArgs) -> Result<String, Failure> {
    let example = "tusker query DIR 'select * from runs limit 5'";
    let text = match args.sql.as_deref() {
        Some(text) if text != "-" => text.to_owned(),
        None if io::stdin().is_terminal() => {
            let help = format!("give it as an argument, or on stdin: {example}");
            return Err(Failure::input("there is no query", help));
        }
        _ => {
            let odd = |why: String| {
                let message = format!("cannot read the query from stdin: {why}");
                Failure::input(message, "write it in UTF-8, in at most 4 MiB")
            };
            let text =
                read_at_most(io::stdin(), 4 << 20).map_err(|error| odd(error.to_string()))?;
            String::from_utf8(text).map_err(|error| odd(error.to_string()))?
        }
    };
    if text.trim().is_empty() {
        return Err(Failure::input("the query is empty", format!("such as: {example}")));
    }
    Ok(text)
}
