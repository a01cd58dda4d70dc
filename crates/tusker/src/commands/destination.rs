//! Where the results of a sweep or of a reproduction go, and who does the runs.

use std::path::{Path, PathBuf};

use tusker_lab::Trouble;
use tusker_store::Build;

use crate::cluster::{Cluster, Reach};
use crate::failure::Failure;
use crate::interrupt::Scratch;

/// A folder, or one in shared storage with a folder here that lasts as long.
pub struct Destination {
    dir: PathBuf,
    store: Option<String>,
    scratch: Option<Scratch>,
}

impl Destination {
    /// What `--out` says, beside what `--ray` says; `otherwise` if it is not said.
    pub fn of(
        out: Option<&Path>,
        ray: Option<&String>,
        otherwise: impl FnOnce() -> PathBuf,
    ) -> Result<Self, Failure> {
        let url = out.and_then(Path::to_str).filter(|out| out.contains("://"));
        let Some(url) = url else {
            let dir = out.map_or_else(otherwise, Path::to_owned);
            return Ok(Self { dir, store: None, scratch: None });
        };
        if ray.is_none() {
            return Err(Failure::input(
                format!("--out {url}: only a cluster writes to shared storage"),
                "add --ray ADDRESS, or --ray local for one on this machine",
            ));
        }
        let scratch = Scratch::new().map_err(|error| {
            let message = format!("cannot make a temporary folder: {error}");
            Failure::other(message, "make room, or name another place with TMPDIR")
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
        ray: Option<&String>,
        reach: Reach,
        build: &Build,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Cluster>, Failure> {
        let Some(address) = ray.cloned() else { return Ok(None) };
        let reach = Reach { address, store: self.store.clone(), ..reach };
        Ok(Some(Cluster::reach(&reach, build, stopped)?))
    }

    /// The folder here that has the same files as the one in shared storage, if there is
    /// one.
    pub fn mirror(&self) -> Option<PathBuf> {
        self.store.as_ref().map(|_| self.dir.clone())
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
