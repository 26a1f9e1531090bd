//! What may be learned from: shards that anyone may have written, checked before they count.
//!
//! A shard is taken when it is whole, within limits, of the run's networks and rulesets and new, and when its games, replayed by the
//! rules, give its rows. Only what the searches said must be believed, within its range.

use anyhow::ensure;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_dataset::{check_shard, game_seeds, read_checked};
use tafl_rules::Rules;
use tafl_samples::{GameRecord, Sample};

/// The games and samples of a shard that was taken.
pub(super) type Accepted = (Vec<GameRecord>, Vec<Sample>);

/// Takes shards of a run, each game once.
pub(super) struct Validator<'a> {
    /// The run's folder.
    run: &'a Path,
    rules: &'a [Arc<Rules>],
    /// The seeds of all games that were taken; no two games have the same.
    seeds: HashSet<u64>,
}

impl<'a> Validator<'a> {
    pub(super) fn new(run: &'a Path, rules: &'a [Arc<Rules>]) -> Self {
        Self {
            run,
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
    pub(super) fn take(&mut self, path: &Path) -> anyhow::Result<Accepted> {
        let name = path.display();
        ensure!(path.to_str().is_some(), "{name}: its name is not UTF-8");
        check_shard(path, self.run)?;
        let (games, samples) = read_checked(path, self.rules)?;
        let mut seeds = HashSet::with_capacity(games.len());
        for game in &games {
            let is_new = !self.seeds.contains(&game.seed) && seeds.insert(game.seed);
            ensure!(
                is_new,
                "{name}: game {} was learned from before, under this or another name",
                game.game_id
            );
        }
        self.seeds.extend(seeds);
        Ok((games, samples))
    }
}

#[cfg(test)]
#[path = "../../../tafl-samples/tests/playouts/mod.rs"]
pub(super) mod playouts;

/// Makes a checkpoint of a run, as far as is looked at here.
#[cfg(test)]
pub(super) fn checkpoint(run: &Path, generation: u32, name: &str) {
    let folder = tafl_store::checkpoint_folder(run, generation);
    std::fs::create_dir_all(&folder).expect("made");
    let card = format!(r#"{{"provenance": {{"run": "{name}"}}, "sha256": {{}}}}"#);
    std::fs::write(folder.join("model.json"), card).expect("written");
}

#[cfg(test)]
mod tests {
    use super::*;
    use playouts::{all_rules, random_record};
    use tafl_dataset::{Provenance, write_shard};

    fn brandubh() -> Arc<Rules> {
        let mut rules = all_rules().into_iter();
        rules
            .find(|rules| rules.ruleset().name == "brandubh")
            .expect("a preset")
    }

    #[test]
    fn a_game_counts_once_whatever_its_file_is_called() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = folder.path().join("run");
        checkpoint(&run, 3, "test");
        let rules = [brandubh()];
        let games: Vec<GameRecord> = (1..4).map(|id| random_record(&rules[0], id, 60)).collect();
        let provenance = Provenance {
            run: "test".to_owned(),
            generation: 3,
            checkpoint: "3".to_owned(),
            config_sha256: String::new(),
            weights_sha256: None,
        };
        let write = |name: &str, games: &[GameRecord]| {
            write_shard(folder.path(), name, games, &rules, &provenance).expect("written")
        };
        let (first, copy) = (write("a", &games), write("b", &games[1..]));
        let take = |validator: &mut Validator<'_>, shard: &tafl_dataset::WrittenGeneration| {
            validator.take(&shard.path)
        };
        let mut validator = Validator::new(&run, &rules);
        assert_eq!(take(&mut validator, &first).expect("taken").0.len(), 3);
        let error = format!("{:#}", take(&mut validator, &copy).expect_err("refused"));
        assert!(error.contains("was learned from before"), "{error}");
        let other = folder.path().join("other");
        checkpoint(&other, 3, "other");
        let error = Validator::new(&other, &rules).take(&first.path).err();
        let error = format!("{:#}", error.expect("another run's"));
        let expected =
            "checkpoint 3 of \"test\" with other weights played it, not that of this run as it is";
        assert!(error.ends_with(expected), "{error}");
        // As after a restart.
        let mut validator = Validator::new(&run, &rules);
        validator
            .know(std::slice::from_ref(&first.path))
            .expect("readable");
        assert!(take(&mut validator, &copy).is_err());
        // What was refused is not known: once its games are there it may be taken.
        let mut validator = Validator::new(&run, &rules);
        let gone = folder.path().join("games/000003/c.parquet");
        assert!(validator.take(&gone).is_err());
        assert!(take(&mut validator, &first).is_ok());
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.parquet");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo is there").success());
        let rules = [brandubh()];
        let error = Validator::new(folder.path(), &rules)
            .take(&path)
            .expect_err("refused");
        assert!(
            format!("{error:#}").ends_with("not a regular file"),
            "{error:#}"
        );
    }
}
