//! How hard each side is to play: positions from a network's games, searched with growing visits.

use super::StudyPlan;
use super::config::DifficultyConfig;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tafl_arena::balance::{Probes, StudyCell, StudyGame};
use tafl_play::{Watch, probe};
use tafl_rules::{Game, Rules, Side};
use tafl_samples::derive_seed;
use tafl_store::{MOST_TEXT_BYTES, create_folder, read_text, write_atomically};
use tafl_training::{Observer, OpenedPlayer, Progress, Stage};

/// The attackers' expected scores between which a game's own search takes a position for open.
const OPEN: std::ops::RangeInclusive<f64> = 0.1..=0.9;

/// What was found under one ruleset, as its file in `difficulty/` holds it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Found {
    /// What the positions and searches depend on.
    of: Origin,
    /// The positions, in the order of their games.
    positions: Vec<Probed>,
}

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
///
/// `cells` are by ruleset, then player.
pub(crate) fn measure(
    folder: &Path,
    plan: &StudyPlan,
    (players, cells): (&[OpenedPlayer], &[StudyCell]),
    observer: &dyn Observer,
) -> anyhow::Result<Vec<Probes>> {
    let wanted = plan.config.difficulty;
    let Some(first) = players.iter().find(|it| it.player.searcher().is_some()) else {
        return Ok(Vec::new());
    };
    if wanted.positions == 0 {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    for (planned, cells) in plan.rulesets.iter().zip(cells.chunks(players.len())) {
        let of_network = players.iter().zip(cells);
        let of_network = of_network.filter(|(player, _)| player.family == first.family);
        // The most games; of players with as many the strongest, who comes last.
        let Some((player, cell)) = of_network.max_by_key(|(_, cell)| cell.games.len()) else {
            continue;
        };
        let rules = &planned.rules;
        let path = folder.join(format!("{}.json", rules.ruleset().name));
        let origin = Origin {
            player: player.name(),
            weights_sha256: player.card.weights_sha256.clone(),
            ruleset_fingerprint: tafl_training::fingerprint(rules),
            seed: plan.config.seed,
            games: cell.games.len(),
            wanted: wanted.positions,
            deepest: wanted.visits,
        };
        let found = match stored(&path)?.filter(|found| found.of == origin) {
            Some(found) => found,
            None => {
                let drawn = drawn_positions(&cell.games, rules, (wanted, plan.config.seed));
                let positions = search(plan, player, drawn, observer)?;
                let found = Found {
                    of: origin,
                    positions,
                };
                create_folder(folder)?;
                let text = serde_json::to_string_pretty(&found)? + "\n";
                write_atomically(&path, text.as_bytes())?;
                found
            }
        };
        all.extend(Side::ALL.map(|side| {
            let own = found.positions.iter().filter(|it| it.side == side);
            Probes {
                ruleset: rules.ruleset().name.clone(),
                player: player.name(),
                side,
                deepest: wanted.visits,
                needed: own.map(|it| it.needed).collect(),
            }
        }));
    }
    Ok(all)
}

/// Reads what was found earlier, if anything was.
fn stored(path: &Path) -> anyhow::Result<Option<Found>> {
    if !path.exists() {
        return Ok(None);
    }
    let text = read_text(path, MOST_TEXT_BYTES)?;
    let found = serde_json::from_str(&text);
    Ok(Some(found.with_context(|| {
        format!("{}: remove it to measure again", path.display())
    })?))
}

/// Draws a position of each different game for each side, up to the wanted number of each, where its search took any for open.
fn drawn_positions(
    games: &[StudyGame],
    rules: &Arc<Rules>,
    (wanted, seed): (DifficultyConfig, u64),
) -> Vec<(Probed, Game)> {
    let mut drawn = Vec::new();
    let mut counts = [0; 2];
    let mut seen = BTreeSet::new();
    for played in games.iter().filter(|game| seen.insert(game.end())) {
        let open = played
            .values
            .iter()
            .filter(|(_, score)| OPEN.contains(score));
        let open: Vec<u32> = open.map(|&(ply, _)| ply).collect();
        let mut game = Game::new(Arc::clone(rules));
        let mut by_side: [Vec<u32>; 2] = Default::default();
        let mut moves = Vec::new();
        for (ply, &mv) in (0..).zip(&played.moves) {
            game.legal_moves(&mut moves);
            if moves.len() > 1 && open.contains(&ply) {
                by_side[game.position().side().index()].push(ply);
            }
            game.play_unchecked(mv);
        }
        for side in Side::ALL {
            let plies = &by_side[side.index()];
            if plies.is_empty() || counts[side.index()] == wanted.positions {
                continue;
            }
            counts[side.index()] += 1;
            let drawn_number = derive_seed(seed, &[2, played.opening, side.index() as u64]);
            let ply = plies[(drawn_number % plies.len() as u64) as usize];
            let mut game = Game::new(Arc::clone(rules));
            for &mv in &played.moves[..ply as usize] {
                game.play_unchecked(mv);
            }
            let opening = played.opening;
            let needed = wanted.visits;
            drawn.push((
                Probed {
                    opening,
                    ply,
                    side,
                    needed,
                },
                game,
            ));
        }
    }
    drawn
}

/// Searches positions and returns them with the visits that they need.
fn search(
    plan: &StudyPlan,
    player: &OpenedPlayer,
    drawn: Vec<(Probed, Game)>,
    observer: &dyn Observer,
) -> anyhow::Result<Vec<Probed>> {
    let (mut positions, games): (Vec<Probed>, Vec<Game>) = drawn.into_iter().unzip();
    observer.started(Stage::Probing, Some(games.len() as u64));
    let watch = Watch {
        progress: &|now| {
            observer.progressed(Stage::Probing, now.games_done, Progress::Games(now));
        },
        finished: &|_| {},
        stop: &AtomicBool::new(false),
    };
    let deepest = plan.config.difficulty.visits;
    let found = probe(
        &player.player,
        deepest,
        (&games, &plan.config.runner),
        &watch,
    )?;
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
            let values = (0..).zip(&moves).map(|(ply, _)| {
                // Decided from ply 6 on.
                (ply, if ply < 6 { 0.5 } else { 0.99 })
            });
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
        let wanted = DifficultyConfig {
            positions: 15,
            visits: 64,
        };
        let drawn = drawn_positions(&games, &rules, (wanted, 1));
        for side in Side::ALL {
            let own = drawn.iter().filter(|(it, _)| it.side == side);
            let own: Vec<_> = own.collect();
            assert_eq!(own.len(), 15);
            for (it, game) in own {
                assert_eq!(game.position().side(), side);
                assert_eq!(game.moves().len(), it.ply as usize);
                assert!(it.ply < 6, "{it:?}");
                assert_eq!(
                    game.moves(),
                    &games[it.opening as usize].moves[..it.ply as usize]
                );
            }
        }
        let plies: std::collections::BTreeSet<u32> = drawn.iter().map(|it| it.0.ply).collect();
        assert!(
            plies.len() > 3,
            "they are drawn from the whole game: {plies:?}"
        );
        let plies_of = |seed| -> Vec<u32> {
            let drawn = drawn_positions(&games, &rules, (wanted, seed));
            drawn.iter().map(|it| it.0.ply).collect()
        };
        assert_eq!(plies_of(1), plies_of(1));
        assert_ne!(plies_of(1), plies_of(2));
    }
}
