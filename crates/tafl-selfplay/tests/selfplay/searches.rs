//! What is stored of a search.

use crate::common::{HashEvaluator, rules, search};
use tafl_rules::Game;
use tafl_search::{Mode, MoverWdl, RootMove, RootStats, Search, run};
use tafl_selfplay::search_record;

fn stats(priors_and_policies: &[(f32, f32)]) -> RootStats {
    let mut moves = Vec::new();
    Game::new(rules(&["brandubh"]).remove(0)).legal_moves(&mut moves);
    let even = MoverWdl {
        win: 0.5,
        draw: 0.0,
        loss: 0.5,
    };
    let each = moves.iter().zip(priors_and_policies);
    RootStats {
        moves: each
            .map(|(&mv, &(prior, policy))| RootMove {
                mv,
                prior,
                visits: 1,
                wdl: None,
                policy,
                proven: None,
            })
            .collect(),
        chosen: moves[0],
        value: even,
        network_value: even,
        visits: 1,
        proven: None,
    }
}

#[test]
fn the_divergence_is_the_one_worked_out_by_hand() {
    let divergence = |moves: &[(f32, f32)]| search_record(&stats(moves)).prior_divergence;
    // 0.5 ln(0.5 / 0.25) + 0.5 ln(0.5 / 0.75)
    let found = divergence(&[(0.25, 0.5), (0.75, 0.5), (0.0, 0.0)]);
    assert!((found - 0.143_841).abs() < 1e-5, "{found}");
    assert_eq!(divergence(&[(0.3, 0.3), (0.7, 0.7)]), 0.0);
    // ln(1 / 0.01); a prior that underflowed counts as the least positive number.
    let certain = divergence(&[(0.01, 1.0), (0.99, 0.0)]);
    assert!((certain - 4.605_17).abs() < 1e-4, "{certain}");
    assert!(divergence(&[(0.0, 1.0), (1.0, 0.0)]).is_finite());
}

#[test]
fn noise_at_the_root_is_no_surprise() {
    let rules = rules(&["brandubh"]).remove(0);
    // Without a visit the policy to learn is the network's own, whatever the noise drew.
    let config = tafl_search::SearchConfig {
        visits: 0,
        ..search(1)
    };
    let mut search = Search::new(&config, Game::new(rules), Mode::SelfPlay, 3);
    let record = search_record(&run(&mut search, &mut HashEvaluator { batches: None }));
    assert!(
        record.prior_divergence < 1e-5,
        "{}",
        record.prior_divergence
    );
}
