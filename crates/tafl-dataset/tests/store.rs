//! A store takes only games that were played like those it holds, and loses none.

mod runs;

use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use tafl_dataset::{
    DatasetError, Manifest, Replay, RunSettings, Settings, Store, StoreKind, Verified,
    WindowConfig, file_stem, read_games, write_games,
};
use tafl_rules::{Rules, Ruleset};

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
}

fn settings() -> Played {
    Played {
        seed: 1,
        openings: None,
        commit: "one".to_owned(),
    }
}

fn open(folder: &Path, settings: &Played) -> Result<Store<Played>, DatasetError> {
    Store::open_or_create(folder, settings)
}

/// Stores some games of a match as those who play it do, and returns where.
fn store_match(store: &Store<Played>, name: &str) -> PathBuf {
    let (records, rules) = runs::brandubh_games(0, 2);
    let path = store.folder().join(format!("games/{name}.parquet"));
    let records: Vec<_> = records.iter().collect();
    write_games(&path, &records, &rules, &runs::provenance(0)).unwrap();
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
    assert_eq!(
        read_games(store.verified(&games).unwrap()).unwrap().len(),
        2
    );
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
    let (records, rules) = runs::brandubh_games(0, 1);
    let (journal, _) = store.journal("a", &rules, 0).unwrap();
    journal.append(&records[0]).unwrap();
    drop((journal, store));
    let error = open(folder.path(), &settings()).unwrap_err();
    assert!(matches!(error, DatasetError::Differs { field, .. } if field == "settings.seed"));
}

#[test]
fn one_name_is_one_ruleset_and_one_player() {
    let folder = tempfile::tempdir().unwrap();
    let brandubh = Rules::preset("brandubh").unwrap();
    let card = |visits: u32| json!({"kind": "checkpoint", "search": {"visits": visits}});
    let store = open(folder.path(), &settings()).unwrap();
    store.admit_ruleset(&brandubh).unwrap();
    store.admit_player("a", &card(16)).unwrap();
    store_match(&store, "a");
    drop(store);

    let store = open(folder.path(), &settings()).unwrap();
    store.admit_ruleset(&brandubh).unwrap();
    store.admit_player("a", &card(16)).unwrap();
    store.admit_player("b", &card(32)).unwrap();
    let error = store.admit_player("a", &card(32)).unwrap_err().to_string();
    assert!(
        error.ends_with("field `players.a.search.visits`: played with 16, now 32"),
        "{error}"
    );
    let other = Rules::preset("tablut").unwrap().ruleset().clone();
    let other = Ruleset {
        name: "brandubh".to_owned(),
        ..other
    };
    let error = store
        .admit_ruleset(&Rules::new(other).unwrap())
        .unwrap_err();
    assert!(matches!(error, DatasetError::Differs { field, .. } if field == "rulesets.brandubh"));
}

#[test]
fn games_of_a_killed_process_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let (records, rules) = runs::brandubh_games(3, 2);
    let store = open(folder.path(), &settings()).unwrap();
    let (journal, _) = store.journal("a", &rules, 3).unwrap();
    for record in &records {
        journal.append(record).unwrap();
    }
    let path = folder.path().join("in-progress/a.jsonl");
    drop((journal, store));
    let text = fs::read(&path).unwrap();
    fs::write(&path, &text[..text.len() - 2]).unwrap();
    let half = folder.path().join("games/deep/a.tmp.parquet");
    fs::create_dir_all(half.parent().unwrap()).unwrap();
    fs::write(&half, "half").unwrap();
    let own = folder.path().join("notes.tmp");
    fs::write(&own, "of the user").unwrap();

    let store = open(folder.path(), &settings()).unwrap();
    assert_eq!((half.exists(), own.exists()), (false, true));
    assert!(store.has_journal("a"));
    let (journal, games) = store.journal("a", &rules, 3).unwrap();
    assert_eq!(games, records[..1]);
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
            matches!(error, DatasetError::Damaged { reason: found, .. } if found.contains(reason))
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
    assert!(matches!(outside, Err(DatasetError::Unreadable { .. })));
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
    let advice = "use another folder; `tafl rules replay` reads the games in this one";
    let former = format!("expected format 3, found 1 ({advice})");
    assert_eq!(
        refused("manifest.json", r#"{"manifest_version": 1, "info": {}}"#),
        former
    );
    assert_eq!(refused("tournament.json", "{}"), former);
    assert_eq!(refused("study.json", "{}"), former);
    let later = refused("manifest.json", r#"{"format": 4}"#);
    assert!(later.starts_with("expected format 3, found 4"));
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
fn a_run_is_begun_once_and_its_samples_are_drawn_from() {
    let folder = tempfile::tempdir().unwrap();
    let settings = || RunSettings {
        run: "test".into(),
        git_commit: None,
        seed: 1,
        config_sha256: "a".into(),
        libtorch: String::new(),
        device: "cpu".into(),
        precision: "f32".into(),
        stages: Vec::new(),
    };
    let missing = folder.path().join("missing");
    assert!(Store::<RunSettings>::open(&missing).is_err());
    assert!(!missing.exists());
    // A run that was killed before its first game is begun anew.
    for _ in 0..2 {
        Store::create(folder.path(), settings()).unwrap();
    }
    let store = Store::<RunSettings>::open(folder.path()).unwrap();
    let written = runs::generation(folder.path(), 0, 3);
    store
        .enter(&[&written.games_path, &written.samples_path])
        .unwrap();
    store
        .change_settings(|settings| settings.config_sha256 = "b".into())
        .unwrap();
    drop(store);
    let again = Store::create(folder.path(), settings());
    assert!(matches!(again, Err(DatasetError::Exists { .. })));

    let store = Store::<RunSettings>::open(folder.path()).unwrap();
    assert_eq!(store.settings().config_sha256, "b");
    let config = WindowConfig {
        minimum: 300,
        maximum: 300,
        ..WindowConfig::default()
    };
    let window = Replay::new(config, 1).window_of_store(&store, 1).unwrap();
    assert_eq!(window.total(), written.samples.len() as u64);
    fs::write(&written.samples_path, "PAR1").unwrap();
    assert!(Replay::new(config, 1).window_of_store(&store, 1).is_err());
}

#[test]
fn the_name_of_a_file_says_what_it_is_about_and_no_other_has_it() {
    let name = file_stem(&["a b/c", "vs", "net@16", "brandubh"]);
    let (readable, hash) = name.rsplit_once('-').unwrap();
    assert_eq!((readable, hash.len()), ("a_b_c-vs-net@16-brandubh", 8));
    assert_ne!(name, file_stem(&["a_b/c", "vs", "net@16", "brandubh"]));
    assert_ne!(file_stem(&["a", "b"]), file_stem(&["b", "a"]));
}
