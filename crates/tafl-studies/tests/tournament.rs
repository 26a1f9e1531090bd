//! Tournaments on disk: what is added to them, what they refuse, and what is stored.

use crate::contents::contents;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use tafl_dataset::read_games;
use tafl_play::{MatchConfig, RunnerConfig};
use tafl_rules::{Game, Rules};
use tafl_samples::{EndingReason, GameRecord};
use tafl_studies::{
    Anchor, Format, OpeningFile, Openings, Resampling, Standings, Tournament, TournamentSettings,
};
use tafl_training::{Notice, Observer, OpenedPlayer, PlayerSource, RunConfig, Silent};

/// Settings of the small tournaments.
const SETTINGS: TournamentSettings = TournamentSettings {
    seed: 1,
    opening_plies: Some(4),
    openings_sha256: None,
    max_plies: 120,
    adjudicate: None,
};

fn opened(name: &str, rules: &Rules) -> OpenedPlayer {
    let source: PlayerSource = name.parse().expect("a player");
    source
        .open(&RunConfig::default(), rules)
        .expect("it is ready")
}

/// A small tournament of baselines.
#[derive(Clone, Copy)]
struct Small<'a> {
    players: &'a [&'a str],
    rulesets: &'a [&'a str],
    openings: u32,
    file: Option<&'a OpeningFile>,
    format: Format,
}

impl<'a> Small<'a> {
    /// Six openings of Brandubh, everyone against everyone.
    fn of(players: &'a [&'a str]) -> Self {
        Self {
            players,
            rulesets: &["brandubh"],
            openings: 6,
            file: None,
            format: Format::RoundRobin,
        }
    }

    /// Plays what a folder does not hold yet.
    fn play(&self, folder: &Path, settings: &TournamentSettings) -> anyhow::Result<Standings> {
        self.play_changed(folder, settings, &|_| (), &Silent)
    }

    /// Does the same with changed players.
    fn play_changed(
        &self,
        folder: &Path,
        settings: &TournamentSettings,
        change: &dyn Fn(&mut [OpenedPlayer]),
        observer: &dyn Observer,
    ) -> anyhow::Result<Standings> {
        let preset = |name: &&str| Rules::preset(name).expect("a preset");
        let rules: Vec<Arc<Rules>> = self.rulesets.iter().map(preset).collect();
        let config = MatchConfig {
            opening_plies: settings.opening_plies.unwrap_or(0),
            max_plies: settings.max_plies,
            ..MatchConfig::default()
        };
        let openings = Openings {
            file: self.file,
            count: Some(self.openings),
            config: &config,
            seed: settings.seed,
        };
        let openings = rules.iter().map(|rules| openings.of(rules, &Silent));
        let players = self.players.iter().map(|name| opened(name, &rules[0]));
        let mut players: Vec<OpenedPlayer> = players.collect();
        change(&mut players);
        let tournament = Tournament {
            players,
            openings: openings.collect::<anyhow::Result<_>>()?,
            rules,
            config: &config,
            runner: &RunnerConfig::default(),
            format: self.format,
            sprt: None,
            adjudication: None,
            first_opening: 0,
        };
        let (matches, _) = tournament.play(folder, settings, observer)?;
        let resampling = Resampling {
            resamples: 50,
            seed: 1,
        };
        Ok(tournament
            .standings(&matches, Anchor::FirstMixed, resampling)?
            .sorted())
    }
}

/// Returns the bytes of every file of games by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    contents(&folder.join("games"), &|_| true)
}

#[test]
fn nobody_is_rated_above_a_player_who_lost_every_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let small = Small::of(&["random", "alphabeta:2", "alphabeta:1"]);
    let standings = small.play(folder.path(), &SETTINGS).expect("it is played");
    let of = |name: &str| standings.players.iter().find(|it| it.name == name);
    let random = of("random").expect("it played");
    assert_eq!((random.attackers + random.defenders).score(), 0.0);
    assert!(random.bootstrap.is_none(), "all its games ended alike");
    assert!(standings.anchor.starts_with("alphabeta:"));
    let others = standings
        .players
        .iter()
        .filter(|it| it.name.starts_with("alphabeta:"));
    let drawn: Vec<bool> = others.map(|it| it.bootstrap.is_some()).collect();
    assert_eq!(drawn, [true, false], "but the anchor's own rating");
}

