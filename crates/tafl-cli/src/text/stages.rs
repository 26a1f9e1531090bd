//! What stages of a run came to, as lines for the terminal.

use tafl_arena::{MatchResult, Tally};
use tafl_network::{Assessment, Losses, RoleAssessment};
use tafl_rules::Side;
use tafl_training::Freed;

/// Returns how games ended, in per cent, where the attackers count them.
pub(crate) fn ended_text(games: &Tally) -> String {
    let all = games.games().max(1) as f64;
    let [attackers, defenders, draws, capped] =
        [games.wins, games.losses, games.draws, games.capped]
            .map(|count| 100.0 * count as f64 / all);
    format!(
        "attackers {attackers:.0} %, defenders {defenders:.0} %, draws {draws:.0} %, capped {capped:.0} %"
    )
}

/// Returns losses, of both roles and of each: one may be forgotten while the other is learned.
pub(crate) fn losses_text(losses: &Losses) -> String {
    let Losses {
        policy,
        value,
        policy_attackers,
        policy_defenders,
        value_attackers,
        value_defenders,
        ..
    } = losses;
    let accuracy = 100.0 * losses.policy_accuracy;
    format!(
        "policy loss {policy:.2} (top-1 accuracy {accuracy:.0} %; attackers {policy_attackers:.2}, defenders \
         {policy_defenders:.2}), value loss {value:.3} (attackers {value_attackers:.3}, defenders {value_defenders:.3})"
    )
}

/// Returns what a checkpoint predicts of held-out games, of all and of each role.
pub(crate) fn held_out_text(roles: &[RoleAssessment]) -> String {
    let all = sum(roles.iter());
    let by_side = Side::ALL.map(|side| sum(roles.iter().filter(|role| role.side == side)));
    let [attackers, defenders] = by_side.map(|side| side.value_loss());
    let (accuracy, error) = (
        100.0 * all.policy_accuracy(),
        100.0 * all.calibration_error(),
    );
    format!(
        "{} positions: policy loss {:.2} (top-1 accuracy {accuracy:.0} %), value loss {:.3} (attackers {attackers:.3}, defenders {defenders:.3}), calibration error {error:.0} %",
        all.positions,
        all.policy_loss(),
        all.value_loss(),
    )
}

fn sum<'a>(roles: impl Iterator<Item = &'a RoleAssessment>) -> Assessment {
    let mut all = Assessment::default();
    roles.for_each(|role| all.add(&role.assessment));
    all
}

/// Returns games as `+12 =0 -4`.
pub(crate) fn versus_text(games: Tally) -> String {
    let draws = games.draws + games.capped;
    format!("+{} ={draws} -{}", games.wins, games.losses)
}

/// Returns a line such as `a against b: +12 =0 -4, Elo +191 (+20 to +400), under copenhagen`.
pub(crate) fn match_text(result: &MatchResult) -> String {
    let [first, second] = &result.players;
    let (games, elo) = (versus_text(result.total(0)), result.elo());
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
