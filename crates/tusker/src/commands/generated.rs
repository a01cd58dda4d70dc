//! `tusker schema`, `tusker completions`, `tusker man`: what is made from the
//! code's own descriptions.

use clap::CommandFactory;
use clap_mangen::Man;
use miette::{IntoDiagnostic, WrapErr};
use tusker_papers::Reproduction;
use tusker_papers::conclusions::Answer;
use tusker_record::plan;
use tusker_record::summary::Summary;
use tusker_record::watched::Watched;

use crate::args::{Cli, CompletionsArgs, ManArgs, Schema, SchemaArgs};
use crate::failure::Failure;
use crate::output::{print, say};

pub fn schema(args: &SchemaArgs) -> Result<(), Failure> {
    print(&match args.what {
        Schema::Scenario => tusker_scenario::json_schema(),
        Schema::Summary => Summary::schema(),
        Schema::Reproduction => Reproduction::schema(),
        Schema::Watched => Watched::schema(),
        Schema::Plan => plan::schema(),
        Schema::Claim => Answer::schema(),
    })
}

pub fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "tusker", &mut script);
    print(&String::from_utf8_lossy(&script))
}

pub fn man(args: &ManArgs) -> Result<(), Failure> {
    match &args.out {
        Some(dir) => {
            std::fs::create_dir_all(dir)
                .and_then(|()| clap_mangen::generate_to(Cli::command(), dir))
                .into_diagnostic()
                .wrap_err_with(|| format!("cannot write manual pages to {}", dir.display()))
                .map_err(Failure::Other)?;
            say(&format!("manual pages are in {}", dir.display()));
            Ok(())
        }
        None => {
            let mut page = Vec::new();
            Man::new(Cli::command()).render(&mut page)?;
            print(&String::from_utf8_lossy(&page))
        }
    }
}
