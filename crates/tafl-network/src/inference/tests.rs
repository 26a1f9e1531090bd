//! The fast forward pass against the one that is trained.

use super::*;
use crate::in_rust::{InRust, ranges_on_random_games};
use crate::{Auxiliary, NetworkConfig, model};
use ndarray::Array4;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::sync::Arc;
use tafl_forward::{Net, NetEvaluator};
use tafl_graph::MOVES_LEFT_SCALE;
use tafl_rules::{Direction, Game, Move, Rules};
use tafl_search::MoverWdl;

const REPLY: Auxiliary = Auxiliary { reply: true };

const CONFIG: NetworkConfig = NetworkConfig {
    blocks: 2,
    channels: 24,
    value_channels: 6,
    value_hidden: 20,
};

/// Positions from a random game, with their legal moves.
fn positions(ruleset: &str, count: usize) -> Vec<(Game, Vec<Move>)> {
    let rules = Rules::preset(ruleset).unwrap();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let (mut positions, mut moves) = (Vec::new(), Vec::new());
    while positions.len() < count {
        let mut game = Game::new(rules.clone());
        while game.outcome().is_none() && game.moves().len() < 60 && positions.len() < count {
            game.legal_moves(&mut moves);
            let mv = moves[(rng.next_u64() % moves.len() as u64) as usize];
            if game.moves().len() % 5 == 2 {
                positions.push((game.clone(), moves.clone()));
            }
            game.play(mv).unwrap();
        }
    }
    positions
}

fn leaves(positions: &[(Game, Vec<Move>)]) -> Vec<Leaf<'_>> {
    positions
        .iter()
        .map(|(game, moves)| Leaf::new(game, moves))
        .collect()
}

/// A network in which no tensor is as it starts.
fn shaken(ruleset: &str) -> Network {
    shaken_with(ruleset, Auxiliary::default())
}

/// The same with an auxiliary head, or without.
fn shaken_with(ruleset: &str, auxiliary: Auxiliary) -> Network {
    let shape = Rules::preset(ruleset).unwrap().shape();
    let architecture = Architecture::new(CONFIG, shape).with_auxiliary(auxiliary);
    let network = Network::untrained(architecture, 3);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut weights = network.weights().clone();
    for (name, numbers) in &mut weights {
        let widened = match name.split('.').next() {
            Some("policy" | "destinations") => 10.0,
            _ => 1.0,
        };
        for number in numbers {
            let uniform = (rng.next_u64() >> 40) as f32 / (1 << 24) as f32;
            *number = *number * widened + 0.2 * uniform;
        }
    }
    Network::from_weights(*network.architecture(), weights).unwrap()
}

/// Evaluates with the forward pass that is trained.
fn reference(network: &Network, leaves: &[Leaf<'_>]) -> Vec<Evaluation> {
    let architecture = network.architecture();
    let size = architecture.size();
    let mut planes = Array4::<f32>::zeros((leaves.len(), size, size, PLANES));
    for (leaf, planes) in leaves.iter().zip(planes.outer_iter_mut()) {
        encode(
            &tafl_samples::Facts::of(leaf.game),
            leaf.game.rules(),
            planes,
        );
    }
    let planes = planes.permuted_axes([0, 3, 1, 2]);
    let planes: Vec<f32> = planes.iter().copied().collect();
    let outputs = model::outputs(&architecture.graph(), network.weights(), size, &planes);
    let [policy, wdl, moves_left] = outputs.unwrap();
    let len = architecture.policy_len();
    let evaluate = |(row, leaf): (usize, &Leaf<'_>)| {
        let shape = leaf.game.rules().shape();
        let logit = |mv: &Move| policy[row * len + usize::from(mv.policy_index(shape).0)];
        Evaluation {
            logits: leaf.moves.iter().map(logit).collect(),
            wdl: MoverWdl {
                win: wdl[3 * row],
                draw: wdl[3 * row + 1],
                loss: wdl[3 * row + 2],
            },
            moves_left: moves_left[row],
        }
    };
    leaves.iter().enumerate().map(evaluate).collect()
}

fn evaluate(inference: &mut Inference, leaves: &[Leaf<'_>]) -> Vec<Evaluation> {
    let mut evaluations = Vec::new();
    inference.evaluate(leaves, &mut evaluations);
    evaluations
}

/// Checks logits and values, relative to the spread of the reference's logits.
fn assert_close(found: &[Evaluation], expected: &[Evaluation], bound: f32) {
    assert_eq!(found.len(), expected.len());
    let logits = expected.iter().flat_map(|e| &e.logits);
    let spread = logits.fold(1_f32, |most, logit| most.max(logit.abs()));
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.logits.len(), expected.logits.len());
        for (a, b) in found.logits.iter().zip(&expected.logits) {
            assert!(
                (a - b).abs() <= bound * spread,
                "{a} against {b}, logits up to {spread}"
            );
        }
        let sides = [
            (found.wdl.win, expected.wdl.win),
            (found.wdl.draw, expected.wdl.draw),
        ];
        for (a, b) in sides {
            assert!((a - b).abs() <= bound, "{a} against {b}");
        }
        let (a, b) = (found.moves_left, expected.moves_left);
        assert!(
            (a - b).abs() <= bound * (MOVES_LEFT_SCALE as f32).max(b),
            "{a} against {b} moves left"
        );
    }
}

