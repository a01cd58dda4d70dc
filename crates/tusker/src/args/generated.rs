//! `tusker schema`, `tusker completions` and `tusker man`: what is made from the code's own
//! descriptions.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::Shell;

/// Print the JSON Schema of scenario files or of result files.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Which files the schema describes
    #[arg(value_enum, default_value_t)]
    pub what: Schema,
}

/// Published formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Schema {
    /// Scenario files
    #[default]
    Scenario,
    /// summary.json
    Summary,
    /// reproduction.json
    Reproduction,
    /// watched.json
    Watched,
    /// plan.json
    Plan,
    /// claim-NAME.json of `tusker reproduce --claim`
    Claim,
    /// evaluation.json
    Evaluation,
}

/// Print a completion script for your shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tusker completions bash > ~/.local/share/bash-completion/completions/tusker
  tusker completions zsh > ~/.zfunc/_tusker
  tusker completions fish > ~/.config/fish/completions/tusker.fish")]
pub struct CompletionsArgs {
    /// The shell that is to read the script
    pub shell: Shell,
}

/// Print the manual page, or write a page for each command.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tusker man | man -l -
  tusker man --out ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Folder that gets a page for each command
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
