//! A store takes only games that were played like those it holds, and loses none.

use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use tafl_store::{
    MANIFEST_FORMAT, Manifest, RunSettings, Settings, Store, StoreError, StoreKind, Verified,
    checkpoint_folder, checkpoints, file_stem, write_atomically, write_folder,
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Played {
    seed: u64,
    openings: Option<u32>,
    commit: String,
}

impl Settings for Played {
    const KIND: StoreKind = StoreKind::Tournament;
    const ADVICE: &'static str = "all games of a tournament have the same settings";
    const INFORMATION: &'static [&'static str] = &["commit"];
    const FOLDERS: &'static [&'static str] = &["games"];
    const RESULTS: &'static [&'static str] = &["summary.json"];
}

fn settings() -> Played {
    Played {
        seed: 1,
        openings: None,
        commit: "one".to_owned(),
    }
}

fn run_settings() -> RunSettings {
    RunSettings {
        run: "test".into(),
        git_commit: Some("0".repeat(40)),
        seed: u64::MAX,
        config_sha256: "a".into(),
        libtorch: "2.11.0".into(),
        device: "cpu".into(),
        precision: "f32".into(),
        stages: Vec::new(),
    }
}

fn open(folder: &Path, settings: &Played) -> Result<Store<Played>, StoreError> {
    Store::open_or_create(folder, settings)
}

#[test]
fn a_folder_of_others_does_not_become_a_store() {
    let place = tempfile::tempdir().expect("a folder");
    for (above, file) in [
        ("nets", "one/model.json"),
        ("runs", "one/manifest.json"),
        ("data", "runs/one/manifest.json"),
        ("mine", "summary.json"),
    ] {
        let folder = &place.path().join(above);
        let path = folder.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, "").expect("written");
        for result in [open(folder, &settings()), Store::create(folder, settings())] {
            let error = result.expect_err("it holds others").to_string();
            assert!(error.contains(": it holds "), "{error}");
        }
        let names = fs::read_dir(folder).expect("a folder");
        assert_eq!(names.count(), 1, "nothing is written");
    }
    let folder = &place.path().join("extension");
    fs::create_dir(folder).expect("made");
    fs::write(folder.join("manifest.json"), r#"{"name": "mine"}"#).expect("written");
    let error = open(folder, &settings()).expect_err("of another program");
    assert!(error.to_string().contains("of another program"), "{error}");
    assert_eq!(error.hint(), Some("use another folder"));
    let names = fs::read_dir(folder).expect("a folder");
    assert_eq!(names.count(), 1, "no lock is left");
}

/// Stores a file as those who play a match do, and returns where.
fn store_match(store: &Store<Played>, name: &str) -> PathBuf {
    let path = store.folder().join(format!("games/{name}.parquet"));
    write_atomically(&path, b"games of a match").unwrap();
    store.enter(&[&path]).unwrap();
    path
}

#[test]
fn a_store_is_opened_again_with_the_settings_of_its_games() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("deep/here");
    let store = open(&place, &settings()).unwrap();
    assert!(!store.has(&place.join("games/a.parquet")));
    let games = store_match(&store, "a");
    store_match(&store, "b");
    drop(store);

    let later = Played {
        commit: "two".to_owned(),
        ..settings()
    };
    let store = open(&place, &later).unwrap();
    assert_eq!(store.settings(), settings());
    assert!(store.has(&games));
    assert_eq!(store.verified(&games).unwrap(), games);
    assert_eq!(store.files("games/a"), [games.as_path()]);
    assert_eq!(store.files("games/").len(), 2);
    drop(store);

    let error = |settings: Played| open(&place, &settings).unwrap_err();
    let seed = error(Played {
        seed: 2,
        ..later.clone()
    });
    let path = place.join("manifest.json");
    assert_eq!(
        seed.to_string(),
        format!(
            "{}: field `settings.seed`: played with 1, now 2",
            path.display()
        )
    );
    assert_eq!(seed.hint(), Some(Played::ADVICE));
    let openings = error(Played {
        openings: Some(4),
        ..later
    });
    assert!(
        openings
            .to_string()
            .ends_with("`settings.openings`: played with none, now 4")
    );
}

#[test]
fn a_store_without_games_takes_other_settings() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), &settings()).unwrap();
    store.admit_player("a", &json!({"kind": "random"})).unwrap();
    drop(store);
    let other = Played {
        seed: 2,
        ..settings()
    };
    let store = open(folder.path(), &other).unwrap();
    assert_eq!(store.settings(), other);
    store.admit_player("a", &json!({"kind": "greedy"})).unwrap();
    // A journal has games too.
    let (journal, _) = store.journal::<u32>("a").unwrap();
    journal.append(&1).unwrap();
    drop((journal, store));
    let error = open(folder.path(), &settings()).unwrap_err();
    assert!(matches!(error, StoreError::Differs { field, .. } if field == "settings.seed"));
}