#[test]
fn a_player_who_is_added_plays_only_what_is_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let play = |small: Small<'_>| small.play(folder, &SETTINGS).expect("it is played");
    let two = play(Small::of(&["greedy", "random"]));
    assert_eq!(two.players.len(), 2);
    let before = files(folder);
    assert_eq!(before.len(), 1);

    let three = play(Small::of(&["greedy", "random", "alphabeta:1"]));
    let after = files(folder);
    assert_eq!(after.len(), 3);
    let (name, bytes) = before.first_key_value().expect("a file");
    assert!(after[name] == *bytes, "the stored match is as it was");
    for row in &three.matches {
        let sides = [row.attackers, row.defenders];
        let games = sides.map(|it| it.wins + it.draws + it.losses + it.capped);
        assert_eq!(games, [6, 6]);
    }
    let superiority = &three.superiority;
    assert_eq!(superiority[1][1], 0.5);
    assert!((superiority[0][1] + superiority[1][0] - 1.0).abs() < 1e-9);

    // The same the other way round plays nothing and says the same.
    let gauntlet = Small {
        format: Format::Gauntlet,
        ..Small::of(&["alphabeta:1", "random", "greedy"])
    };
    assert_eq!(play(gauntlet).matches.len(), 2);
    assert_eq!(files(folder), after);
}

#[test]
fn more_openings_are_the_same_ones_and_some_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let play = |players: &[&str], openings| {
        let small = Small {
            openings,
            ..Small::of(players)
        };
        small.play(folder, &SETTINGS).expect("it is played");
        let records = files(folder).into_iter();
        let records = records.map(|(name, _)| read_games(&folder.join("games").join(name)));
        let records = records.flat_map(|records| records.expect("games"));
        records.collect::<Vec<GameRecord>>()
    };
    let before = play(&["greedy", "random"], 6);
    let after = play(&["random", "greedy"], 9);
    assert_eq!((before.len(), after.len()), (12, 18));
    assert_eq!(after[..12], before);
}

#[test]
fn other_settings_other_weights_and_damage_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let refused = |settings: &TournamentSettings| {
        let played = Small::of(&["greedy", "random"]).play(folder, settings);
        played.err().map(|error| format!("{error:#}"))
    };
    assert_eq!(refused(&SETTINGS), None);
    let manifest = folder.join("manifest.json");
    for (settings, difference) in [
        (
            TournamentSettings {
                seed: 2,
                ..SETTINGS
            },
            "seed`: played with 1, now 2",
        ),
        (
            TournamentSettings {
                max_plies: 90,
                ..SETTINGS
            },
            "max_plies`: played with 120, now 90",
        ),
        (
            TournamentSettings {
                opening_plies: Some(2),
                ..SETTINGS
            },
            "opening_plies`: played with 4, now 2",
        ),
    ] {
        let expected = format!("{}: field `settings.{difference}", manifest.display());
        assert_eq!(refused(&settings).as_deref(), Some(&*expected));
    }
    let text = std::fs::read_to_string(&manifest).expect("readable");
    let other = text.replace("\"kind\": \"greedy\"", "\"kind\": \"other\"");
    std::fs::write(&manifest, other).expect("written");
    let error = refused(&SETTINGS).expect("another player");
    let expected = "field `players.greedy.kind`: played with other, now greedy";
    assert!(error.contains(expected), "{error}");
    std::fs::write(&manifest, text).expect("written");

    let (name, mut bytes) = files(folder).pop_last().expect("a file");
    bytes[9] ^= 1;
    for (bytes, reason) in [
        (&bytes[..], "its checksum differs from the manifest's"),
        (b"PAR1", "4 bytes instead of"),
    ] {
        std::fs::write(folder.join("games").join(&name), bytes).expect("written");
        let error = refused(&SETTINGS).expect("damage");
        assert!(error.contains(reason), "{error}");
    }
}

