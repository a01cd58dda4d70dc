//! Where the results of a sweep go, and who does its runs.

use std::path::{Path, PathBuf};

use tusker_lab::Trouble;
use tusker_record::store::Build;

use super::Asked;
use crate::args::SweepArgs;
use crate::cluster::{Cluster, Reach};
use crate::failure::Failure;
use crate::interrupt::Scratch;

/// A folder, or one in shared storage with a folder here that lasts as long.
pub struct Place {
    dir: PathBuf,
    store: Option<String>,
    scratch: Option<Scratch>,
}

impl Place {
    /// The one that was asked for, or `dir`.
    pub fn of(asked: &Asked, args: &SweepArgs, dir: Option<&Path>) -> Result<Self, Failure> {
        let out = args.out.as_ref().and_then(|out| out.to_str());
        let Some(url) = out.filter(|out| out.contains("://")) else {
            let dir = dir.map_or_else(|| asked.dir(args), Path::to_owned);
            return Ok(Self { dir, store: None, scratch: None });
        };
        if args.ray.is_none() {
            return Err(Failure::input(
                format!("--out {url}: what is in shared storage is written by a cluster"),
                "add --ray ADDRESS, or --ray local for one on this machine",
            ));
        }
        let scratch = Scratch::new().map_err(|error| {
            let message = format!("no folder for what is under way: {error}");
            Failure::other(message, "make room, or say another place with TMPDIR")
        })?;
        let store = Some(url.trim_end_matches('/').to_owned());
        Ok(Self { dir: scratch.path().to_owned(), store, scratch: Some(scratch) })
    }

    /// The folder on this machine.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What a file of it is called for whoever reads results.
    pub fn shown(&self, file: &Path) -> String {
        match (&self.store, file.strip_prefix(&self.dir)) {
            (Some(store), Ok(own)) if own.as_os_str().is_empty() => store.clone(),
            (Some(store), Ok(own)) => format!("{store}/{}", own.display()),
            _ => file.display().to_string(),
        }
    }

    /// Reaches the cluster that does the runs, if one does.
    pub fn reach(
        &self,
        args: &SweepArgs,
        reach: Reach,
        build: &Build,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Cluster>, Failure> {
        let Some(address) = args.ray.clone() else { return Ok(None) };
        let reach = Reach { address, store: self.store.clone(), ..reach };
        Ok(Some(Cluster::reach(&reach, build, stopped)?))
    }

    /// Puts files into the shared storage, if results go there.
    pub fn put(
        &self,
        cluster: Option<&Cluster>,
        files: &[&Path],
        stopped: &dyn Fn() -> bool,
    ) -> Result<(), Trouble> {
        let (Some(cluster), Some(_)) = (cluster, &self.scratch) else { return Ok(()) };
        for file in files {
            let name = file.strip_prefix(&self.dir).unwrap_or(file);
            cluster.put(&name.display().to_string(), file, stopped)?;
        }
        Ok(())
    }
}
