//! `tusker query`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Query stored results with SQL.
#[derive(Debug, Args)]
#[command(after_help = "\
Each table in the folder is a table in SQL. A sweep has the table `runs`, with a row for
each run; a plan has the table `plan`, with a row for each way to do the transfer. If
several files have the same name (such as flows.parquet of each replicate), the table has
the rows of all of them, and a column `filename`. `describe runs` lists the columns of
`runs`. A name that has a dot needs double quotes.

A query reads the tables of the folder, and no other files.

DuckDB (1.2 or later) runs the query, either as the program `duckdb` or as the Python module
`duckdb` of python3, of the active virtual environment, or of a .venv beside tusker;
TUSKER_PYTHON=/path/to/python selects another Python. `pip install duckdb` installs the
module.

Examples:
  tusker query results/dumbbell-sweep 'select cc, avg(utilisation) from runs group by cc'
  tusker query results/dumbbell-sweep 'describe runs'
  tusker query results/dumbbell-sweep --format csv < question.sql > answer.csv
  tusker query tonight 'select cc, streams, took_s from plan where harm < 0.5'
  tusker query results/dumbbell 'select * from flows'")]
pub struct QueryArgs {
    /// Folder of a sweep or a plan, or any folder with tables in Parquet or CSV
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// The query, as one argument; without it, or with -, it is read from stdin
    #[arg(value_name = "SQL", allow_hyphen_values = true)]
    pub sql: Option<String>,
    /// Let the query be any statement, and read and write other files
    #[arg(long)]
    pub allow_files: bool,
    /// What to print on stdout
    #[arg(long, value_enum, default_value_t)]
    pub format: Rows,
}

/// How rows are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Rows {
    /// A table for people, with numbers rounded to six digits
    #[default]
    Table,
    /// A list with an object for each row
    Json,
    /// A line for each row, with all digits
    Csv,
}
