//! Balance studies on disk: counts, strength, warnings, what is added, variants, and what is refused.

use crate::contents::contents;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_arena::balance::{Cell, StudyKind, Summary, WarningKind};
use tafl_config::Change;
use tafl_dataset::{read_games, read_samples};
use tafl_rules::{Game, Move, Rules, Side};
use tafl_samples::GameRecord;
use tafl_studies::{StudyPlan, load_numbers, load_study, play_study, prune};
use tafl_training::{Kept, Silent, load_rules, ruleset_variants};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn changes(of: &[&str]) -> Vec<Change> {
    of.iter()
        .map(|change| change.parse().expect("a change"))
        .collect()
}

/// Returns the plan of a study of the repository, with changes.
fn plan(name: &str, more: &[&str]) -> StudyPlan {
    let path = root().join("configs/balance").join(name);
    load_study(&path, &changes(more)).expect("a sound config")
}

/// Plays the smoke study with changes in a folder.
fn play(folder: &Path, more: &[&str]) -> anyhow::Result<Summary> {
    let path = root().join("configs/balance/smoke.toml");
    play_study(&load_study(&path, &changes(more))?, folder, &Silent)
}

/// Returns the bytes of all files of games and samples by their place.
fn files(study: &Path) -> BTreeMap<String, Vec<u8>> {
    contents(study, &|name| {
        ["games/", "samples/"]
            .iter()
            .any(|start| name.starts_with(start))
    })
}

#[test]
fn a_study_counts_its_stored_games_and_measures_strength() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    // The reference opponent is far above everyone, so that every player is weak.
    let summary = play(folder, &["strength.least_elo=1900.0"]).expect("it is played");
    let stored = std::fs::read_to_string(folder.join("summary.json")).expect("readable");
    let stored: Summary = serde_json::from_str(&stored).expect("a summary");
    assert!(stored == summary, "returned and stored differ");
    assert_eq!(summary.study.kind, StudyKind::Rulesets);
    assert_eq!(
        (summary.study.rulesets.len(), summary.study.players.len()),
        (2, 3)
    );
    assert_eq!(summary.cells.len(), 6);
    for cell in &summary.cells {
        check_counts(folder, cell);
        let strength = cell.strength.as_ref().expect("measured");
        assert_eq!((strength.results.games(), strength.enough), (4, false));
        assert_eq!(cell.trained, None);
    }
    let warnings = summary.warnings.iter();
    assert_eq!(
        warnings.filter(|it| it.kind == WarningKind::Weak).count(),
        6
    );
    assert_eq!(summary.comparisons.len(), 3);
}

/// Checks what a study says of a cell of eight games against the files, whose games must replay.
fn check_counts(folder: &Path, cell: &Cell) {
    assert_eq!(cell.results.games(), 8);
    let [games] = &cell.games_files[..] else {
        panic!("one file: {:?}", cell.games_files);
    };
    let records = read_games(&folder.join(games)).expect("games");
    replay(&records, &Rules::preset(&cell.ruleset).expect("a preset"));
    let count = |name: &str| {
        let reasons = records.iter().map(|game| game.ending.reason.name());
        reasons.filter(|reason| *reason == name).count() as u64
    };
    for ending in &cell.endings {
        let same = cell.endings.iter().filter(|it| it.reason == ending.reason);
        let games: u64 = same.map(|it| it.games).sum();
        assert_eq!(games, count(&ending.reason), "{ending:?}");
    }
    let plies: usize = records.iter().map(|game| game.plies.len()).sum();
    assert!((cell.length.mean.value - plies as f64 / 8.0).abs() < 1e-9);
    let samples = read_samples(&folder.join(games)).expect("samples");
    let opened: usize = records.iter().map(|game| game.opening_plies as usize).sum();
    let searched = cell.player.starts_with("rollouts");
    assert_eq!(samples.len(), if searched { plies - opened } else { 0 });
    assert!(searched || cell.decision.is_none());
}

fn replay(records: &[GameRecord], rules: &Arc<Rules>) {
    for record in records {
        let mut game = Game::new(Arc::clone(rules));
        for ply in &record.plies {
            game.play(ply.mv).expect("legal");
        }
        assert!(game.outcome().is_some() || record.ending.winner.is_none());
    }
}

