//! How hard each side is to play: positions from a network's games, searched with growing visits.

use super::{PlannedRuleset, StudyMember, StudyPlan};
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use tafl_arena::balance::{Difficulty, PlayedCell, StudyGame};
use tafl_play::{Watch, probe};
use tafl_rules::{Game, Rules, Side};
use tafl_samples::derive_seed;
use tafl_store::{MOST_TEXT_BYTES, read_text, write_json};
use tafl_training::{Observer, Progress, Stage};

/// The attackers' expected scores between which a game's own search takes a position for open.
const OPEN: std::ops::RangeInclusive<f64> = 0.1..=0.9;

/// What was found under one ruleset, as its file in `difficulty/` holds it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Found {
    of: Origin,
    /// The positions, in the order of their games.
    positions: Vec<Probed>,
}

/// What positions and searches depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Origin {
    player: String,
    weights_sha256: Option<String>,
    ruleset_fingerprint: String,
    seed: u64,
    games: usize,
    wanted: u32,
    deepest: u32,
}

/// A position with the visits from which on every search chose the same move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Probed {
    opening: u64,
    ply: u32,
    side: Side,
    needed: u32,
}

/// Measures both sides under each ruleset, as far as `folder` does not hold it yet; nothing where nothing is wanted or no
/// network plays.
pub(crate) fn measure(
    folder: &Path,
    plan: &StudyPlan,
    players: &[StudyMember],
    cells: &[PlayedCell],
    observer: &dyn Observer,
) -> anyhow::Result<Vec<Difficulty>> {
    let mut members = players.iter();
    let first = members.find(|it| it.opened.player.searcher().is_some());
    let Some(first) = first.filter(|_| plan.config.difficulty.positions > 0) else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for ruleset in &plan.rulesets {
        let name = &ruleset.rules.ruleset().name;
        let members = players.iter();
        let strengths = members.filter(|it| it.card.family == first.card.family);
        let games = |member: &StudyMember| {
            let mut cells = cells.iter();
            let own = cells.find(|it| it.ruleset == *name && it.player == member.card.name);
            own.map_or(&[][..], |cell| &cell.games)
        };
        // The most games; of players with as many the strongest, who comes last.
        let Some(player) = strengths.max_by_key(|it| games(it).len()) else {
            continue;
        };
        let path = folder.join(format!("{name}.json"));
        let found = found(&path, plan, ruleset, player, games(player), observer)?;
        all.extend(Side::ALL.into_iter().filter_map(|side| {
            let own = found.iter().filter(|it| it.side == side);
            let needed: Vec<u32> = own.map(|it| it.needed).collect();
            let deepest = plan.config.difficulty.visits;
            Difficulty::of(name, &player.card.name, side, deepest, &needed)
        }));
    }
    Ok(all)
}

/// Returns the positions of a ruleset: those of the file where it holds the wanted ones, else searches and keeps them there.
fn found(
    path: &Path,
    plan: &StudyPlan,
    ruleset: &PlannedRuleset,
    player: &StudyMember,
    games: &[StudyGame],
    observer: &dyn Observer,
) -> anyhow::Result<Vec<Probed>> {
    let wanted = plan.config.difficulty;
    let of = Origin {
        player: player.card.name.clone(),
        weights_sha256: player.card.weights_sha256.clone(),
        ruleset_fingerprint: tafl_training::fingerprint(&ruleset.rules),
        seed: plan.config.seed,
        games: games.len(),
        wanted: wanted.positions,
        deepest: wanted.visits,
    };
    if path.exists() {
        let text = read_text(path, MOST_TEXT_BYTES)?;
        let stored: Found = serde_json::from_str(&text)
            .with_context(|| format!("{}: remove it to measure again", path.display()))?;
        if stored.of == of {
            return Ok(stored.positions);
        }
    }
    let drawn = draw_positions(games, &ruleset.rules, &of);
    let found = Found {
        positions: search(plan, player, drawn, observer)?,
        of,
    };
    write_json(path, &found)?;
    Ok(found.positions)
}

