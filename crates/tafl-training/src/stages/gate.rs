//! The gate: a new checkpoint plays self-play only if it does not lose to the last one that does.

use super::matches::{read_match, record, versus};
use crate::gate::Ruling;
use crate::progress::Progress;
use crate::run::{Purpose, Run};
use crate::seat::Seat;
use anyhow::ensure;
use std::path::Path;
use std::sync::Arc;
use tafl_arena::{
    ArenaConfig, Match, MatchPlan, MatchResult, MatchWatch, PairCounts, PlannedResult, Sprt,
    Verdict, openings, play_planned,
};
use tafl_rules::Rules;
use tafl_samples::GameRecord;
use tafl_selfplay::derive_seed;

/// Tests a new checkpoint where the config asks for it: it is turned down if the test rejects it under any ruleset.
pub(crate) fn pass_gate(run: &Run, checkpoint: u32) -> anyhow::Result<()> {
    if !run.config.amounts.gate.is_on() || run.gate().ruling(checkpoint)?.is_some() {
        return Ok(());
    }
    let opponent = run.player_of(checkpoint.saturating_sub(1))?;
    let mut accepted = true;
    let mut values = Vec::new();
    for (index, rules) in run.rules.iter().enumerate() {
        let (result, verdict) = test(run, [checkpoint, opponent], (index as u64, rules))?;
        accepted &= verdict != Verdict::Reject;
        let ruleset = &result.ruleset;
        values.push((format!("gate/elo/{ruleset}"), result.elo().elo));
        values.push((format!("gate/games/{ruleset}"), result.games.len() as f64));
    }
    values.push(("gate/accepted".to_owned(), f64::from(u8::from(accepted))));
    record(run, checkpoint, ("gate", "gate"), values)?;
    run.gate().rule(checkpoint, &Ruling { accepted, opponent })
}

/// Plays the match under one ruleset, unless it is complete.
fn test(
    run: &Run,
    [checkpoint, opponent]: [u32; 2],
    (index, rules): (u64, &Arc<Rules>),
) -> anyhow::Result<(MatchResult, Verdict)> {
    let path = run
        .gate()
        .match_path(checkpoint, opponent, &rules.ruleset().name);
    if run.has_file(&path) {
        return judge_again(run, &path);
    }
    let gate = &run.config.amounts.gate;
    let arena = ArenaConfig {
        openings: gate.openings,
        ..run.config.arena.clone()
    };
    let seats = [checkpoint, opponent].map(Seat::Checkpoint);
    let numbers = [checkpoint.into(), opponent.into(), index];
    let seed = run.seed(Purpose::Gate, &numbers);
    let contestants = [run.contestant(seats[0])?, run.contestant(seats[1])?];
    let search = arena.match_search(&run.config.search);
    let players = contestants.each_ref().map(|it| it.player(search.clone()));
    let job = Match {
        config: &arena,
        players: players.each_ref(),
        rules,
        seed,
        generation: checkpoint,
    };
    let drawn = openings(
        rules,
        arena.openings,
        arena.opening_plies,
        derive_seed(seed, &[0]),
    );
    let plan = MatchPlan {
        sprt: Some(gate.test),
        ..MatchPlan::new(drawn)
    };
    let progress = Progress::start("gate", "games", 2 * u64::from(arena.openings));
    let watch = MatchWatch {
        progress: &|now| progress.show(now.first.games(), || versus(now.first)),
        finished: &|_| {},
        stop: run.given_up(),
    };
    let PlannedResult { result, sprt } = play_planned(&job, &plan, &watch)?;
    ensure!(!run.is_given_up(), "a match was given up");
    let records: Vec<&GameRecord> = result.games.iter().map(|game| &game.record).collect();
    run.store_match(&path, &records)?;
    let verdict = sprt.map_or(Verdict::Continue, |sprt| sprt.verdict());
    progress.finish(&summary(&result, verdict));
    Ok((result, verdict))
}

/// Reads a match that a killed process completed, and what its test said.
fn judge_again(run: &Run, path: &Path) -> anyhow::Result<(MatchResult, Verdict)> {
    let result = read_match(path, &run.rules)?;
    let mut sprt = Sprt::new(run.config.amounts.gate.test)?;
    for pair in result.games.chunks_exact(2) {
        let one = MatchResult {
            games: pair.to_vec(),
            ..result.clone()
        };
        let PairCounts(counts) = one.pair_counts();
        if let Some(half_points) = counts.iter().position(|&count| count > 0) {
            sprt.add(half_points);
        }
    }
    Ok((result, sprt.verdict()))
}

fn summary(result: &MatchResult, verdict: Verdict) -> String {
    let [new, old] = &result.names;
    let decision = match verdict {
        Verdict::Accept => "is as strong as",
        Verdict::Reject => "loses to",
        Verdict::Continue => "does not surely lose to",
    };
    let games = result.games.len();
    let elo = result.elo();
    format!(
        "{new} {decision} {old}: Elo {:+.0} ({:+.0} to {:+.0}) in {games} games",
        elo.elo, elo.low, elo.high
    )
}
