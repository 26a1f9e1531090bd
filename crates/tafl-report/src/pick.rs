//! Which games are shown: some of every kind, from the first generation to the last.

use crate::ReportError;
use crate::games::{ViewedGame, view};
use crate::survey::{Candidate, Kind, Survey};
use std::collections::BTreeMap;
use tafl_dataset::{read_games, read_searched_games};

/// Bytes of games in the page at most, as JSON.
const MOST_BYTES: usize = 3_000_000;

/// Reads at most `most` games to show, with what their searches found; the newest files come first.
///
/// If the page gets too large, the oldest games are left out.
pub(crate) fn shown_games(
    survey: &Survey<'_>,
    most: usize,
) -> Result<Vec<ViewedGame>, ReportError> {
    let picked = pick(&survey.candidates, most);
    let (mut games, mut bytes) = (Vec::new(), 0);
    for file in picked.chunk_by(|one, other| one.file == other.file).rev() {
        for game in games_of_file(survey, file)? {
            bytes += serde_json::to_string(&game).map_or(0, |text| text.len());
            if bytes > MOST_BYTES {
                return Ok(games);
            }
            games.push(game);
        }
    }
    Ok(games)
}

fn games_of_file(
    survey: &Survey<'_>,
    picked: &[&Candidate],
) -> Result<Vec<ViewedGame>, ReportError> {
    let Some(first) = picked.first() else {
        return Ok(Vec::new());
    };
    let file = &survey.files[first.file];
    // Without its samples a game is shown without what the searches said.
    let records = read_searched_games(&file.path).or_else(|_| read_games(&file.path))?;
    let mut games = Vec::new();
    // Files are replaced by such as hold more games, never fewer; if one was, the rest is shown.
    for candidate in picked.iter().filter(|picked| picked.row < records.len()) {
        let (record, kind) = (&records[candidate.row], candidate.kind);
        let game = view(record, &survey.rules[kind.ruleset], kind.is_match);
        games.push(game.map_err(|reason| ReportError::Record {
            path: file.path.clone(),
            reason,
        })?);
    }
    Ok(games)
}

/// Returns at most `limit` games: equally many of each kind if possible, spread evenly over the generations with the
/// newest one of a kind always among them; in the order of files and rows.
pub(crate) fn pick(candidates: &[Candidate], limit: usize) -> Vec<&Candidate> {
    let mut kinds: BTreeMap<Kind, Vec<&Candidate>> = BTreeMap::new();
    for candidate in candidates {
        kinds.entry(candidate.kind).or_default().push(candidate);
    }
    let mut kinds: Vec<Vec<&Candidate>> = kinds.into_values().collect();
    // The rarest kinds first: what they leave of their share goes to the others.
    kinds.sort_by_key(Vec::len);
    let (mut picked, mut left) = (Vec::new(), limit);
    let number_of_kinds = kinds.len();
    for (index, mut kind) in kinds.into_iter().enumerate() {
        let share = left.div_ceil(number_of_kinds - index);
        let quota = share.min(kind.len());
        kind.sort_by_key(|candidate| (candidate.generation, candidate.file, candidate.row));
        picked.extend(spread(kind.len(), quota).map(|place| kind[place]));
        left -= quota;
    }
    picked.sort_by_key(|candidate| (candidate.file, candidate.row));
    picked
}

/// Returns `count` different places of `len`, from the last to the first.
fn spread(len: usize, count: usize) -> impl Iterator<Item = usize> {
    let steps = count.saturating_sub(1).max(1);
    (0..count).map(move |step| (len - 1) - step * (len - 1) / steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(row: usize, generation: u32, reason: &'static str) -> Candidate {
        let kind = Kind {
            is_match: false,
            ruleset: 0,
            winner: None,
            reason,
            handicap: None,
        };
        Candidate {
            file: generation as usize,
            row,
            generation,
            kind,
        }
    }

    #[test]
    fn every_kind_is_there_and_the_rare_ones_leave_their_share() {
        let frequent = (0..50).map(|row| candidate(row, row as u32 / 10, "king-escaped"));
        let rare = [candidate(50, 2, "fort"), candidate(51, 3, "fort")];
        let all: Vec<Candidate> = frequent.chain(rare).collect();
        let picked = pick(&all, 12);
        assert_eq!(picked.len(), 12);
        assert_eq!(picked.iter().filter(|c| c.kind.reason == "fort").count(), 2);
        let generations: Vec<u32> = picked.iter().map(|c| c.generation).collect();
        assert!(generations.is_sorted() && generations.contains(&0));
        assert_eq!(picked.last().map(|c| c.row), Some(49), "the newest");
    }

    #[test]
    fn few_games_are_all_shown_and_none_twice() {
        let all: Vec<Candidate> = (0..7).map(|row| candidate(row, 0, "fort")).collect();
        assert_eq!(pick(&all, 100).len(), 7);
        for limit in 0..=7 {
            let picked = pick(&all, limit);
            assert_eq!(picked.len(), limit);
            assert!(picked.windows(2).all(|two| two[0].row < two[1].row));
        }
        assert!(pick(&[], 5).is_empty());
    }
}