/// Checks all ways to evaluate against the forward pass that is trained.
fn assert_every_path(network: &Network, ruleset: &str, count: usize) {
    let positions = positions(ruleset, count);
    let leaves = leaves(&positions);
    let expected = reference(network, &leaves);
    let fused = |compute| Inference::new(network, Device::Cpu, compute);
    for mut inference in [
        fused(Compute::F32).unwrap(),
        plain(network, Compute::F32, false),
        plain(network, Compute::F32, true),
    ] {
        assert_close(&evaluate(&mut inference, &leaves), &expected, 1e-4);
    }
    let (graph, weights) = network.folded();
    let mut net = Net::new(&graph, &weights).unwrap();
    let mut in_rust = Vec::new();
    NetEvaluator(&mut net).evaluate(&leaves, &mut in_rust);
    assert_close(&in_rust, &expected, 1e-4);
    // A CPU without AVX-512 cannot; there, f32 is used.
    if let Ok(mut fused) = fused(Compute::Bf16) {
        assert_close(&evaluate(&mut fused, &leaves), &expected, 0.03);
    }
    let in_rust = InRust::new(network, Compute::Int8).unwrap();
    let by_onednn = quantized::most_weight().map(|most| Tower::quantized(network, most).unwrap());
    for tower in [Some(Tower::InRust(Box::new(in_rust))), by_onednn] {
        let Some(tower) = tower else { continue };
        let parts = (Device::Cpu, Compute::Int8);
        let mut inference = Inference::with(network, parts, tower, false).unwrap();
        assert_close(&evaluate(&mut inference, &leaves), &expected, 0.1);
    }
}

#[test]
fn every_path_agrees_with_the_trained_forward_pass() {
    for ruleset in ["copenhagen", "brandubh", "tablut"] {
        assert_every_path(&shaken(ruleset), ruleset, 21);
    }
    for ruleset in ["copenhagen", "berserk-2024", "brandubh"] {
        assert_every_path(&shaken_with(ruleset, REPLY), ruleset, 33);
    }
}

/// On a trained network, f32 differs in the fifth digit and bf16 and int8 in the second.
#[test]
fn a_trained_network_is_evaluated_alike_on_every_path() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/nets/quickstart");
    let (network, _) = crate::load_network(&folder).unwrap();
    assert_every_path(&network, "copenhagen", 40);
}

/// Computes with ordinary operations on the CPU; outputs are picked as on GPUs, or read from the memory where they are left.
fn plain(network: &Network, compute: Compute, is_picked: bool) -> Inference {
    let tower = Tower::plain(network, compute, Device::Cpu).unwrap();
    Inference::with(network, (Device::Cpu, compute), tower, is_picked).unwrap()
}