#[test]
fn one_name_is_one_ruleset_and_one_player() {
    let folder = tempfile::tempdir().unwrap();
    let card = |visits: u32| json!({"kind": "checkpoint", "search": {"visits": visits}});
    let store = open(folder.path(), &settings()).unwrap();
    store.admit_ruleset("brandubh", 7).unwrap();
    store.admit_player("a", &card(16)).unwrap();
    store_match(&store, "a");
    drop(store);

    let store = open(folder.path(), &settings()).unwrap();
    store.admit_ruleset("brandubh", 7).unwrap();
    store.admit_player("a", &card(16)).unwrap();
    store.admit_player("b", &card(32)).unwrap();
    let error = store.admit_player("a", &card(32)).unwrap_err().to_string();
    assert!(
        error.ends_with("field `players.a.search.visits`: played with 16, now 32"),
        "{error}"
    );
    // The card of an older version does not tell everything.
    let more = |visits: u32| json!({"kind": "checkpoint", "search": {"visits": visits}, "precision": "f32"});
    store.admit_player("a", &more(16)).unwrap();
    let error = store.admit_player("a", &more(32)).unwrap_err().to_string();
    assert!(error.contains("players.a.search.visits"), "{error}");
    let error = store.admit_ruleset("brandubh", 8).unwrap_err();
    assert_eq!(error.hint(), Some(Played::ADVICE));
    let words =
        "manifest.json: games were played by these rules; ruleset brandubh has changed since";
    assert!(error.to_string().ends_with(words), "{error}");
}

#[test]
fn games_of_a_killed_process_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), &settings()).unwrap();
    let (journal, _) = store.journal::<String>("a").unwrap();
    for game in ["one", "two"] {
        journal.append(&game).unwrap();
    }
    let path = folder.path().join("in-progress/a.jsonl");
    drop((journal, store));
    let text = fs::read(&path).unwrap();
    fs::write(&path, &text[..text.len() - 2]).unwrap();
    let half = folder.path().join("games/deep/a.parquet.tmp");
    fs::create_dir_all(half.parent().unwrap()).unwrap();
    fs::write(&half, "half").unwrap();
    let own = folder.path().join("notes.tmp");
    fs::write(&own, "of the user").unwrap();

    let store = open(folder.path(), &settings()).unwrap();
    assert_eq!((half.exists(), own.exists()), (false, true));
    assert!(store.has_journal("a"));
    let (journal, games) = store.journal::<String>("a").unwrap();
    assert_eq!(games, ["one"]);
    drop(journal);
    store.remove_journal("a").unwrap();
    store.remove_journal("a").unwrap();
    assert!(!store.has_journal("a"));
}

#[test]
fn a_second_process_is_kept_out() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), &settings()).unwrap();
    let error = open(folder.path(), &settings()).unwrap_err().to_string();
    assert!(
        error.ends_with("another process is writing this tournament"),
        "{error}"
    );
    // Whoever only reads the manifest is not.
    assert_eq!(
        Manifest::<Played>::read(folder.path()).unwrap(),
        store.manifest()
    );
    drop(store);
    open(folder.path(), &settings()).unwrap();
}

#[test]
fn damage_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), &settings()).unwrap();
    let path = store_match(&store, "a");
    let whole = fs::read(&path).unwrap();
    let mut bytes = whole.clone();
    bytes[9] ^= 1;
    for (bytes, reason) in [(&bytes[..], "checksum"), (&whole[1..], "instead of")] {
        fs::write(&path, bytes).unwrap();
        let error = store.verified(&path).unwrap_err();
        assert!(
            matches!(error, StoreError::Damaged { reason: found, .. } if found.contains(reason))
        );
    }
    assert_eq!(Verified::of(folder.path()).unwrap().faults.len(), 1);
    fs::remove_file(&path).unwrap();
    assert!(!store.has(&path));
    assert!(store.verified(&path).is_err());
    let other = folder.path().join("games/b.parquet");
    fs::write(&other, &whole).unwrap();
    let error = store.verified(&other).unwrap_err().to_string();
    assert!(error.contains("the manifest has no such file"), "{error}");
    let outside = store.enter(&[&std::env::temp_dir()]);
    assert!(matches!(outside, Err(StoreError::Unreadable { .. })));
}

#[test]
fn a_killed_process_that_prunes_leaves_either_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), &settings()).unwrap();
    let path = store_match(&store, "a");
    let whole = fs::read(&path).unwrap();
    assert!(!store.is_pruned(&path));
    store.prune(&[(path.clone(), b"less".to_vec())]).unwrap();
    assert!(store.is_pruned(&path));
    drop(store);
    assert_eq!(fs::read(&path).unwrap(), b"less");
    for (bytes, faults) in [(&b"less"[..], 0), (&whole, 0), (b"none", 1)] {
        fs::write(&path, bytes).unwrap();
        let checked = Verified::of(folder.path()).unwrap();
        assert_eq!((checked.pruned, checked.faults.len()), (1, faults));
    }
}

