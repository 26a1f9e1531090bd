//! Checkpoints that are gone though the run had them: those that it makes in their place may have other weights, so matches
//! of the former are not theirs.

use super::Run;
use super::measured::LADDER;
use crate::observer::Notice;
use crate::stages::match_settings::ARENA;
use crate::stages::matches::ELO;
use tafl_dataset::{measured_stages, read_metrics, record_metrics};
use tafl_store::checkpoints;

impl Run {
    /// Tells that checkpoints are gone that the run had, up to the one that is known, so that it goes on from an earlier one
    /// or begins again; takes their matches back.
    pub(super) fn tell_lost_checkpoints(&self, known: Option<u32>) -> anyhow::Result<()> {
        let there = checkpoints(self.folder())?.into_iter();
        let there: Vec<u32> = there.map(|(number, _)| number).collect();
        let (last, matches) = (there.last().copied(), self.take_back_matches(&there)?);
        self.take_back_changes(last.unwrap_or(0))?;
        let known = match known.filter(|_| known > last) {
            None if matches > 0 => Some(0),
            known => known,
        };
        if let Some(known) = known {
            let missing = match last {
                Some(last) => {
                    format!(
                        "checkpoint {known}, which the run had; it goes on from checkpoint {last}"
                    )
                }
                None => format!(
                    "all checkpoints, of which the run had {known}; it begins again with new weights"
                ),
            };
            let played = match matches {
                0 => String::new(),
                1 => ". A match of what is gone no longer counts".to_owned(),
                more => format!(". {more} matches of what is gone no longer count"),
            };
            let text = format!("missing: {missing}{played}");
            self.observer().noticed(&Notice::Uncounted(&text));
        }
        Ok(())
    }

    /// Removes the matches of checkpoints that are to come, and what they measured; returns how many there were.
    ///
    /// What was removed before a kill is not missed when the rest follows.
    fn take_back_matches(&self, there: &[u32]) -> anyhow::Result<usize> {
        self.take_back_elo(there)?;
        let mut files = self.store.files(ARENA);
        files.retain(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            players_of(&name).any(|number| is_to_come(there, number))
        });
        self.store.remove(&files)?;
        Ok(files.len())
    }

    /// Lets what was changed of the config when checkpoints had been made that are gone count from the last one on: those
    /// in their place are made by it.
    fn take_back_changes(&self, last: u32) -> anyhow::Result<()> {
        let stages = self.store.settings().stages;
        if stages.iter().all(|stage| stage.checkpoint <= last) {
            return Ok(());
        }
        Ok(self.store.change_settings(|settings| {
            for stage in &mut settings.stages {
                stage.checkpoint = stage.checkpoint.min(last);
            }
        })?)
    }

    fn take_back_elo(&self, there: &[u32]) -> anyhow::Result<()> {
        let path = self.metrics_path();
        for (generation, stage) in measured_stages(&path)? {
            if stage == ELO && is_to_come(there, generation + 1) {
                record_metrics(&path, generation, ELO, &[])?;
            }
        }
        let last = there.last().map(|last| self.steps_of_checkpoint(*last));
        let last = last.transpose()?;
        let mut ladder = read_metrics(&path)?;
        ladder.retain(|it| it.name.starts_with("ladder/"));
        let count = ladder.len();
        ladder.retain(|it| last.is_some_and(|last| it.step <= last));
        match ladder.len() == count {
            true => Ok(()),
            false => self.record(0, LADDER, ladder),
        }
    }
}

/// Returns whether a run with the checkpoints that are there will make this one, or make it again; one that was removed between
/// others it does not.
fn is_to_come(there: &[u32], number: u32) -> bool {
    there.last().is_none_or(|last| number > *last) || number == 0 && !there.contains(&0)
}

/// Returns the checkpoints that played the match of a file, such as `000030-000015-brandubh.parquet`.
fn players_of(name: &str) -> impl Iterator<Item = u32> {
    let parts = name.split('-').take(2);
    parts.filter_map(|part| (part.len() == 6).then(|| part.parse().ok()).flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_come_follows_the_last_or_is_the_first() {
        let of =
            |there: &[u32]| -> Vec<u32> { (0..5).filter(|&it| is_to_come(there, it)).collect() };
        assert_eq!(of(&[0, 1, 2]), [3, 4]);
        // One between others was removed to free the disk.
        assert_eq!(of(&[0, 3]), [4]);
        assert_eq!(of(&[2, 3]), [0, 4]);
        assert_eq!(of(&[]), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn the_name_of_a_match_tells_its_checkpoints() {
        let of = |name: &str| players_of(name).collect::<Vec<_>>();
        assert_eq!(of("000030-000015-brandubh.parquet"), [30, 15]);
        assert_eq!(of("000030-alphabeta2-sea-battle-9.parquet"), [30]);
        assert_eq!(of("000004-smoke@2-000003-brandubh.parquet"), [4]);
    }
}