/// What was said of games that earlier calls played.
#[derive(Default)]
struct Heard(Mutex<Vec<(usize, Vec<String>)>>);

impl Observer for Heard {
    fn noticed(&self, notice: &Notice<'_>) {
        if let Notice::EarlierGames { games, engines } = notice {
            let engines = engines.iter().cloned().collect();
            self.0.lock().expect("no panic").push((*games, engines));
        }
    }
}

#[test]
fn a_program_that_has_changed_is_refused_and_its_earlier_games_are_told() {
    let [folder, older] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let heard = Heard::default();
    let play = |folder: &Path, sum: Option<&str>| {
        let change = |players: &mut [OpenedPlayer]| {
            let card = &mut players[0].card;
            card.engine = Some(serde_json::json!({"command": "python bot.py"}));
            let sum = sum.map(|sum| BTreeMap::from([("bot.py".to_owned(), sum.to_owned())]));
            card.files_sha256 = sum;
        };
        let small = Small::of(&["greedy", "random"]);
        let played = small.play_changed(folder, &SETTINGS, &change, &heard);
        let said = std::mem::take(&mut *heard.0.lock().expect("no panic"));
        played.map(|_| said).map_err(|error| format!("{error:#}"))
    };
    let earlier = Ok(vec![(12, vec!["greedy".to_owned()])]);
    assert_eq!(play(folder.path(), Some("1")), Ok(Vec::new()));
    assert_eq!(play(folder.path(), Some("1")), earlier);
    let error = play(folder.path(), Some("2")).expect_err("another program");
    let expected = "field `players.greedy.files_sha256.bot.py`: played with 1, now 2";
    assert!(error.contains(expected), "{error}");
    // What was played before cards told of files goes on.
    assert_eq!(play(older.path(), None), Ok(Vec::new()));
    assert_eq!(play(older.path(), Some("1")), earlier);
}

#[test]
fn stored_games_replay_and_matches_of_two_sets_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/openings/copenhagen.txt");
    let file = OpeningFile {
        name: path.display().to_string(),
        text: std::fs::read_to_string(path).expect("readable"),
    };
    let rulesets = ["copenhagen-tournament", "fetlar"];
    let small = Small {
        rulesets: &rulesets,
        openings: 3,
        file: Some(&file),
        ..Small::of(&["alphabeta:1", "greedy"])
    };
    let settings = TournamentSettings {
        opening_plies: None,
        max_plies: 400,
        ..SETTINGS
    };
    let standings = small.play(folder, &settings).expect("it is played");
    assert_eq!(standings.rulesets.len(), 2);
    let sets = standings.matches[0]
        .sets
        .as_ref()
        .expect("the leaflet has matches of two sets");
    let tally = &sets.tally;
    assert_eq!(tally.wins + tally.draws + tally.losses + tally.undecided, 3);
    assert!(standings.matches[1].sets.is_none());
    let stored = files(folder);
    assert_eq!(stored.len(), 2);
    for (name, _) in stored {
        let ruleset = rulesets.iter().find(|ruleset| name.contains(*ruleset));
        let rules = Rules::preset(ruleset.expect("its name has it")).expect("a preset");
        let records = read_games(&folder.join("games").join(name)).expect("games");
        assert_eq!(records.len(), 6);
        for record in records {
            let mut game = Game::new(rules.clone());
            for ply in &record.plies {
                game.play(ply.mv).expect("legal");
            }
            let reason = game.outcome().map(|outcome| outcome.reason);
            let by_rule = match record.ending.reason {
                EndingReason::Rule(reason) => Some(reason),
                _ => None,
            };
            assert_eq!(reason, by_rule);
        }
    }
}