/// There is no cuDNN on a CPU; so it is as where it lacks an engine.
#[test]
fn convolutions_that_cannot_be_fused_are_computed_apart() {
    let (network, positions) = (shaken("copenhagen"), positions("copenhagen", 9));
    let leaves = leaves(&positions);
    let mut inference = plain(&network, Compute::F32, true);
    let before = evaluate(&mut inference, &leaves);
    let parts = [inference.picking.as_ref().unwrap().packer.pack(&leaves)];
    let planes = inference.picking.as_ref().unwrap().input(&parts, 9);
    assert!(!inference.tower.fuse(&planes.unwrap()).unwrap());
    assert_eq!(evaluate(&mut inference, &leaves), before);
}

#[test]
fn planes_unpacked_on_a_device_are_those_written_here() {
    for (ruleset, compute) in [
        ("berserk-2024", Compute::F32),
        ("copenhagen", Compute::Bf16),
    ] {
        let (network, positions) = (shaken(ruleset), positions(ruleset, 30));
        let leaves = leaves(&positions);
        let inference = plain(&network, compute, true);
        let picking = inference.picking.as_ref().unwrap();
        // Of two askers, in a batch that is filled up.
        let parts = [&leaves[..13], &leaves[13..]].map(|part| picking.packer.pack(part));
        let unpacked = picking.input(&parts, 32).unwrap();
        let mut planes = Vec::<f32>::new();
        inference.encode_into(&leaves, &mut planes);
        let written = inference
            .input(&planes, PLANES)
            .unwrap()
            .to_kind(compute.kind());
        assert_eq!(unpacked.size(), written.size());
        assert!(unpacked.equal(&written), "{ruleset}");
        // Channels-last in memory, as convolutions like it.
        assert_eq!(unpacked.stride(), written.stride());
    }
}

#[test]
fn workers_that_share_a_device_get_what_each_would_get_alone() {
    for (ruleset, auxiliary) in [
        ("copenhagen", Auxiliary::default()),
        ("berserk-2024", REPLY),
    ] {
        let (network, positions) = (shaken_with(ruleset, auxiliary), positions(ruleset, 60));
        let leaves = leaves(&positions);
        let alone = evaluate(&mut plain(&network, Compute::F32, true), &leaves);
        let make = |network: &Network| Ok(plain(network, Compute::F32, true));
        let shared = Arc::new(Shared::start(&network, make).unwrap());
        let work = &|from: usize| {
            let mut evaluator = shared.clone().evaluator();
            let own = [from..from + 7, from + 7..from + 20];
            let device = evaluator.overlapping().expect("the path of GPUs");
            own.iter()
                .for_each(|own| device.begin(&leaves[own.clone()]));
            let mut found = Vec::new();
            for own in own {
                device.finish(&mut found);
                assert_close(&found, &alone[own.clone()], 1e-4);
                device.begin(&leaves[own]);
            }
            device.finish(&mut found);
            assert_close(&found, &alone[from..from + 7], 1e-4);
        };
        std::thread::scope(|scope| {
            for from in [0, 20, 40] {
                scope.spawn(move || work(from));
            }
        });
    }
    let network = shaken("copenhagen");
    let mut cpu = Inference::new(&network, Device::Cpu, Compute::F32).unwrap();
    assert!(cpu.overlapping().is_none(), "a CPU gains nothing by halves");
}

#[test]
fn an_evaluation_is_the_same_in_every_batch() {
    let (network, positions) = (shaken("copenhagen"), positions("copenhagen", 70));
    let leaves = leaves(&positions);
    for compute in [Compute::F32, Compute::Bf16, Compute::Int8] {
        let Ok(mut inference) = Inference::new(&network, Device::Cpu, compute) else {
            continue;
        };
        let together = evaluate(&mut inference, &leaves);
        for size in [1, 2, 3, 7, 16, 33] {
            let apart: Vec<_> = leaves
                .chunks(size)
                .flat_map(|part| evaluate(&mut inference, part))
                .collect();
            assert_eq!(apart, together, "{compute}, batches of {size}");
        }
    }
}

