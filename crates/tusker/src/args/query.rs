//! `tusker query`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Ask the tables of a folder in SQL.
#[derive(Debug, Args)]
#[command(after_help = "\
Every name of a table in the folder is one in SQL; of a sweep it is `runs`, a row per
run, and of a plan `plan`, a row per way to do the transfer. Where there are several files of a name (flows.parquet of each replicate) the
table has the rows of all, and a column `filename`. Names with a dot are quoted: what
there is says `describe runs`.

DuckDB answers: the program `duckdb`, or else the module `duckdb` of python3 or of
.venv here. `pip install duckdb` installs it.

Examples:
  tusker query results/dumbbell-sweep 'select cc, avg(utilisation) from runs group by cc'
  tusker query results/dumbbell-sweep 'describe runs'
  tusker query results/dumbbell-sweep --format csv < question.sql > answer.csv
  tusker query tonight 'select law, streams, took_s from plan where harm < 0.5'
  tusker query results/dumbbell 'select * from flows'")]
pub struct QueryArgs {
    /// Folder of a sweep or a plan, or any with tables in Parquet or CSV
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// The query, in one argument; - or nothing reads it from stdin
    #[arg(value_name = "SQL", allow_hyphen_values = true)]
    pub sql: Option<String>,
    /// What to print on stdout
    #[arg(long, value_enum, default_value_t)]
    pub format: Rows,
}

/// How rows are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Rows {
    /// A table for people, numbers to six digits
    #[default]
    Table,
    /// A list with an object per row
    Json,
    /// A line per row, to the last digit
    Csv,
}
