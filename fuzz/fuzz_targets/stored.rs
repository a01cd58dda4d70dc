//! A folder of results with an edit in one of its files: never a panic, and the edit is
//! never overlooked. Every second time the manifest is updated to match, so that the
//! readers of the files themselves see the edit.
#![no_main]

mod edits;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use edits::Edit;
use libfuzzer_sys::fuzz_target;
use tusker_store::{Build, Existing, Format, Identity, Store, Stored, hash};
use tusker_measure::summary::View;
use tusker_scenario::Scenario;

const SCENARIO: &str = "profile = 'ns2'\nduration = '300ms'\ntrace = { interval = '20ms' }\n\
    [dumbbell]\nrate = '10Mbit'\ndelay = '5ms'\nqueue = '20pkt'\naccess = { rate = '1Gbit' }\n\
    [[flows]]\nname = 'a'\ncc = 'reno'\n[[background]]\nname = 'b'\nrate = '1Mbit'\n";

const MANIFEST: &str = "manifest.json";

/// A folder of results: its path and all its files.
struct Folder {
    path: PathBuf,
    files: Vec<(PathBuf, Vec<u8>)>,
}

/// One with tables as Parquet, one as CSV.
static FOLDERS: LazyLock<[Folder; 2]> =
    LazyLock::new(|| [Format::Parquet, Format::Csv].map(Folder::make));

impl Folder {
    fn make(format: Format) -> Self {
        let name = format!("stored-{format:?}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let scenario = Scenario::parse("fuzz.toml", SCENARIO, &[]).expect("it is a scenario");
        let complete = scenario.complete().expect("it has a plan");
        let (version, hash) = ("0".to_owned(), "fuzz".to_owned());
        let build = Build { version, hash, plane: Default::default() };
        let identity = Identity::of(&complete, &build);
        let plan = complete.into_plan();
        let store = Store::open(&path, &identity, Existing::Refuse, format, 0).expect("it is new");
        let run = tusker_sim::run(&plan, 1, &mut |_| ControlFlow::Continue(())).expect("it runs");
        let view = View::new(&plan);
        store.save(&view, &view.replicate(1, &run), &run, &|| false).expect("it can be stored");
        let replicate = fs::read_dir(path.join("replicates/0001")).expect("it is there");
        let mut found: Vec<PathBuf> = replicate.map(|entry| entry.expect("it is").path()).collect();
        found.extend([path.join("scenario.toml"), path.join(MANIFEST)]);
        found.sort();
        let with = |path: PathBuf| (fs::read(&path).expect("it can be read"), path);
        let files = found.into_iter().map(with).map(|(bytes, path)| (path, bytes)).collect();
        assert!(Stored::read(&path, None).is_ok(), "what was stored is read");
        Self { path, files }
    }

    /// The manifest with another hash for one of the files.
    fn agree(&self, before: &[u8], after: &[u8]) {
        let path = self.path.join(MANIFEST);
        let text = fs::read_to_string(&path).expect("it is text");
        let text = text.replace(&hash(before), &hash(after));
        let at = text.find("\"check\": \"").expect("it has a check") + "\"check\": \"".len();
        let bare = [&text[..at], &text[at + 64..]].concat();
        let text = [&bare[..at], &hash(bare.as_bytes()), &bare[at..]].concat();
        fs::write(&path, text).expect("a file can be written");
    }
}

fn write(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).expect("a file can be written");
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&how, rest)) = bytes.split_first() else { return };
    let Some(edit) = Edit::read(rest) else { return };
    let folder = &FOLDERS[usize::from(how & 1)];
    let (path, original) = &folder.files[edit.of(folder.files.len())];
    let edited = edit.apply(original);
    write(path, &edited);
    let is_manifest = path.ends_with(MANIFEST);
    // the reader of Parquet is not ours, and panics on some forged files: that is an
    // error to a caller, but would end the fuzzing here
    let is_parquet = path.extension().is_some_and(|end| end == "parquet");
    let agrees = how & 2 != 0 && !is_manifest && !is_parquet;
    if agrees {
        folder.agree(original, &edited);
    }
    match Stored::read(&folder.path, None) {
        Ok(_) => assert!(agrees || edited == *original, "an edit went unseen: {path:?}"),
        Err(error) => assert!(!error.to_string().is_empty(), "an error without words"),
    }
    write(path, original);
    if agrees {
        let (manifest, text) =
            folder.files.iter().find(|(path, _)| path.ends_with(MANIFEST)).expect("it is there");
        write(manifest, text);
    }
});
