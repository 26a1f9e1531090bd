//! Prints visits per second with an evaluator that costs nothing: `cargo run --release -p tafl-search --example visits`.
#![expect(clippy::print_stdout, reason = "an example prints its figures")]

use std::time::Instant;
use tafl_rules::{Game, Rules};
use tafl_search::{Algorithm, Mode, Search, SearchConfig, UniformEvaluator, run};

/// Visits for each line of the table.
const VISITS: u32 = 40_000;

fn main() {
    println!("algorithm  visits  win_in_one  visits/s");
    for algorithm in [Algorithm::Gumbel, Algorithm::Puct] {
        for (visits, win_in_one) in [(64, true), (400, true), (64, false), (400, false)] {
            let config = SearchConfig {
                win_in_one,
                ..SearchConfig::reference(algorithm, visits)
            };
            let rate = visits_per_second(&config);
            println!("{algorithm:?}\t{visits:>10}  {win_in_one:>10}  {rate:>8.0}");
        }
    }
}

/// Plays Copenhagen games by themselves, one after another, until the visits are spent.
fn visits_per_second(config: &SearchConfig) -> f64 {
    let rules = Rules::preset("copenhagen").expect("a preset");
    let start = Instant::now();
    let mut visits = 0;
    for seed in 0.. {
        let mut search = Search::new(config, Game::new(rules.clone()), Mode::SelfPlay, seed);
        while search.game().outcome().is_none() && visits < VISITS {
            let stats = run(&mut search, &mut UniformEvaluator);
            visits += stats.visits;
            search
                .advance(stats.chosen)
                .expect("the chosen move is legal");
        }
        if visits >= VISITS {
            break;
        }
    }
    f64::from(visits) / start.elapsed().as_secs_f64()
}
