use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

const KINDS: [Kind; 5] =
    [Kind::Comparison, Kind::Sweep, Kind::Plan, Kind::Plans, Kind::Reproduction];

fn put(dir: &Path, kind: Kind, files: &[(&str, &str)]) -> Result<(), Error> {
    let mut change = Change::begin(dir, kind)?;
    for (name, content) in files {
        change.put(name, content.as_bytes())?;
    }
    change.commit()
}

/// Names and contents of everything in a folder.
fn all(dir: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if files::is_folder(&path).unwrap_or(false) {
                folders.push(path.clone());
            }
            found.push((path.clone(), files::read(&path).ok()));
        }
    }
    found.sort();
    found
}

#[test]
fn a_folder_is_ours_by_its_manifest_alone() {
    let names = KINDS.iter().flat_map(|kind| kind.files());
    for name in names.chain(&["runs/1.jsonl", "rows/x", "buffer-1bdp/plan.json", "manifest.json"]) {
        let temp = TempDir::new().unwrap();
        let path = temp.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "{\"mine\": 1}").unwrap();
        let before = all(temp.path());
        for kind in KINDS {
            let (checked, claimed) = (check(temp.path(), kind), claim(temp.path(), kind));
            for refused in [checked, claimed, put(temp.path(), kind, &[])] {
                assert!(matches!(refused, Err(Error::Foreign(_))), "{name}: {refused:?}");
            }
        }
        assert_eq!(all(temp.path()), before, "{name}");
    }
}

#[test]
fn a_folder_of_one_kind_is_not_one_of_another() {
    for kind in KINDS {
        let temp = TempDir::new().unwrap();
        claim(temp.path(), kind).unwrap();
        let before = all(temp.path());
        for other in KINDS.into_iter().filter(|other| *other != kind) {
            assert!(matches!(claim(temp.path(), other), Err(Error::OtherKind { .. })));
        }
        assert_eq!(all(temp.path()), before);
        claim(temp.path(), kind).unwrap();
    }
}

/// A process's own folder that shared storage has filled: rows have manifests of their own.
#[test]
fn rows_without_the_manifest_around_them_are_adopted() {
    let temp = TempDir::new().unwrap();
    let dir = temp.path().join("paper");
    adopt(&dir, Kind::Reproduction).unwrap();
    fs::remove_file(dir.join(MANIFEST)).unwrap();
    fs::create_dir_all(dir.join("rows/case-1")).unwrap();
    assert!(matches!(claim(&dir, Kind::Reproduction), Err(Error::Foreign(_))));
    adopt(&dir, Kind::Reproduction).unwrap();
    put(&dir, Kind::Reproduction, &[("reproduction.json", "ours")]).unwrap();
    adopt(&dir, Kind::Reproduction).unwrap();
    fs::write(dir.join("reproduction.json"), "damaged").unwrap();
    assert!(matches!(adopt(&dir, Kind::Reproduction), Err(Error::Damaged { .. })));
}

#[test]
fn a_file_that_the_manifest_does_not_name_is_not_replaced() {
    let temp = TempDir::new().unwrap();
    claim(temp.path(), Kind::Sweep).unwrap();
    for (name, own) in
        [("base.toml", "mine"), ("report.html", "<!doctype html><title>mine</title>")]
    {
        let path = temp.path().join(name);
        fs::write(&path, own).unwrap();
        assert!(matches!(check(temp.path(), Kind::Sweep), Err(Error::NotOurs(_))), "{name}");
        if name == "base.toml" {
            assert!(matches!(
                put(temp.path(), Kind::Sweep, &[(name, "ours")]),
                Err(Error::NotOurs(_))
            ));
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), own);
        fs::remove_file(path).unwrap();
    }
    check(temp.path(), Kind::Sweep).unwrap();
}

/// The state of the folder before each step of a change, as a killed process leaves it.
#[test]
fn a_change_that_is_cut_off_anywhere_leaves_what_can_be_read_and_gone_on_with() {
    let temp = TempDir::new().unwrap();
    let kind = Kind::Plan;
    let of =
        |name: &str| read(temp.path(), kind, name).unwrap().map(|b| String::from_utf8(b).unwrap());
    put(temp.path(), kind, &[("plan.json", "one"), ("plan.csv", "one")]).unwrap();
    let content = Content::of(temp.path()).unwrap();
    let Content::Listed(_, Ok(mut listed)) = content else { panic!("it is ours") };
    for name in ["plan.json", "plan.csv"] {
        listed.files.get_mut(name).unwrap().push(hash(b"two"));
    }
    listed.write(temp.path()).unwrap();
    assert_eq!((of("plan.json"), of("plan.csv")), (Some("one".into()), Some("one".into())));
    fs::write(temp.path().join("plan.json"), "two").unwrap();
    assert_eq!((of("plan.json"), of("plan.csv")), (Some("two".into()), Some("one".into())));
    check(temp.path(), kind).unwrap();
    // cut off again in the next change
    let mut change = Change::begin(temp.path(), kind).unwrap();
    change.put("plan.json", b"three").unwrap();
    drop(change);
    check(temp.path(), kind).unwrap();
    put(temp.path(), kind, &[("plan.json", "three")]).unwrap();
    assert_eq!((of("plan.json"), of("plan.csv")), (Some("three".into()), Some("one".into())));
    fs::write(temp.path().join("plan.json"), "two").unwrap();
    assert!(matches!(read(temp.path(), kind, "plan.json"), Err(Error::Damaged { .. })));
    assert!(matches!(check(temp.path(), kind), Err(Error::Damaged { .. })));
    // as the help says
    fs::remove_file(temp.path().join("plan.json")).unwrap();
    put(temp.path(), kind, &[("plan.json", "four")]).unwrap();
    assert_eq!(of("plan.json"), Some("four".into()));
}

