//! What may be learned from: shards that anyone may have written, checked before they count.
//!
//! A shard is taken when it is whole, within limits, of the run's rulesets and new, and when its games, replayed by the
//! rules, give its samples. Only what the searches said must be believed, within its range.

use anyhow::{Context, bail, ensure};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_dataset::{check_shard_size, game_seeds, read_games, read_samples};
use tafl_rules::Rules;
use tafl_samples::{GameRecord, Sample, samples_of};

/// A shard that was taken.
pub(super) struct Accepted {
    pub(super) games: Vec<GameRecord>,
    pub(super) samples: Vec<Sample>,
}

/// Takes shards of a run, each game once.
pub(super) struct Validator<'a> {
    rules: &'a [Arc<Rules>],
    /// The seeds of all games that were taken; no two games have the same.
    seeds: HashSet<u64>,
}

impl<'a> Validator<'a> {
    pub(super) fn new(rules: &'a [Arc<Rules>]) -> Self {
        Self {
            rules,
            seeds: HashSet::new(),
        }
    }

    /// Makes the games of files known, which were taken earlier.
    pub(super) fn know(&mut self, games: &[PathBuf]) -> anyhow::Result<()> {
        self.seeds.extend(game_seeds(games)?);
        Ok(())
    }

    /// Reads and checks a shard, which counts from then on.
    pub(super) fn take(&mut self, samples: &Path, games: &Path) -> anyhow::Result<Accepted> {
        for path in [samples, games] {
            ensure!(
                path.to_str().is_some(),
                "{}: its name is not UTF-8",
                path.display()
            );
        }
        check_shard_size(games, samples)?;
        let shard = Accepted {
            games: read_games(games)?,
            samples: read_samples(samples)?,
        };
        let context = || samples.display().to_string();
        let seeds = self.new_seeds(&shard.games).with_context(context)?;
        self.check(&shard).with_context(context)?;
        self.seeds.extend(seeds);
        Ok(shard)
    }

    /// Returns the seeds of games, none of which may be known.
    fn new_seeds(&self, games: &[GameRecord]) -> anyhow::Result<HashSet<u64>> {
        let mut seeds = HashSet::with_capacity(games.len());
        for game in games {
            let is_known = self.seeds.contains(&game.seed) || !seeds.insert(game.seed);
            let number = game.game_id;
            ensure!(
                !is_known,
                "game {number} was learned from before, under this or another name"
            );
        }
        Ok(seeds)
    }

    fn check(&self, shard: &Accepted) -> anyhow::Result<()> {
        let mut samples: BTreeMap<u64, Vec<&Sample>> = BTreeMap::new();
        for sample in &shard.samples {
            samples.entry(sample.game_id).or_default().push(sample);
        }
        for game in &shard.games {
            // A second game of this number finds none, and the first one's are no error of it.
            let samples = samples.remove(&game.game_id).unwrap_or_default();
            self.check_game(game, &samples)?;
        }
        match samples.keys().next() {
            Some(stray) => bail!("game {stray} is not in the file of games"),
            None => Ok(()),
        }
    }

    /// Replays a game, and compares its samples with those that it gives.
    fn check_game(&self, game: &GameRecord, samples: &[&Sample]) -> anyhow::Result<()> {
        let known = self.rules.iter().find(|rules| {
            let ruleset = rules.ruleset();
            (&ruleset.name, ruleset.fingerprint()) == (&game.ruleset, game.ruleset_fingerprint)
        });
        let Some(rules) = known else {
            let ruleset = &game.ruleset;
            bail!("ruleset {ruleset} is not in the run's config, or differs");
        };
        let mut game = game.clone();
        for sample in samples {
            let at = || format!("game {}, ply {}", sample.game_id, sample.ply);
            let ply = game.plies.get_mut(sample.ply as usize);
            let ply = ply.with_context(|| format!("{}: the game is shorter", at()))?;
            ensure!(ply.search.is_none(), "{}: given twice", at());
            ply.search = Some(sample.search.clone());
        }
        let expected = samples_of(&game, rules)?;
        for (expected, found) in expected.iter().zip(sorted(samples)) {
            if let Some(field) = difference(expected, found) {
                let (game, ply) = (found.game_id, found.ply);
                bail!("game {game}, ply {ply}: `{field}` is not what the game gives");
            }
        }
        Ok(())
    }
}

