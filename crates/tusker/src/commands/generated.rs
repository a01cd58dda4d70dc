//! `tusker schema`, `tusker completions`, `tusker man`: what is made from the
//! code's own descriptions.

use std::fs::DirEntry;

use clap::CommandFactory;
use clap_mangen::Man;
use tusker_measure::summary::Summary;
use tusker_measure::watched::Watched;
use tusker_papers::Reproduction;
use tusker_papers::conclusions::Answers;
use tusker_transfer::answer;

use crate::args::{Cli, CompletionsArgs, ManArgs, Schema, SchemaArgs};
use crate::failure::Failure;
use crate::interrupt::Scratch;
use crate::outfile::{self, Kind};
use crate::output::{print, say};

pub fn schema(args: &SchemaArgs) -> Result<(), Failure> {
    print(&match args.what {
        Schema::Scenario => tusker_scenario::json_schema(),
        Schema::Summary => Summary::schema(),
        Schema::Reproduction => Reproduction::schema(),
        Schema::Watched => Watched::schema(),
        Schema::Plan => answer::schema(),
        Schema::Claim => Answers::schema(),
        Schema::Evaluation => tusker_lab::suite::schema(),
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
            let cannot = |error| {
                let message = format!("cannot write manual pages to {}: {error}", dir.display());
                Failure::other(message, "give another folder with --out, on a disk with room")
            };
            let made = Scratch::new().map_err(cannot)?;
            clap_mangen::generate_to(Cli::command(), made.path()).map_err(cannot)?;
            let pages = std::fs::read_dir(made.path()).and_then(Iterator::collect);
            let pages: Vec<DirEntry> = pages.map_err(cannot)?;
            std::fs::create_dir_all(dir).map_err(cannot)?;
            let file = |page: &DirEntry| dir.join(page.file_name());
            // before the first is written
            pages.iter().try_for_each(|page| outfile::check(&file(page), Kind::Manual))?;
            for page in &pages {
                let text = std::fs::read(page.path()).map_err(cannot)?;
                outfile::write(&file(page), Kind::Manual, &text)?;
            }
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
