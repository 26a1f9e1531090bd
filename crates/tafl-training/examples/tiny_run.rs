//! A run of a few seconds from Rust, watched by an observer of one's own, and a match of what it learned.
//!
//! `cargo run --release -p tafl-training --example tiny_run` trains three generations of Brandubh in a folder that goes again.

#![expect(clippy::print_stdout, reason = "an example prints its findings")]

use anyhow::ensure;
use std::path::Path;
use std::sync::Arc;
use tafl_arena::MatchResult;
use tafl_play::{Match, MatchPlan, Watch, openings, play_match};
use tafl_training::{Begin, Observer, PlayerSource, Run, Stage, Summary, load, train};

/// Prints a line for each stage that ends.
struct Lines;

impl Observer for Lines {
    fn finished(&self, _stage: Stage, summary: Option<&Summary<'_>>) {
        match summary {
            Some(Summary::SelfPlay(it)) => println!("{} games, {} samples", it.games, it.samples),
            Some(Summary::Training(it)) => {
                let (steps, losses) = (it.steps, it.losses);
                println!(
                    "{steps} steps, policy {:.2}, value {:.2}",
                    losses.policy, losses.value
                );
            }
            _ => {}
        }
    }
}

fn main() -> anyhow::Result<()> {
    // A config file with other values for a few fields, as `tafl train FILE --set FIELD=VALUE` takes them.
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/smoke.toml");
    let changes = [
        "rulesets=['brandubh']",
        "loop.generations=3",
        "ladder.checkpoints=0",
    ];
    let changes: Vec<_> = changes
        .iter()
        .map(|change| change.parse())
        .collect::<Result<_, _>>()?;
    let data = tempfile::tempdir()?;
    let run = Run::open(
        load(&file, &changes)?,
        data.path(),
        None,
        Begin::New,
        Arc::new(Lines),
    )?;
    train(&run, None)?;

    // Each checkpoint is a player, whichever program opens it.
    let rules = &run.rules[0];
    let open = |name: &str| name.parse::<PlayerSource>()?.open(&run.config, rules);
    let last = run.checkpoint_folder(run.last_checkpoint());
    let players = [open(&last.display().to_string())?, open("random")?];
    let players = players.map(|opened| opened.player);
    let job = Match {
        config: &run.config.arena,
        runner: &run.config.runner,
        players: players.clone(),
        rules,
        seed: 1,
        generation: 0,
    };
    // Each opening is played twice, with sides swapped.
    let plan = MatchPlan::new(openings(rules, 10, 4, 1));
    let games = play_match(&job, &plan, &Watch::default())?;
    let names = players.map(|player| player.id.clone());
    let result = MatchResult::of_records(games, names, rules);
    let total = result.total(0);
    println!(
        "{} against random: {} wins, {} losses",
        result.players[0], total.wins, total.losses
    );
    ensure!(result.games.len() == 20, "a game is missing");
    Ok(())
}