fn sorted<'a>(samples: &[&'a Sample]) -> Vec<&'a Sample> {
    let mut sorted = samples.to_vec();
    sorted.sort_by_key(|sample| sample.ply);
    sorted
}

/// Returns the first column in which a sample is not the one that its game gives.
fn difference(expected: &Sample, found: &Sample) -> Option<&'static str> {
    let (facts, own) = (&expected.facts, &found.facts);
    let same = [
        ("ruleset", expected.ruleset == found.ruleset),
        ("board", facts.pieces == own.pieces),
        ("side", facts.side == own.side),
        ("chain", facts.chain == own.chain),
        ("occurrences", facts.occurrences == own.occurrences),
        ("captureless", facts.captureless == own.captureless),
        ("last_move", facts.last_move == own.last_move),
        ("attackers_random", facts.weakness == own.weakness),
        ("played", expected.played == found.played),
        ("moves_left", expected.moves_left == found.moves_left),
        ("outcome", expected.ending == found.ending),
        (
            "final_attackers",
            expected.final_pieces == found.final_pieces,
        ),
        ("reply", expected.reply == found.reply),
        (
            "proven_outcome",
            expected.proven_result == found.proven_result,
        ),
    ];
    let mut same = same.into_iter();
    same.find_map(|(column, is_same)| (!is_same).then_some(column))
}

#[cfg(test)]
#[path = "../../../tafl-samples/tests/playouts/mod.rs"]
pub(super) mod playouts;

#[cfg(test)]
mod tests {
    use super::*;
    use playouts::{all_rules, random_record};
    use tafl_dataset::{Provenance, as_stored, write_shard};

    fn brandubh() -> Arc<Rules> {
        let mut rules = all_rules().into_iter();
        rules
            .find(|rules| rules.ruleset().name == "brandubh")
            .expect("a preset")
    }

    /// Games and samples as files hold them.
    fn shard(rules: &Arc<Rules>) -> Accepted {
        let mut games: Vec<GameRecord> = (1..6).map(|id| random_record(rules, id, 60)).collect();
        let samples = games.iter().flat_map(|game| {
            let samples = samples_of(game, rules).expect("a game");
            samples.into_iter().map(as_stored).collect::<Vec<_>>()
        });
        let samples = samples.collect();
        for ply in games.iter_mut().flat_map(|game| &mut game.plies) {
            ply.search = None;
        }
        Accepted { games, samples }
    }

    fn refused(change: impl FnOnce(&mut Accepted)) -> String {
        let rules = [brandubh()];
        let mut shard = shard(&rules[0]);
        change(&mut shard);
        let error = Validator::new(&rules).check(&shard).expect_err("refused");
        format!("{error:#}")
    }

    #[test]
    fn a_shard_of_games_by_the_rules_is_taken() {
        for rules in all_rules() {
            let shard = shard(&rules);
            assert!(shard.samples.len() > 20);
            let rules = [rules];
            Validator::new(&rules).check(&shard).expect("taken");
        }
    }