#[test]
fn what_is_added_is_played_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let play = |more: &[&str]| play(folder, more).expect("it is played");
    let first = play(&[]);
    let before = files(folder);
    assert_eq!(before.len(), 6);
    assert!(
        play(&[]) == first,
        "a study without news says something else"
    );
    let strengths = "players=[{player='rollouts',strengths=[2,4,8]},{player='greedy'}]";
    let more = play(&["openings.count=11", strengths]);
    let after = files(folder);
    for (name, bytes) in &before {
        assert!(after[name] == *bytes, "{name} has changed");
    }
    // A file with the new openings for each old cell, and one with all of them for each new cell.
    assert_eq!(after.len(), 6 + 6 + 2);
    for cell in &more.cells {
        let is_new = cell.player == "rollouts:4";
        assert_eq!(cell.games_files.len(), if is_new { 1 } else { 2 });
        assert_eq!(cell.results.games(), 11);
    }
    // Fewer openings are the first ones, so the numbers are those of before.
    let mut again = play(&[]);
    let note = again.notes.pop().expect("what is not counted");
    assert_eq!(
        note,
        "The folder was also used for rollouts:4, and holds games of other openings (18), which are not part of this study."
    );
    assert!(again == first, "the numbers differ");
    assert!(files(folder) == after, "files have changed");
}

#[test]
fn games_of_an_interrupted_study_stay_when_it_goes_on_with_fewer_openings() {
    let [whole, folder] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let (whole, folder) = (whole.path(), folder.path());
    let play = |folder: &Path, count: &str| {
        let small = [
            "rulesets=['brandubh']",
            "players=[{player='greedy'}]",
            "strength.openings=0",
            count,
        ];
        play(folder, &small).expect("it is played")
    };
    let first = play(whole, "openings.count=4");
    let file = &first.cells[0].games_files[0];
    let _one = play(folder, "openings.count=1");
    // What a process leaves that is stopped after three of the four games.
    let records = read_games(&whole.join(file)).expect("games");
    let lines = records[1..]
        .iter()
        .map(|it| serde_json::to_string(it).expect("a record") + "\n");
    let name = file.rsplit('/').next().expect("a name");
    let stem = name.strip_suffix("-000000.parquet").expect("the first");
    let journal = folder.join(format!("in-progress/{stem}.jsonl"));
    std::fs::write(&journal, lines.collect::<String>()).expect("writable");
    let fewer = play(folder, "openings.count=1");
    let note = fewer.notes.last().expect("what is not counted");
    assert!(note.contains("games of other openings (3)"), "{note}");
    assert_eq!(fewer.cells[0].results.games(), 1);
    assert!(!journal.exists());
    let stored = files(folder);
    let all = play(folder, "openings.count=4");
    assert_eq!(all.cells[0].results, first.cells[0].results);
    assert!(files(folder) == stored, "games were played again");
}

#[test]
fn the_five_rulesets_are_played_by_a_network_and_baselines_to_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let players = "players=[{player='../../data/nets/quickstart',strengths=[1,2]},\
                   {player='alphabeta',strengths=[1]},{player='random'}]";
    let tiny = [
        players,
        "openings.count=2",
        "difficulty.visits=4",
        "strength.openings=1",
        "strength.reference='random'",
        "max_plies=24",
        "precision='f32'",
    ];
    let plan = plan("five-rulesets.toml", &tiny);
    let summary = play_study(&plan, folder.path(), &Silent).expect("it is played");
    assert_eq!(summary.cells.len(), 20);
    // Of games that were mostly cut nothing is compared.
    let known = |player: &str| {
        let cells = summary.cells.iter().filter(|it| it.player == player);
        let known = cells.filter(|it| 2 * it.results.capped <= it.results.games());
        known.count()
    };
    let pairs = |count: usize| count * count.saturating_sub(1) / 2;
    let players = summary.study.players.iter();
    let pairs: usize = players.map(|it| pairs(known(&it.name))).sum();
    assert_eq!(summary.comparisons.len(), pairs);
    // The network of the repository has learned Copenhagen alone.
    let learned = summary
        .cells
        .iter()
        .filter(|cell| cell.trained == Some(true));
    let learned: Vec<&str> = learned.map(|cell| cell.ruleset.as_str()).collect();
    assert_eq!(learned, ["copenhagen"; 2]);
    let warnings = summary.warnings.iter();
    let untrained = warnings.filter(|it| it.kind == WarningKind::Untrained);
    assert_eq!(untrained.count(), 8);
    assert!(
        !summary.study.people.is_empty(),
        "people have played some of the rulesets"
    );
}