#[test]
fn another_format_or_kind_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let error = open(folder.path(), &settings()).unwrap_err();
        fs::remove_file(&path).unwrap();
        let hint = error.hint().unwrap_or_default();
        let line = error.to_string();
        let prefix = format!("{}: ", path.display());
        format!("{} ({hint})", line.strip_prefix(&prefix).unwrap())
    };
    let advice = "use another folder";
    let former = format!("expected format 4, found 1 ({advice})");
    assert_eq!(
        refused("manifest.json", r#"{"manifest_version": 1, "info": {}}"#),
        former
    );
    assert_eq!(refused("tournament.json", "{}"), former);
    assert_eq!(refused("study.json", "{}"), former);
    let later = refused("manifest.json", r#"{"format": 5}"#);
    assert!(later.starts_with("expected format 4, found 5"));
    assert!(refused("manifest.json", "nonsense").starts_with("expected"));
    assert!(Store::<Played>::open(folder.path()).is_err());

    open(folder.path(), &settings()).unwrap();
    assert_eq!(
        StoreKind::of_folder(folder.path()).unwrap(),
        Some(StoreKind::Tournament)
    );
    let error = Store::<RunSettings>::open(folder.path())
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("expected a run, found a tournament"),
        "{error}"
    );
    let path = folder.path().join("manifest.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"seed\": 1", "\"sead\": 1")).unwrap();
    let error = open(folder.path(), &settings()).unwrap_err().to_string();
    assert!(error.contains("unknown field `sead`"), "{error}");
}

#[test]
fn a_run_is_begun_once() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    assert!(Store::<RunSettings>::open(&missing).is_err());
    assert!(!missing.exists());
    // A run that was killed before its first game is begun anew.
    for _ in 0..2 {
        Store::create(folder.path(), run_settings()).unwrap();
    }
    let store = Store::<RunSettings>::open(folder.path()).unwrap();
    let games = folder.path().join("games/a.parquet");
    write_atomically(&games, b"games").unwrap();
    store.enter(&[&games]).unwrap();
    store
        .change_settings(|settings| settings.config_sha256 = "b".into())
        .unwrap();
    drop(store);
    let again = Store::create(folder.path(), run_settings());
    assert!(matches!(again, Err(StoreError::Exists(_))));

    let store = Store::<RunSettings>::open(folder.path()).unwrap();
    assert_eq!(store.settings().config_sha256, "b");
}

#[test]
fn the_name_of_a_file_says_what_it_is_about_and_no_other_has_it() {
    let name = file_stem(&["a b/c", "vs", "net@16", "brandubh"]);
    let (readable, hash) = name.rsplit_once('-').unwrap();
    assert_eq!((readable, hash.len()), ("a_b_c-vs-net@16-brandubh", 8));
    assert_ne!(name, file_stem(&["a_b/c", "vs", "net@16", "brandubh"]));
    assert_ne!(file_stem(&["a", "b"]), file_stem(&["b", "a"]));
}

#[test]
fn the_checkpoints_of_a_run_are_those_that_are_whole() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path();
    assert_eq!(checkpoints(run).unwrap(), []);
    let place = |number| checkpoint_folder(run, number);
    for number in [10, 2] {
        write_folder(&place(number), &[("model.json", b"{}")]).unwrap();
    }
    write_folder(&place(3), &[("weights.safetensors", b"half")]).unwrap();
    fs::create_dir_all(place(4).with_extension("partial")).unwrap();
    let all = [(2, place(2)), (10, place(10))];
    assert_eq!(checkpoints(run).unwrap(), all);
    assert_eq!(checkpoints(&run.join("checkpoints")).unwrap(), all);
    // One that is there is replaced.
    write_folder(&place(2), &[("other.json", b"{}")]).unwrap();
    assert_eq!(checkpoints(run).unwrap(), all[1..]);
}

#[test]
fn a_manifest_that_is_none_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let read = || Manifest::<RunSettings>::read(folder.path());
    assert!(matches!(read(), Err(StoreError::Io { .. })));
    let path = Manifest::<RunSettings>::path(folder.path());
    let store = Store::create(folder.path(), run_settings()).unwrap();
    assert!(store.enter(&[Path::new("elsewhere")]).is_err());
    let missing = folder.path().join("a.parquet");
    let missing = store.verified(&missing).unwrap_err();
    assert!(
        missing
            .to_string()
            .contains("the manifest has no such file")
    );
    drop(store);
    assert_eq!(read().unwrap().settings, run_settings());
    let text = fs::read_to_string(&path).unwrap();
    let format = format!("\"format\": {MANIFEST_FORMAT}");
    let change = |from: &str, to: &str| {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        fs::write(&path, text.replace(from, to)).unwrap();
        read().unwrap_err().to_string()
    };
    let error = change(&format, "\"format\": 9");
    let expected = format!("expected format {MANIFEST_FORMAT}, found 9");
    assert!(error.ends_with(&expected), "{error}");
    let error = change(&format, &format!("{format}, \"other\": 2"));
    assert!(error.contains("unknown field `other`"), "{error}");
}
