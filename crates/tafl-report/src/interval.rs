//! 95 % intervals of counts.

use tafl_arena::{Estimate, PairCounts, Tally, score_of_elo};

/// Returns the attackers' points a game, 0 to 1, with the interval of [`PairCounts::elo`] where each game stands
/// alone; `None` without games. A capped game counts like a draw.
pub(crate) fn score(attackers: &Tally) -> Option<Estimate> {
    let elo = elo(attackers)?;
    Some(around(
        attackers.score(),
        score_of_elo(elo.low),
        score_of_elo(elo.high),
    ))
}

/// Returns the Elo points that the attackers' side is worth to equals, by the same posterior as [`score`].
pub(crate) fn elo(attackers: &Tally) -> Option<Estimate> {
    let draws = attackers.draws + attackers.capped;
    let elo = PairCounts([attackers.losses, 0, draws, 0, attackers.wins]).elo();
    (attackers.games() > 0).then_some(Estimate {
        value: elo.elo,
        low: elo.low,
        high: elo.high,
    })
}

/// Returns a share of games, 0 to 1, with Jeffreys' interval.
pub(crate) fn share(count: u64, games: u64) -> Option<Estimate> {
    let tally = Tally {
        wins: count,
        losses: games.checked_sub(count)?,
        ..Tally::default()
    };
    score(&tally)
}

/// Returns an estimate whose interval holds its value: the posterior of nothing but wins leaves out 1 itself.
fn around(value: f64, low: f64, high: f64) -> Estimate {
    Estimate {
        value,
        low: low.min(value),
        high: high.max(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_the_interval_of_jeffreys() {
        // Beta(3.5, 7.5) at 0.025 and 0.975, from a table of Brown, Cai and DasGupta (2001), n = 10, x = 3.
        let three_of_ten = share(3, 10).expect("there are games");
        assert!((three_of_ten.value - 0.3).abs() < 1e-12);
        assert!(
            (three_of_ten.low - 0.093).abs() < 1e-3,
            "{}",
            three_of_ten.low
        );
        assert!(
            (three_of_ten.high - 0.606).abs() < 1e-3,
            "{}",
            three_of_ten.high
        );
        assert_eq!(share(0, 0), None);
        assert_eq!(share(2, 1), None);
    }

    #[test]
    fn nothing_but_wins_is_within_its_interval() {
        let all = share(20, 20).expect("there are games");
        assert!(all.high >= all.value && all.low < 0.95 && all.low > 0.8);
    }

    #[test]
    fn a_capped_game_is_half_a_point_and_draws_narrow_the_interval() {
        let tally = |wins, draws, capped, losses| Tally {
            wins,
            draws,
            losses,
            capped,
        };
        let decided = score(&tally(50, 0, 0, 50)).expect("there are games");
        let drawn = score(&tally(10, 40, 40, 10)).expect("there are games");
        assert!((decided.value - 0.5).abs() < 1e-12 && (drawn.value - 0.5).abs() < 1e-12);
        assert!(drawn.high - drawn.low < 0.6 * (decided.high - decided.low));
    }
}