#[test]
fn openings_come_from_a_policy_and_each_side_is_probed_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let play = |more: &[&str]| {
        let players =
            "players=[{player='../../data/nets/brandubh',strengths=[1,4]},{player='greedy'}]";
        let small = [
            "rulesets=['brandubh']",
            players,
            "openings.source='policy'",
            "openings.plies=3",
            "strength.openings=0",
            "difficulty.positions=5",
            "difficulty.visits=16",
            "precision='f32'",
        ];
        play(folder, &[&small[..], more].concat()).expect("it is played")
    };
    let first = play(&["openings.count=8"]);
    assert_eq!(first.study.opening_policy.as_deref(), Some("brandubh net"));
    let lines = |name: &str| std::fs::read_to_string(folder.join(name)).expect("readable");
    let openings = lines("openings/brandubh.txt");
    assert_eq!(openings.lines().count(), 8);
    let plies = |line: &str| {
        if line == "start" {
            0
        } else {
            line.split(' ').count()
        }
    };
    assert!(openings.lines().all(|line| plies(line) <= 3), "{openings}");
    let of_first = &first.cells[0];
    assert_eq!(
        of_first.results.games() + of_first.repeated,
        u64::from(first.study.rulesets[0].openings)
    );
    let records = read_games(&folder.join(&of_first.games_files[0])).expect("games");
    for record in &records {
        let line = openings.lines().nth((record.game_id / 2) as usize);
        assert_eq!(
            record.opening_plies as usize,
            plies(line.expect("an opening"))
        );
    }
    let [attackers, defenders] = &first.difficulties[..] else {
        panic!("two sides: {:?}", first.difficulties);
    };
    assert_eq!(
        [attackers.side, defenders.side],
        [Side::Attacker, Side::Defender]
    );
    assert!(attackers.positions + defenders.positions > 2);
    assert!(defenders.visits.low >= 1.0 && defenders.visits.high <= 16.0);
    // Nothing is drawn or measured twice, and more openings follow the first ones.
    let probed = lines("difficulty/brandubh.json");
    assert!(play(&["openings.count=8"]) == first, "nothing is new");
    assert_eq!(lines("difficulty/brandubh.json"), probed);
    let more = play(&["openings.count=12"]);
    assert!(lines("openings/brandubh.txt").starts_with(&openings));
    assert!(more.cells[0].results.games() > of_first.results.games());
    // Random openings are another study.
    let path = root().join("configs/balance/smoke.toml");
    let random = load_study(&path, &changes(&["openings.plies=3"])).expect("a sound config");
    let error = play_study(&random, folder, &Silent).expect_err("other openings");
    assert!(error.to_string().contains("opening_policy"), "{error:#}");
}

#[test]
fn openings_come_from_a_search_and_begin_in_the_start_position() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let play = |source: &str| {
        let source = format!("openings.source='{source}'");
        let small = [
            "rulesets=['brandubh']",
            "players=[{player='../../data/nets/brandubh',strengths=[4]}]",
            &source,
            "openings.count=6",
            "openings.plies=3",
            "strength.openings=0",
            "precision='f32'",
        ];
        play(folder, &small)
    };
    let summary = play("search").expect("it is played");
    assert_eq!(
        summary.study.opening_policy.as_deref(),
        Some("brandubh net")
    );
    assert_eq!(summary.study.opening_visits, Some(4));
    let note =
        "3 plies from the start position, each drawn from a search with 4 visits by brandubh net";
    assert!(
        summary.notes.iter().any(|it| it.contains(note)),
        "{:?}",
        summary.notes
    );
    let openings = std::fs::read_to_string(folder.join("openings/brandubh.txt")).expect("readable");
    let lengths: Vec<usize> = openings
        .lines()
        .map(|line| line.split(' ').count())
        .collect();
    assert_eq!(lengths, [3; 6], "{openings}");
    // The policy alone would draw others.
    let error = play("policy").expect_err("another study");
    assert!(error.to_string().contains("opening_visits"), "{error:#}");
}

