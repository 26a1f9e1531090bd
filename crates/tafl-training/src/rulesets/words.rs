//! What others call the fields of a ruleset.

use tafl_config::Meant::{self, Fields, Nothing};

/// The names of OpenTafl's records, of other programs and of rules in prose, and what they mean here.
pub(super) const WORDS: &[(&[&str], Meant)] = &[
    (
        &["shield_wall", "shieldwalls", "sw"],
        Fields(&["shieldwall"]),
    ),
    (
        &["fort", "exit_fort", "edge_forts", "efe"],
        Fields(&["edge_fort"]),
    ),
    (
        &["surround", "surrounding", "surrounded", "enclosure"],
        Fields(&["encirclement"]),
    ),
    (
        &[
            "berserk",
            "berserk_hnefatafl",
            "multi_capture",
            "chain_captures",
            "ber",
        ],
        Fields(&["chain"]),
    ),
    (
        &["commander", "knight", "special_pieces", "jump"],
        Fields(&["ranks"]),
    ),
    (
        &["stalemate", "no_legal_move", "immobile"],
        Fields(&["no_move"]),
    ),
    (
        &[
            "threefold",
            "threefold_repetition",
            "perpetual",
            "perpetual_repetition",
        ],
        Fields(&["repetition"]),
    ),
    (
        &[
            "draw_limit",
            "fifty_move_rule",
            "capture_limit",
            "no_capture_limit",
            "moves_without_capture",
        ],
        Fields(&["captureless_limit"]),
    ),
    (
        &[
            "win",
            "goal",
            "king_escape",
            "escape_to",
            "corner_escape",
            "edge_escape",
            "esc",
        ],
        Fields(&["escape"]),
    ),
    (
        &[
            "king_strength",
            "strong_king",
            "weak_king",
            "king_strong",
            "king_capture_sides",
            "ks",
        ],
        Fields(&["king_capture"]),
    ),
    (
        &[
            "armed_king",
            "weaponless_king",
            "king_mode",
            "king_captures",
            "hammer",
            "ka",
        ],
        Fields(&["king_armed"]),
    ),
    (
        &["hostile_throne", "throne_is_hostile", "center_hostile"],
        Fields(&["throne_hostile"]),
    ),
    (
        &[
            "first",
            "first_player",
            "first_move",
            "attackers_first",
            "side_to_move",
            "starts",
            "starting_side",
            "atkf",
        ],
        Fields(&["moves_first"]),
    ),
    (
        &[
            "board",
            "setup",
            "position",
            "layout",
            "fen",
            "initial_position",
            "board_size",
            "size",
            "dim",
        ],
        Fields(&["start"]),
    ),
    (
        &["extends", "inherits", "parent", "preset", "based_on"],
        Fields(&["base"]),
    ),
    (&["two_sets", "match_format", "rounds"], Fields(&["match"])),
    (
        &[
            "corner_hostile",
            "corners_hostile",
            "hostile_corners",
            "corner_is_hostile",
            "ch",
        ],
        Nothing("rulesets have no such rule: corners that only the king enters are hostile to all"),
    ),
    (
        &[
            "max_move",
            "max_plies",
            "move_limit",
            "ply_limit",
            "turn_limit",
            "max_game_length",
        ],
        Nothing("rulesets have no such rule: a run cuts long games by `selfplay.max_plies`"),
    ),
    (
        &["time_control", "clock", "time_limit"],
        Nothing("rulesets have no such rule: whoever plays a game sets its clock"),
    ),
];