/// Draws a position of each different game for each side, up to the wanted number of each, where its search took any for open.
fn draw_positions(games: &[StudyGame], rules: &Arc<Rules>, of: &Origin) -> Vec<(Probed, Game)> {
    let mut drawn = Vec::new();
    let mut counts = [0; 2];
    let mut seen = BTreeSet::new();
    for played in games.iter().filter(|game| seen.insert(game.end())) {
        for (side, mut open) in Side::ALL.into_iter().zip(open_positions(played, rules)) {
            if open.is_empty() || counts[side.index()] == of.wanted {
                continue;
            }
            counts[side.index()] += 1;
            let number = derive_seed(of.seed, &[2, played.opening, side.index() as u64]);
            let game = open.swap_remove((number % open.len() as u64) as usize);
            let position = Probed {
                opening: played.opening,
                ply: game.moves().len() as u32,
                side,
                needed: of.deepest,
            };
            drawn.push((position, game));
        }
    }
    drawn
}

/// Returns the positions in which each side had a choice and that the game's search took for open.
fn open_positions(played: &StudyGame, rules: &Arc<Rules>) -> [Vec<Game>; 2] {
    let values = played.values.iter();
    let open = values.filter(|(_, score)| OPEN.contains(score));
    let open: BTreeSet<u32> = open.map(|&(ply, _)| ply).collect();
    let mut game = Game::new(Arc::clone(rules));
    let mut by_side: [Vec<Game>; 2] = Default::default();
    let mut moves = Vec::new();
    for (ply, &mv) in (0..).zip(&played.moves) {
        game.legal_moves(&mut moves);
        if moves.len() > 1 && open.contains(&ply) {
            by_side[game.position().side().index()].push(game.clone());
        }
        game.play_unchecked(mv);
    }
    by_side
}

/// Searches positions and returns them with the visits that they need.
fn search(
    plan: &StudyPlan,
    player: &StudyMember,
    drawn: Vec<(Probed, Game)>,
    observer: &dyn Observer,
) -> anyhow::Result<Vec<Probed>> {
    let (mut positions, games): (Vec<Probed>, Vec<Game>) = drawn.into_iter().unzip();
    observer.started(Stage::Probing, Some(games.len() as u64));
    let watch = Watch {
        progress: &|now| {
            observer.progressed(Stage::Probing, now.games_done, Progress::Games(now));
        },
        ..Watch::default()
    };
    let deepest = plan.config.difficulty.visits;
    let (player, runner) = (&player.opened.player, &plan.config.runner);
    let found = probe(player, deepest, &games, runner, &watch)?;
    observer.finished(Stage::Probing, None);
    for it in found {
        positions[it.number].needed = it.needed;
    }
    Ok(positions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_play::random_game;
    use tafl_samples::Ending;

    #[test]
    fn each_game_gives_one_open_position_of_each_side() {
        let rules = Rules::preset("brandubh").expect("a preset");
        let games = (0..20).map(|opening| {
            let moves = random_game(&rules, 12, opening).moves().to_vec();
            // Decided from ply 6 on.
            let values = (0..).zip(&moves);
            let values = values.map(|(ply, _)| (ply, if ply < 6 { 0.5 } else { 0.99 }));
            StudyGame {
                opening,
                ending: Ending::CAPPED,
                values: values.collect(),
                moves,
                last: opening,
                captures: [0; 2],
                plies: [0; 2],
                choices: [0; 2],
            }
        });
        let games: Vec<StudyGame> = games.collect();
        let draw = |seed| {
            let of = Origin {
                player: String::new(),
                weights_sha256: None,
                ruleset_fingerprint: String::new(),
                seed,
                games: games.len(),
                wanted: 15,
                deepest: 64,
            };
            draw_positions(&games, &rules, &of)
        };
        let drawn = draw(1);
        for side in Side::ALL {
            let own = drawn.iter().filter(|(it, _)| it.side == side);
            assert_eq!(own.clone().count(), 15);
            for (it, game) in own {
                assert_eq!(game.position().side(), side);
                assert!(it.ply < 6, "{it:?}");
                let played = &games[it.opening as usize].moves[..it.ply as usize];
                assert_eq!(game.moves(), played);
            }
        }
        let plies = |seed| draw(seed).iter().map(|it| it.0.ply).collect::<Vec<u32>>();
        let kinds: BTreeSet<u32> = plies(1).into_iter().collect();
        assert!(kinds.len() > 3, "drawn from the whole game: {kinds:?}");
        assert_eq!(plies(1), plies(1));
        assert_ne!(plies(1), plies(2));
    }
}