#[test]
fn a_pruned_study_keeps_games_and_results_but_does_not_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let summary = play(folder, &["strength.openings=0"]).expect("it is played");
    let before = files(folder);
    let without_samples = Kept {
        old_samples: false,
        checkpoint_every: 1,
    };
    // Games that the results leave out could not be counted afterwards.
    let fewer = ["strength.openings=0", "openings.count=2"];
    play(folder, &fewer).expect("nothing is new");
    let error = prune(folder, without_samples).expect_err("most games are not counted");
    assert!(error.to_string().contains("12 of 48 games"), "{error:#}");
    play(folder, &["strength.openings=0"]).expect("nothing is new");
    let freed = prune(folder, without_samples).expect("pruned");
    assert_eq!((freed.samples, freed.checkpoints), (6, 0));
    let after = files(folder);
    assert_eq!(after.len(), 6);
    for (name, bytes) in &after {
        assert!(bytes.len() <= before[name].len(), "{name}");
        assert!(!read_games(&folder.join(name)).expect("games").is_empty());
    }
    let stored = std::fs::read_to_string(folder.join("summary.json")).expect("readable");
    assert!(serde_json::from_str::<Summary>(&stored).expect("a summary") == summary);
    let error = play(folder, &["strength.openings=0"]).expect_err("its searches are gone");
    assert!(
        error
            .to_string()
            .contains("searches of its games were removed"),
        "{error:#}"
    );
    assert_eq!(
        prune(folder, without_samples)
            .expect("nothing to do")
            .samples,
        0
    );
}

#[test]
fn a_policy_needs_a_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = play(folder.path(), &["openings.source='policy'"]).expect_err("no network");
    assert!(error.to_string().contains("openings.source"), "{error:#}");
}

#[test]
fn a_player_that_takes_long_plays_a_share_of_the_openings() {
    let folder = tempfile::tempdir().expect("a folder");
    let players = "players=[{player='greedy'},{player='rollouts',strengths=[2],share=0.3}]";
    let summary = play(folder.path(), &[players, "strength.openings=0"]).expect("it is played");
    let games: Vec<u64> = summary
        .cells
        .iter()
        .map(|cell| cell.results.games())
        .collect();
    assert_eq!(games, [8, 3, 8, 3], "of 8 openings");
}

/// Plays variants of the small board's ruleset by the random player, who loses and wins.
fn vary(folder: &Path, fields: &[&str]) -> anyhow::Result<Summary> {
    let base = load_rules("brandubh", Path::new("."))?;
    let variants = fields
        .iter()
        .map(|field| ruleset_variants(base.ruleset(), field));
    let variants = variants.collect::<Result<Vec<_>, _>>()?.concat();
    let numbers = [
        "openings.count=12",
        "strength.openings=1",
        "strength.reference='greedy'",
    ];
    let config = load_numbers(None, &changes(&numbers))?;
    let plan = StudyPlan::of_variants(config, vec!["random".parse()?], &base, variants);
    play_study(&plan, folder, &Silent)
}

fn opening(game: &GameRecord) -> Vec<Move> {
    let plies = &game.plies[..game.opening_plies as usize];
    plies.iter().map(|ply| ply.mv).collect()
}

#[test]
fn variants_are_played_from_the_openings_of_their_base_and_replay_under_their_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let study = folder.path();
    let found = vary(study, &["shieldwall", "escape=edges"]).expect("it is played");
    assert_eq!(found.study.kind, StudyKind::Variants);
    assert_eq!((found.effects.len(), found.comparisons.len()), (2, 0));
    let base = read_games(&study.join(&found.cells[0].games_files[0])).expect("games");
    for (cell, ruleset) in found.cells.iter().zip(&found.study.rulesets) {
        let records = read_games(&study.join(&cell.games_files[0])).expect("games");
        assert_eq!(cell.results.games(), u64::from(ruleset.openings));
        assert!(ruleset.openings > 0);
        for game in &records {
            let same = base.iter().find(|other| other.game_id == game.game_id);
            let same = same.expect("the base has all openings");
            assert_eq!(opening(same), opening(game));
        }
        if let Some(file) = &ruleset.file {
            let path = study.join(file).display().to_string();
            let rules = load_rules(&path, Path::new(".")).expect("a ruleset file");
            replay(&records, &rules);
        }
    }
    let effect = |field: &str| {
        let mut effects = found.effects.iter();
        effects
            .find(|it| it.change.field == field)
            .expect("an effect")
    };
    // Players and seeds are the same, so games differ from where the rule matters on.
    assert!(effect("shieldwall").same_games > 0);
    let edges = effect("escape");
    assert!(edges.difference.value < -0.1, "more ways out: {edges:?}");
}

