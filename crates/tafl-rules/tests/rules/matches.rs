//! Matches of two sets (spec.md 6).

use tafl_rules::{EndReason, MatchWinner, Outcome, SetResult, Side, two_sets};

fn won(side: Side, turns: u32) -> SetResult {
    let mut counts = [100, 100];
    counts[side.index()] = turns;
    let outcome = Outcome {
        winner: Some(side),
        reason: EndReason::KingCaptured,
    };
    SetResult {
        outcome: Some(outcome),
        turns: counts,
    }
}

fn drawn() -> SetResult {
    let outcome = Outcome {
        winner: None,
        reason: EndReason::NoMove,
    };
    SetResult {
        outcome: Some(outcome),
        turns: [30, 30],
    }
}

fn capped() -> SetResult {
    SetResult {
        outcome: None,
        turns: [500, 500],
    }
}

#[test]
fn who_wins_both_sets_wins_the_match() {
    let match_winner = two_sets(won(Side::Attacker, 90), won(Side::Defender, 90));
    assert_eq!(match_winner, MatchWinner::FirstAttacker);
    let match_winner = two_sets(won(Side::Defender, 90), won(Side::Attacker, 90));
    assert_eq!(match_winner, MatchWinner::FirstDefender);
}

#[test]
fn with_one_win_each_the_one_with_fewer_turns_of_his_own_wins() {
    // Both sets go to the attackers, who are another player in the second.
    let match_winner = two_sets(won(Side::Attacker, 20), won(Side::Attacker, 21));
    assert_eq!(match_winner, MatchWinner::FirstAttacker);
    let match_winner = two_sets(won(Side::Attacker, 21), won(Side::Attacker, 20));
    assert_eq!(match_winner, MatchWinner::FirstDefender);
    let match_winner = two_sets(won(Side::Defender, 20), won(Side::Defender, 21));
    assert_eq!(match_winner, MatchWinner::FirstDefender);
    let match_winner = two_sets(won(Side::Defender, 21), won(Side::Defender, 20));
    assert_eq!(match_winner, MatchWinner::FirstAttacker);
}

#[test]
fn with_one_win_each_in_equal_turns_the_match_is_drawn() {
    let match_winner = two_sets(won(Side::Defender, 20), won(Side::Defender, 20));
    assert_eq!(match_winner, MatchWinner::Drawn);
}

#[test]
fn one_win_and_one_draw_go_to_the_winner() {
    assert_eq!(
        two_sets(won(Side::Attacker, 90), drawn()),
        MatchWinner::FirstAttacker
    );
    assert_eq!(
        two_sets(won(Side::Defender, 90), drawn()),
        MatchWinner::FirstDefender
    );
    assert_eq!(
        two_sets(drawn(), won(Side::Attacker, 90)),
        MatchWinner::FirstDefender
    );
    assert_eq!(
        two_sets(drawn(), won(Side::Defender, 90)),
        MatchWinner::FirstAttacker
    );
}

#[test]
fn two_draws_are_a_drawn_match() {
    assert_eq!(two_sets(drawn(), drawn()), MatchWinner::Drawn);
}

#[test]
fn a_capped_game_leaves_the_match_undecided() {
    assert_eq!(
        two_sets(capped(), won(Side::Attacker, 20)),
        MatchWinner::Undecided
    );
    assert_eq!(
        two_sets(won(Side::Attacker, 20), capped()),
        MatchWinner::Undecided
    );
    assert_eq!(two_sets(drawn(), capped()), MatchWinner::Undecided);
}
