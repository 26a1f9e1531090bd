//! Matches of a tournament that a sequential test ends.

use std::path::Path;
use tafl_arena::{MatchResult, Sprt, Verdict};
use tafl_play::{MatchConfig, RunnerConfig, openings};
use tafl_rules::Rules;
use tafl_samples::Baseline;
use tafl_studies::{Format, Tournament, TournamentSettings};
use tafl_training::{OpenedPlayer, Silent};

/// How a match is played, whose test, if it has one, asks for 0 or 100 Elo points.
#[derive(Clone, Copy)]
struct Job {
    players: [Baseline; 2],
    openings: u32,
    is_tested: bool,
    workers: u32,
    parallel_games: u32,
}

impl Job {
    /// Plays it in a folder, whose games it leaves there.
    fn play(self, folder: &Path) -> (MatchResult, Option<Sprt>) {
        let rules = Rules::preset("brandubh").unwrap();
        let config = MatchConfig {
            max_plies: 120,
            ..MatchConfig::default()
        };
        let tournament = Tournament {
            players: self.players.map(OpenedPlayer::baseline).into(),
            openings: vec![openings(&rules, self.openings, 4, 9)],
            rules: vec![rules],
            config: &config,
            runner: &RunnerConfig {
                workers: self.workers,
                parallel_games: self.parallel_games,
                cache_positions: 0,
            },
            format: Format::RoundRobin,
            sprt: self.is_tested.then(|| "0,100".parse().unwrap()),
            adjudication: None,
            first_opening: 0,
        };
        let settings = TournamentSettings {
            seed: 4,
            opening_plies: Some(4),
            openings_sha256: None,
            max_plies: 120,
            adjudicate: None,
        };
        let played = tournament.play(folder, &settings, &Silent);
        let (mut matches, sprt) = played.unwrap();
        (matches.pop().unwrap(), sprt)
    }
}

#[test]
fn a_test_ends_the_match_with_the_same_pair_whatever_the_workers() {
    let play = |workers, parallel_games, players| {
        let folder = tempfile::tempdir().unwrap();
        let job = Job {
            players,
            openings: 300,
            is_tested: true,
            workers,
            parallel_games,
        };
        let (result, sprt) = job.play(&folder.path().join("match"));
        (result, sprt.unwrap())
    };
    let (result, sprt) = play(1, 2, [Baseline::GREEDY, Baseline::RANDOM]);
    for (workers, parallel_games) in [(1, 64), (3, 8)] {
        let again = play(
            workers,
            parallel_games,
            [Baseline::GREEDY, Baseline::RANDOM],
        );
        assert_eq!((&result, sprt), (&again.0, again.1));
    }
    assert_eq!(sprt.verdict(), Verdict::Accept);
    assert_eq!(sprt.pairs(), result.pair_counts());
    assert_eq!(result.games.len() as u64, 2 * sprt.pairs().pairs());
    assert!(result.games.len() < 200);
    let (_, rejected) = play(2, 16, [Baseline::RANDOM, Baseline::GREEDY]);
    assert_eq!(rejected.verdict(), Verdict::Reject);
}

#[test]
fn a_match_is_told_as_its_players_are_named_now() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("match");
    let first = Job {
        players: [Baseline::RANDOM, Baseline::GREEDY],
        openings: 2,
        is_tested: false,
        workers: 1,
        parallel_games: 6,
    };
    assert_eq!(first.play(&folder).0.games.len(), 4);
    // In the folder the two stand the other way round.
    let turned = Job {
        players: [Baseline::GREEDY, Baseline::RANDOM],
        openings: 100,
        is_tested: true,
        ..first
    };
    let (result, sprt) = turned.play(&folder);
    let sprt = sprt.unwrap();
    assert_eq!(result.players[0].baseline(), Some(Baseline::GREEDY));
    assert_eq!(sprt.verdict(), Verdict::Accept);
    assert_eq!(sprt.pairs(), result.pair_counts());
    // Asked again, the stored games decide as before.
    let (again, same) = turned.play(&folder);
    assert_eq!((again, same), (result, Some(sprt)));
}

#[test]
fn a_process_killed_before_it_entered_more_games_leaves_a_folder_that_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("match");
    let job = |openings| Job {
        players: [Baseline::GREEDY, Baseline::RANDOM],
        openings,
        is_tested: false,
        workers: 1,
        parallel_games: 6,
    };
    assert_eq!(job(2).play(&folder).0.games.len(), 4);
    let manifest = folder.join("manifest.json");
    let before = std::fs::read(&manifest).unwrap();
    let (result, _) = job(5).play(&folder);
    assert_eq!(result.games.len(), 10);
    std::fs::write(&manifest, before).unwrap();
    assert_eq!(job(5).play(&folder).0, result);
    // Fewer openings than are stored leave some out.
    assert_eq!(job(3).play(&folder).0.games, result.games[..6]);
}