#[test]
fn where_the_other_side_moves_first_the_pieces_of_openings_stand_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    let study = folder.path();
    let found = vary(study, &["moves_first"]).expect("it is played");
    let [base, variant] = [0, 1].map(|cell: usize| {
        let files = &found.cells[cell].games_files;
        read_games(&study.join(&files[0])).expect("games")
    });
    assert!(variant.len() > 6, "{}", variant.len());
    let rules = Rules::preset("brandubh").expect("a preset");
    let mut turned = rules.ruleset().clone();
    turned.moves_first = Side::Defender;
    let turned = Rules::new(turned).expect("playable");
    let after = |rules: &Arc<Rules>, game: &GameRecord| {
        let mut played = Game::new(Arc::clone(rules));
        opening(game).into_iter().for_each(|mv| {
            played.play(mv).expect("a legal move");
        });
        *played.position()
    };
    let mut alike = 0;
    for game in &variant {
        assert_eq!(game.start.side, Side::Defender);
        let same = base.iter().find(|other| other.game_id == game.game_id);
        let [one, other] = [(&rules, same), (&turned, Some(game))]
            .map(|(rules, game)| after(rules, game.expect("the base has all openings")));
        assert_eq!([one.side(), other.side()], [Side::Attacker, Side::Defender]);
        alike += usize::from(
            Side::ALL
                .iter()
                .all(|&side| one.pieces(side) == other.pieces(side)),
        );
    }
    // A capture in the opening may come about in one order alone.
    assert!(alike >= variant.len() - 1, "{alike} of {}", variant.len());
}

#[test]
fn a_field_that_is_added_is_one_more_cell() {
    let folder = tempfile::tempdir().expect("a folder");
    let study = folder.path();
    let first = vary(study, &["shieldwall"]).expect("it is played");
    let before = files(study);
    let more = vary(study, &["shieldwall", "no_move"]).expect("it is played");
    let after = files(study);
    assert_eq!(after.len(), before.len() + 1);
    assert!(before.iter().all(|(name, bytes)| after[name] == *bytes));
    assert!(more.cells[..2] == first.cells[..], "cells have changed");
}

#[test]
fn other_boards_other_settings_and_damage_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let refused = |more: &[&str]| {
        let played = play(folder, more);
        format!("{:#}", played.expect_err("it is refused"))
    };
    // A network plays on its own board alone.
    let net = "players=[{player='../../data/nets/quickstart',strengths=[1]}]";
    let said = refused(&[net]);
    assert!(said.contains("have boards of different sizes"), "{said}");
    let empty = folder.join("empty.toml");
    std::fs::write(&empty, "base = 'brandubh'\nstart = '7/7/7/3K3/7/7/7'\n").expect("written");
    let said = refused(&[&format!("rulesets=['brandubh', '{}']", empty.display())]);
    assert!(
        said.contains("empty.toml: line 2: field `start`: the side to move has no legal move"),
        "{said}"
    );

    play(folder, &[]).expect("it is played");
    for (change, expected) in [
        ("seed=2", "field `settings.seed`: played with 1, now 2"),
        (
            "max_plies=90",
            "field `settings.max_plies`: played with 120, now 90",
        ),
        (
            "openings.plies=2",
            "field `settings.opening_plies`: played with 4, now 2",
        ),
    ] {
        let said = refused(&[change]);
        assert!(said.contains(expected), "{said}");
    }
    let (name, bytes) = files(folder).pop_first().expect("a file");
    let mut flipped = bytes.clone();
    flipped[9] ^= 1;
    for (bytes, reason) in [
        (&flipped[..], "its checksum differs from the manifest's"),
        (&bytes[..bytes.len() - 1], "bytes instead of"),
    ] {
        std::fs::write(folder.join(&name), bytes).expect("written");
        let said = refused(&[]);
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn a_network_in_another_number_format_is_another_player() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let play = |precision: &str| {
        let small = [
            "rulesets=['brandubh']",
            "players=[{player='../../data/nets/brandubh',strengths=[1]}]",
            "openings.count=2",
            "strength.openings=0",
            precision,
        ];
        play(folder, &small).map_err(|error| format!("{error:#}"))
    };
    play("precision='f32'").expect("it is played");
    let said = play("precision='int8'").expect_err("other games");
    let expected = ".precision`: played with f32, now int8";
    assert!(said.ends_with(expected), "{said}");
    // An older folder does not tell, and goes on.
    let manifest = folder.join("manifest.json");
    let text = std::fs::read_to_string(&manifest).expect("readable");
    let older = text.replace("\"precision\": \"f32\",", "");
    assert!(older != text, "{text}");
    std::fs::write(&manifest, older).expect("written");
    play("precision='int8'").expect("nothing is missing");
}