    /// A change, and what is said of it.
    type Case = (fn(&mut Sample), &'static str);

    #[test]
    fn numbers_that_the_game_does_not_give_are_refused() {
        let cases: [Case; 12] = [
            (|it| it.moves_left = u32::MAX, "`moves_left` is not"),
            (|it| it.facts.occurrences = 0, "`occurrences` is not"),
            (
                |it| it.facts.captureless = 4_000_000_000,
                "`captureless` is not",
            ),
            (
                |it| it.final_pieces[0] = 4_000_000_000,
                "`final_attackers` is not",
            ),
            (
                |it| it.facts.weakness[1][1] = 7,
                "`attackers_random` is not",
            ),
            (|it| it.ply = 4_000_000_000, "the game is shorter"),
            (|it| it.search.visits = u32::MAX, "4294967295 visits"),
            (|it| it.search.prior_divergence = 1e38, "a prior divergence"),
            (
                |it| it.search.policy[0].1 *= 0.01,
                "policy: probabilities sum to",
            ),
            (
                |it| it.search.policy.iter_mut().for_each(|it| it.1 *= 3.0),
                "policy: probabilities sum to 3",
            ),
            (
                |it| it.search.policy[0].0 = it.search.policy[1].0,
                "policy: ",
            ),
            (|it| it.reply = None, "`reply` is not"),
        ];
        for (change, expected) in cases {
            let said = refused(|shard| {
                let mut samples = shard.samples.iter_mut();
                let sample = samples.find(|it| {
                    let (_, first) = it.search.policy[0];
                    it.search.policy.len() > 1 && it.reply.is_some() && first > 0.2
                });
                change(sample.expect("one such"));
            });
            assert!(said.contains(expected), "{said}, expected {expected}");
            assert!(said.contains("game ") && said.contains("ply "), "{said}");
        }
    }

    #[test]
    fn games_that_are_none_are_refused() {
        let illegal = refused(|shard| {
            let plies = &mut shard.games[0].plies;
            plies.swap(0, 1);
        });
        assert!(illegal.contains("game 1"), "{illegal}");
        let lost = refused(|shard| drop(shard.games.remove(0)));
        assert_eq!(lost, "game 1 is not in the file of games");
        let twice = refused(|shard| {
            let again = shard.samples[0].clone();
            shard.samples.push(again);
        });
        assert!(twice.contains("given twice"), "{twice}");
        let foreign = refused(|shard| shard.games[0].ruleset = "copenhagen".to_owned());
        assert!(foreign.contains("ruleset copenhagen is not"), "{foreign}");
    }

    #[test]
    fn a_game_counts_once_whatever_its_file_is_called() {
        let folder = tempfile::tempdir().expect("a folder");
        let rules = [brandubh()];
        let games: Vec<GameRecord> = (1..4).map(|id| random_record(&rules[0], id, 60)).collect();
        let provenance = Provenance {
            run: "test".to_owned(),
            generation: 3,
            checkpoint: "3".to_owned(),
            config_sha256: String::new(),
        };
        let write = |name: &str, games: &[GameRecord]| {
            write_shard(folder.path(), name, games, &rules, &provenance).expect("written")
        };
        let (first, copy) = (write("a", &games), write("b", &games[1..]));
        let take = |validator: &mut Validator<'_>, shard: &tafl_dataset::WrittenGeneration| {
            validator.take(&shard.samples_path, &shard.games_path)
        };
        let mut validator = Validator::new(&rules);
        assert_eq!(take(&mut validator, &first).expect("taken").games.len(), 3);
        let error = format!("{:#}", take(&mut validator, &copy).err().expect("refused"));
        assert!(error.contains("was learned from before"), "{error}");
        // As after a restart.
        let mut validator = Validator::new(&rules);
        validator
            .know(std::slice::from_ref(&first.games_path))
            .expect("readable");
        assert!(take(&mut validator, &copy).is_err());
        // What was refused is not known: once its games are there it may be taken.
        let mut validator = Validator::new(&rules);
        let gone = folder.path().join("games/000003/c.parquet");
        assert!(validator.take(&first.samples_path, &gone).is_err());
        assert!(take(&mut validator, &first).is_ok());
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.parquet");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo is there").success());
        let rules = [brandubh()];
        let error = Validator::new(&rules)
            .take(&path, &path)
            .err()
            .expect("refused");
        assert!(
            format!("{error:#}").ends_with("not a regular file"),
            "{error:#}"
        );
    }
}
