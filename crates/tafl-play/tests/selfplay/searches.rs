//! What is stored of a search.

use crate::selfplay::common::{HashEvaluator, rules};
use tafl_play::search_record;
use tafl_rules::Game;
use tafl_search::{Mode, MoverWdl, RootMove, RootStats, Search, SearchConfig, run};

fn stats(priors_and_policies: &[(f32, f32)]) -> RootStats {
    let mut moves = Vec::new();
    Game::new(rules(&["brandubh"])[0].clone()).legal_moves(&mut moves);
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
    let rules = rules(&["brandubh"])[0].clone();
    let config = SearchConfig::puct(24);
    let searched = |mode, seed| {
        let mut search = Search::new(&config, Game::new(rules.clone()), mode, seed);
        run(&mut search, &mut HashEvaluator { batches: None })
    };
    let quiet = searched(Mode::Match, 0);
    let mut moved = 0;
    for seed in 0..8 {
        let noisy = searched(Mode::SelfPlay, seed);
        for (noisy, quiet) in noisy.moves.iter().zip(&quiet.moves) {
            assert_eq!(noisy.prior, quiet.prior, "the network's own");
            moved += u32::from(noisy.visits != quiet.visits);
        }
    }
    assert!(moved > 20, "noise leads visits elsewhere: {moved}");
}
