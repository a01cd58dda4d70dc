//! What somebody else put into a folder, and what leads out of it.

use super::*;

/// What is in the way of a replacement was put there by somebody else.
#[test]
fn a_replacement_removes_only_what_tusker_wrote() {
    for (name, content) in [
        ("report.html", "<!doctype html><title>mine</title>"),
        ("replicates/0001/notes.txt", "mine"),
        ("manifest.json", "{\"name\": \"my app\", \"replicates\": {}}"),
    ] {
        let temp = TempDir::new().unwrap();
        save(&open(temp.path(), Existing::Refuse).unwrap(), 1).unwrap();
        let path = temp.path().join(name);
        fs::write(&path, content).unwrap();
        assert!(open(temp.path(), Existing::Replace).is_err(), "{name}");
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
    let temp = TempDir::new().unwrap();
    save(&open(temp.path(), Existing::Refuse).unwrap(), 1).unwrap();
    let [mine, ours, year] = ["captures/notes.txt", "captures/R1-R2.pcapng", "replicates/20240101"]
        .map(|n| temp.path().join(n));
    fs::create_dir(temp.path().join("captures")).unwrap();
    [&mine, &ours, &year].into_iter().for_each(|path| fs::write(path, "x").unwrap());
    let replaced = open(temp.path(), Existing::Replace);
    assert!(matches!(replaced, Err(Error::Io { .. })), "a file is no replicate: {replaced:?}");
    fs::remove_file(&year).unwrap();
    open(temp.path(), Existing::Replace).unwrap();
    assert!(mine.exists() && !ours.exists());
}

/// A link leads to somebody else's files, and reading a pipe or a device never ends.
#[test]
#[cfg(unix)]
fn links_and_devices_are_neither_read_nor_written_nor_removed() {
    use std::os::unix::fs::symlink;
    let aside = TempDir::new().unwrap();
    fs::create_dir_all(aside.path().join("0001")).unwrap();
    fs::create_dir_all(aside.path().join("2023")).unwrap();
    for name in [
        "replicates",
        "replicates/0001",
        "replicates/0001/measures.json",
        "scenario.toml",
        "manifest.json",
    ] {
        for to in [aside.path(), Path::new("/dev/zero")] {
            let temp = TempDir::new().unwrap();
            save(&open(temp.path(), Existing::Refuse).unwrap(), 1).unwrap();
            let path = temp.path().join(name);
            fs::rename(&path, temp.path().join("moved")).unwrap();
            symlink(to, &path).unwrap();
            for existing in [Existing::Resume, Existing::Replace] {
                let opened = open(temp.path(), existing);
                let replaced = existing == Existing::Replace && name.contains(['s', '1']);
                assert!(opened.is_err() || replaced, "{name} {existing:?}");
            }
            assert!(Stored::read(temp.path(), None).is_err(), "{name}");
            assert!(aside.path().join("0001").is_dir() && aside.path().join("2023").is_dir());
        }
    }
}

#[test]
fn names_in_a_manifest_do_not_lead_out_of_the_folder() {
    for name in ["../../../../etc/passwd", "/dev/zero", "..", "sub/file", ""] {
        let temp = TempDir::new().unwrap();
        let store = open(temp.path(), Existing::Refuse).unwrap();
        save(&store, 1).unwrap();
        let mut forged = store.manifest().clone();
        forged.replicates.get_mut(&1).unwrap().insert(name.to_owned(), "00".to_owned());
        drop(store);
        // with the right check sum
        forged.write(temp.path()).unwrap();
        for read in [
            open(temp.path(), Existing::Resume).map(drop),
            Stored::read(temp.path(), None).map(drop),
        ] {
            let error = read.unwrap_err();
            assert!(
                matches!(&error, Error::Damaged { path, .. } if path.ends_with("manifest.json")),
                "{name}: {error}"
            );
        }
    }
}
