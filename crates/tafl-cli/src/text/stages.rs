//! What stages of a run came to, as lines for the terminal.

use super::table::whole_percent;
use tafl_arena::{MatchResult, Tally};
use tafl_network::{Assessment, Losses, RoleAssessment};
use tafl_rules::Side;
use tafl_training::{Freed, OneSided};

/// Returns how games ended, in per cent, where the attackers count them.
pub(crate) fn ended_text(games: &Tally) -> String {
    let all = games.games().max(1) as f64;
    let [attackers, defenders, draws, capped] =
        [games.wins, games.losses, games.draws, games.capped]
            .map(|count| whole_percent(count as f64 / all));
    format!("attackers {attackers} %, defenders {defenders} %, draws {draws} %, capped {capped} %")
}

/// Returns why a run whose games are all cut learns little.
pub(crate) fn capped_text(max_plies: u32) -> String {
    format!(
        "all games were cut at selfplay.max_plies = {max_plies}, so nobody won: raise it, or values come from the pieces left alone"
    )
}

/// Returns why a run does not learn how one side wins.
pub(crate) fn one_sided_text(found: &OneSided) -> String {
    let OneSided {
        side,
        generations,
        games,
    } = found;
    format!(
        "the {} won none of the {games} games of self-play in the last {generations} generations, so there is nothing to \
         learn their winning from: a teacher, partners or handicaps in selfplay.uneven help",
        side.name()
    )
}

/// Returns losses, of both roles and of each: one may be forgotten while the other is learned. A role that no sample has
/// is a dash.
pub(crate) fn losses_text(losses: &Losses) -> String {
    let Losses { policy, value, .. } = losses;
    let [attackers, defenders] = Side::ALL.map(|side| {
        let of = |text: String| {
            if losses.has(side) {
                text
            } else {
                "-".to_owned()
            }
        };
        let (policy, value) = match side {
            Side::Attacker => (losses.policy_attackers, losses.value_attackers),
            Side::Defender => (losses.policy_defenders, losses.value_defenders),
        };
        [of(format!("{policy:.2}")), of(format!("{value:.3}"))]
    });
    let accuracy = 100.0 * losses.policy_accuracy;
    format!(
        "policy loss {policy:.2} (top-1 accuracy {accuracy:.0} %; attackers {}, defenders {}), value loss {value:.3} \
         (attackers {}, defenders {})",
        attackers[0], defenders[0], attackers[1], defenders[1]
    )
}

/// Returns what a checkpoint predicts of held-out games, of all and of each role.
pub(crate) fn held_out_text(roles: &[RoleAssessment]) -> String {
    let all: Assessment = roles.iter().sum();
    let of_side =
        |side: Side| -> Assessment { roles.iter().filter(|role| role.side == side).sum() };
    let sides = Side::ALL.map(of_side);
    let by_side = |text: &dyn Fn(&Assessment) -> String| {
        let [attackers, defenders] = sides.each_ref().map(|side| match side.positions {
            0 => "-".to_owned(),
            _ => text(side),
        });
        format!("attackers {attackers}, defenders {defenders}")
    };
    // Of both sides together the error would be small where one expects too much and the other too little.
    format!(
        "{} positions: policy loss {:.2} (top-1 accuracy {:.0} %), value loss {:.3} ({}), calibration error {}",
        all.positions,
        all.policy_loss(),
        100.0 * all.policy_accuracy(),
        all.value_loss(),
        by_side(&|side| format!("{:.3}", side.value_loss())),
        by_side(&|side| format!("{:.0} %", 100.0 * side.calibration_error())),
    )
}

/// Returns games as `+12 =0 -4`.
pub(crate) fn versus_text(games: Tally) -> String {
    let draws = games.draws + games.capped;
    format!("+{} ={draws} -{}", games.wins, games.losses)
}

/// Returns a line such as `a against b: +12 =0 -4, Elo +191 (+20 to +400), under copenhagen`.
pub(crate) fn match_text(result: &MatchResult) -> String {
    let [first, second] = &result.players;
    let (games, elo) = (versus_text(result.total(0)), result.pair_counts().elo());
    format!(
        "{first} against {second}: {games}, Elo {:+.0} ({:+.0} to {:+.0}), under {}",
        elo.value, elo.low, elo.high, result.ruleset
    )
}

/// Returns a line such as `greedy under fetlar: attackers +8 =1 -11`.
pub(crate) fn self_match_text(result: &MatchResult) -> String {
    let attackers = versus_text(result.tally(0, Side::Attacker));
    format!(
        "{} under {}: attackers {attackers}",
        result.players[0], result.ruleset
    )
}

/// Returns what was removed to free the disk.
pub(crate) fn freed_text(freed: &Freed) -> String {
    let Freed {
        samples,
        checkpoints,
        bytes,
        ..
    } = freed;
    let counted = |count, one: &str, more: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {more}")),
    };
    let parts = [
        counted(*checkpoints, "checkpoint", "checkpoints"),
        counted(*samples, "file's samples", "files' samples"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return "nothing to remove".to_owned();
    }
    let megabytes = *bytes as f64 / 1e6;
    format!("removed {}, {megabytes:.1} MB", parts.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_without_positions_has_no_number() {
        let losses = Losses {
            policy: 2.0,
            value: 1.0,
            policy_attackers: 2.0,
            value_attackers: 1.0,
            ..Losses::default()
        };
        let text = losses_text(&losses);
        let expected =
            "attackers 2.00, defenders -), value loss 1.000 (attackers 1.000, defenders -)";
        assert!(text.ends_with(expected), "{text}");
    }
}
