//! What other programs call the fields of a run config.

use tafl_config::Meant::{self, Fields, Nothing};

/// The names of AlphaZero's pseudocode, of mctx, KataGo, lc0, OpenSpiel and of tutorials, and what they mean here.
pub(super) const WORDS: &[(&[&str], Meant)] = &[
    (
        &["lr", "learning_rate", "init_lr", "lr_init", "max_lr"],
        Fields(&["trainer.learning_rate.peak"]),
    ),
    (
        &["warmup", "lr_warmup"],
        Fields(&["trainer.learning_rate.warmup_steps"]),
    ),
    (
        &["min_lr", "lr_min", "final_lr", "lr_decay"],
        Fields(&["trainer.learning_rate.final_fraction"]),
    ),
    (
        &["ema", "ema_decay", "swa", "swa_decay"],
        Fields(&["trainer.average_decay"]),
    ),
    (
        &["epoch", "training_ratio", "replay_ratio", "train_ratio"],
        Fields(&["loop.reuse", "loop.generations"]),
    ),
    (
        &[
            "iteration",
            "iter",
            "cycle",
            "training_steps",
            "total_steps",
            "max_steps",
            "steps",
        ],
        Fields(&["loop.generations"]),
    ),
    (
        &[
            "batch",
            "minibatch",
            "minibatch_size",
            "train_batch_size",
            "bs",
        ],
        Fields(&["loop.batch_size"]),
    ),
    (
        &[
            "episode",
            "selfplay_games",
            "self_play_games",
            "games_per_iteration",
        ],
        Fields(&["loop.games"]),
    ),
    (
        &[
            "checkpoint_interval",
            "checkpoint_every",
            "save_every",
            "save_interval",
        ],
        Fields(&["loop.asynchronous.checkpoint_steps"]),
    ),
    (&["async"], Fields(&["loop.asynchronous"])),
    (
        &["filter", "width", "hidden_size", "hidden_dim", "planes"],
        Fields(&["network.channels"]),
    ),
    (
        &[
            "layer",
            "depth",
            "res_blocks",
            "residual_blocks",
            "resblocks",
            "resnet_blocks",
            "res_layers",
        ],
        Fields(&["network.blocks"]),
    ),
    (&["value_filters"], Fields(&["network.value_channels"])),
    (
        &["value_fc", "fc_size", "value_hidden_size"],
        Fields(&["network.value_hidden"]),
    ),
    (
        &[
            "simulation",
            "sims",
            "playout",
            "nodes",
            "rollout",
            "mcts_sims",
            "mcts_simulations",
            "max_visits",
        ],
        Fields(&["search.visits"]),
    ),
    (
        &[
            "cpuct",
            "puct_c",
            "exploration",
            "exploration_constant",
            "pb_c_init",
            "uct_c",
        ],
        Fields(&["search.puct.c_puct"]),
    ),
    (
        &[
            "considered_actions",
            "max_num_considered_actions",
            "sampled_actions",
            "top_k",
        ],
        Fields(&["search.considered_moves"]),
    ),
    (
        &["contempt", "draw_value", "draw_score"],
        Fields(&["search.attackers_draw_value"]),
    ),
    (
        &[
            "dirichlet",
            "dirichlet_alpha",
            "dirichlet_epsilon",
            "dirichlet_fraction",
            "dirichlet_noise",
            "root_noise",
            "root_dirichlet_alpha",
            "root_exploration_fraction",
            "noise",
            "exploration_fraction",
        ],
        Nothing(
            "it is a constant of `search.puct`; the search without that section needs no such noise",
        ),
    ),
    (
        &[
            "temperature",
            "tau",
            "temp",
            "temperature_moves",
            "temperature_drop",
            "temp_threshold",
            "sampling_moves",
        ],
        Nothing(
            "it is a constant of `search.puct`; the search without that section needs no temperature",
        ),
    ),
    (
        &[
            "optimizer",
            "momentum",
            "weight_decay",
            "l2",
            "l2_regularization",
            "dropout",
            "gradient_clip",
            "grad_clip",
        ],
        Nothing("the optimizer is Muon with Adam, and its constants are not fields"),
    ),
    (
        &["thread", "cpus", "actor", "search_threads"],
        Fields(&["runner.workers"]),
    ),
    (
        &[
            "envs",
            "concurrent_games",
            "game_threads",
            "inference_batch_size",
        ],
        Fields(&["runner.parallel_games"]),
    ),
    (
        &["cache", "cache_size", "nn_cache_size"],
        Fields(&["runner.cache_positions"]),
    ),
    (
        &[
            "max_moves",
            "max_game_length",
            "max_length",
            "max_game_moves",
            "move_limit",
            "ply_limit",
            "max_ply",
            "game_length",
        ],
        Fields(&["selfplay.max_plies"]),
    ),
    (
        &["fast_visits", "cheap_search_visits"],
        Fields(&["selfplay.cheap_visits"]),
    ),
    (
        &[
            "playout_cap_randomization",
            "cheap_search_prob",
            "full_search_prob",
        ],
        Fields(&["selfplay.full_search_fraction"]),
    ),
    (
        &["teacher", "handicap", "partner", "curriculum", "opponents"],
        Fields(&["selfplay.uneven"]),
    ),
    (
        &["td_lambda", "lambda", "q_ratio", "value_target"],
        Fields(&["targets.value_lambda"]),
    ),
    (
        &[
            "buffer",
            "buffer_size",
            "replay_buffer",
            "replay_buffer_size",
            "replay_size",
            "window",
            "window_size",
            "capacity",
        ],
        Fields(&["replay.maximum", "replay.minimum"]),
    ),
    (
        &[
            "validation_split",
            "validation_fraction",
            "val_split",
            "test_split",
        ],
        Fields(&["replay.held_out_fraction"]),
    ),
    (
        &[
            "eval_games",
            "evaluation_games",
            "arena_games",
            "arena_compare",
            "eval_episodes",
        ],
        Fields(&["arena.openings"]),
    ),
    (
        &["ruleset", "rules", "variant", "game"],
        Fields(&["rulesets"]),
    ),
    (&["random_seed", "rng_seed"], Fields(&["seed"])),
    (&["gpu", "cuda", "accelerator"], Fields(&["device"])),
    (
        &["dtype", "fp16", "bf16", "amp", "mixed_precision"],
        Fields(&["precision"]),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RunConfig;
    use crate::rulesets::RulesetFile;
    use tafl_config::{Config, fields};

    #[test]
    fn words_stand_once_and_for_fields_that_are() {
        let known = fields::<RunConfig>()
            .into_iter()
            .chain(fields::<RulesetFile>());
        let known: Vec<String> = known.map(|field| field.path).collect();
        for words in [WORDS, RulesetFile::WORDS] {
            for (index, (names, meant)) in words.iter().enumerate() {
                if let Fields(paths) = meant {
                    let mut paths = paths.iter();
                    assert!(
                        paths.all(|path| known.iter().any(|it| it == path)),
                        "{meant:?}"
                    );
                }
                for name in *names {
                    let first = words
                        .iter()
                        .position(|it| tafl_config::meant(&[*it], name).is_some());
                    assert_eq!(first, Some(index), "{name}");
                }
            }
        }
    }
}