#[test]
fn each_policy_output_stands_for_the_move_of_its_index() {
    let positions = positions("berserk-2017", 12);
    let shape = positions[0].0.rules().shape();
    let network = Network::new(CONFIG, shape, 1);
    let mut weights = network.weights().clone();
    weights.values_mut().for_each(|numbers| numbers.fill(0.0));
    let mut set = |name: &str, index: usize, number: f32| {
        weights.get_mut(name).unwrap()[index] = number;
    };
    // The tower hands two planes on, the king's and the goal's; the policy head adds 1000 on his square to the plane's
    // number, and 200 to 500 on goals, by the direction of the move that ends there.
    let channels = CONFIG.channels as usize;
    for (channel, plane) in ["king", "goal"].into_iter().enumerate() {
        let mut names = tafl_samples::plane_names().iter();
        let plane = names.position(|&name| name == plane).unwrap();
        set("stem.conv.weight", (channel * PLANES + plane) * 9 + 4, 1.0);
    }
    for direction in 0..4 {
        let weight = 100.0 * (2 + direction) as f32;
        set("destinations.conv.weight", direction * channels + 1, weight);
    }
    for i in 0..channels {
        set("stem.norm.weight", i, 1.0);
        set("stem.norm.running_var", i, 1.0);
    }
    for plane in 0..40 {
        set("policy.conv.weight", plane * channels, 1000.0);
        set("policy.conv.bias", plane, plane as f32);
    }
    set("value.output.bias", 4, -7.0);
    let network = Network::from_weights(*network.architecture(), weights).unwrap();
    let mut inference = Inference::new(&network, Device::Cpu, Compute::F32).unwrap();
    let (mut king_moves, mut escapes) = (0, 0);
    for (game, moves) in &positions {
        let mut moves = moves.clone();
        moves.push(Move::END);
        // The network does not know which moves are legal.
        for from in shape.board().squares() {
            for direction in Direction::ALL {
                let to = (1..shape.size()).map_while(|it| direction.leap(from, it, shape));
                moves.extend(to.filter_map(|to| Move::new(from, to)));
            }
        }
        let evaluations = evaluate(&mut inference, &[Leaf::new(game, &moves)]);
        for (mv, logit) in moves.iter().zip(&evaluations[0].logits) {
            let is_king = !mv.is_end() && mv.from() == game.position().king();
            let is_escape = !mv.is_end() && game.rules().goals().contains(mv.to());
            king_moves += usize::from(is_king);
            escapes += usize::from(is_escape);
            let plane = f32::from(mv.policy_index(shape).0 % 40);
            let leaving = if is_king { 1000.0 } else { 0.0 };
            let expected = if mv.is_end() {
                -7.0
            } else if is_escape {
                let direction = f32::from(mv.direction() as u8);
                plane + leaving + 200.0 + 100.0 * direction
            } else {
                plane + leaving
            };
            assert!(
                (logit - expected).abs() < 0.02,
                "{mv}: {logit}, expected {expected}"
            );
        }
    }
    assert!(king_moves > 10, "the positions have king's moves");
    assert!(escapes > 2, "some moves end on a goal");
}

#[test]
fn an_int8_network_plays_the_same_wherever_its_ranges_come_from_the_same_positions() {
    let (network, positions) = (shaken("copenhagen"), positions("copenhagen", 20));
    let leaves = leaves(&positions);
    let evaluations = |network: &Network| {
        let inference = Inference::new(network, Device::Cpu, Compute::Int8);
        evaluate(&mut inference.unwrap(), &leaves)
    };
    let found = evaluations(&network);
    let ranges = ranges_on_random_games(&network).unwrap();
    assert_eq!(evaluations(&network), found);
    let stored = network.clone().with_ranges(Some(ranges.clone()));
    assert_eq!(evaluations(&stored), found);
    // What is larger than its range is cut off.
    let half = ranges.iter().map(|range| range / 2.0).collect();
    assert_ne!(evaluations(&network.with_ranges(Some(half))), found);
}

#[test]
fn an_inference_may_go_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<Inference>();
}