#[test]
fn a_reader_waits_for_a_change_that_has_begun() {
    let temp = TempDir::new().unwrap();
    let (dir, path) = (temp.path(), temp.path().join("plan.json"));
    put(dir, Kind::Plan, &[("plan.json", "one")]).unwrap();
    let change = Change::begin(dir, Kind::Plan).unwrap();
    fs::write(&path, "two").unwrap();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| read(dir, Kind::Plan, "plan.json"));
        std::thread::sleep(std::time::Duration::from_millis(50));
        fs::write(&path, "one").unwrap();
        drop(change);
        assert_eq!(reader.join().unwrap().unwrap(), Some(b"one".to_vec()));
    });
}

/// Threads have the same process id, as processes of several containers may have.
#[test]
fn several_at_once_change_a_folder_one_after_the_other() {
    let temp = TempDir::new().unwrap();
    let dir = temp.path().join("shared");
    std::thread::scope(|scope| {
        for n in 0..6 {
            let dir = &dir;
            scope.spawn(move || {
                for round in 0..10 {
                    claim(dir, Kind::Sweep).unwrap();
                    let text = format!("{n} {round}");
                    put(dir, Kind::Sweep, &[("sweep.json", &text), ("base.toml", &text)]).unwrap();
                    read(dir, Kind::Sweep, "sweep.json").unwrap().unwrap();
                }
            });
        }
    });
    let of = |name| read(&dir, Kind::Sweep, name).unwrap();
    assert_eq!(of("sweep.json"), of("base.toml"));
    let names: Vec<PathBuf> = all(&dir).into_iter().map(|(path, _)| path).collect();
    let kept = [".tusker-changes", "base.toml", "manifest.json", "sweep.json"];
    assert_eq!(names, kept.map(|name| dir.join(name)));
}

#[test]
fn every_flipped_bit_is_noticed() {
    let temp = TempDir::new().unwrap();
    let kind = Kind::Reproduction;
    put(
        temp.path(),
        kind,
        &[("reproduction.json", "{\"a\": 1}"), ("figures/figure-1.csv", "x\n1\n")],
    )
    .unwrap();
    for name in ["reproduction.json", "figures/figure-1.csv", "manifest.json"] {
        let path = temp.path().join(name);
        let whole = fs::read(&path).unwrap();
        for at in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[at / 8] ^= 1 << (at % 8);
            fs::write(&path, bytes).unwrap();
            assert!(check(temp.path(), kind).is_err(), "bit {at} of {name}");
            let read = read(temp.path(), kind, name);
            // the manifest is not a file that it names
            let none = name == "manifest.json" && matches!(read, Ok(None));
            assert!(read.is_err() || none, "bit {at} of {name}: {read:?}");
        }
        fs::write(&path, whole).unwrap();
    }
    check(temp.path(), kind).unwrap();
}

#[test]
#[cfg(unix)]
fn links_and_names_that_lead_out_are_refused() {
    use std::os::unix::fs::symlink;
    let aside = TempDir::new().unwrap();
    fs::write(aside.path().join("sweep.json"), "theirs").unwrap();
    for name in ["sweep.json", "manifest.json", "base.toml", "report.html", ".tusker-changes"] {
        for to in [aside.path().join("sweep.json").as_path(), Path::new("/dev/zero")] {
            let temp = TempDir::new().unwrap();
            put(temp.path(), Kind::Sweep, &[("sweep.json", "ours")]).unwrap();
            let path = temp.path().join(name);
            let _ = fs::remove_file(&path);
            symlink(to, path).unwrap();
            let claimed = claim(temp.path(), Kind::Sweep);
            assert!(claimed.is_err(), "{name} to {to:?}");
            let new = put(temp.path(), Kind::Sweep, &[("sweep.json", "new"), ("base.toml", "new")]);
            assert!(new.is_err() || name == "report.html", "{name} to {to:?}");
        }
    }
    assert_eq!(fs::read_to_string(aside.path().join("sweep.json")).unwrap(), "theirs");
    for name in ["../sweep.json", "/dev/zero", "a/../../b"] {
        let temp = TempDir::new().unwrap();
        let mut listed = Listed::new(Kind::Sweep);
        listed.files.insert(name.to_owned(), vec![hash(b"theirs")]);
        listed.write(temp.path()).unwrap();
        assert!(matches!(check(temp.path(), Kind::Sweep), Err(Error::Damaged { .. })), "{name}");
    }
}
