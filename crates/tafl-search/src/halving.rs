//! Sequential Halving at the root (Karnin et al. 2013; Danihelka et al. 2022, algorithm 2).

use crate::tree::first_best;

/// A considered move and how often Sequential Halving gave it a visit.
#[derive(Debug, Clone, Copy)]
struct Slot {
    edge: usize,
    turns: u32,
    /// As [`Halving::next`] saw it last.
    score: f32,
}

/// The state of one root's Sequential Halving. Counts its own visits: those of an earlier budget of the same
/// root do not matter.
#[derive(Debug, Clone, Default)]
pub(crate) struct Halving {
    slots: Vec<Slot>,
    schedule: Vec<u32>,
    /// Edges by falling score; those from `next` on have not been considered.
    ranking: Vec<usize>,
    next: usize,
    done: usize,
}

impl Halving {
    /// Forgets the considered moves.
    pub(crate) fn reset(&mut self) {
        self.slots.clear();
        self.schedule.clear();
    }

    /// Begins with the `considered` moves of the highest scores (Gumbel-Top-k) and a budget of visits.
    pub(crate) fn begin(&mut self, scores: &[f32], considered: usize, visits: u32) {
        self.ranking.clear();
        self.ranking.extend(0..scores.len());
        self.ranking
            .sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        self.next = considered.min(scores.len());
        self.done = 0;
        self.slots.clear();
        let slot = |&edge| Slot {
            edge,
            turns: 0,
            score: scores[edge],
        };
        self.slots
            .extend(self.ranking[..self.next].iter().map(slot));
        schedule(self.next, visits, &mut self.schedule);
    }

    /// Returns the edge that gets the next visit: of the moves whose turns are due, the best score.
    ///
    /// `score` is g(a) + logits(a) + sigma(completedQ(a)), minus infinity for moves proven lost. A
    /// considered move that turned out lost gives its place to the best one not yet considered.
    pub(crate) fn next(&mut self, score: impl Fn(usize) -> f32) -> usize {
        for slot in &mut self.slots {
            slot.score = score(slot.edge);
            while slot.score == f32::NEG_INFINITY && self.next < self.ranking.len() {
                slot.edge = self.ranking[self.next];
                slot.score = score(slot.edge);
                self.next += 1;
            }
        }
        let due = self.schedule.get(self.done).copied();
        let slots = self.slots.iter().enumerate();
        let chosen = best(slots.filter(|(_, slot)| Some(slot.turns) == due))
            .or_else(|| best(self.slots.iter().enumerate()));
        let Some(slot_index) = chosen else { return 0 };
        self.done += 1;
        let slot = &mut self.slots[slot_index];
        slot.turns += 1;
        let edge = slot.edge;
        if slot.score > f32::NEG_INFINITY {
            return edge;
        }
        // Every other move was considered too, so this one's turn goes to the best that is not lost.
        best(self.slots.iter().enumerate()).map_or(edge, |index| self.slots[index].edge)
    }

    /// Returns the edges whose turns are due next and of which none can be left out: the budget is enough for all.
    pub(crate) fn due(&self) -> Vec<usize> {
        let mut left = self.schedule[self.done.min(self.schedule.len())..].iter();
        let Some(due) = left.next() else {
            return Vec::new();
        };
        let turns = 1 + left.take_while(|&turn| turn == due).count();
        let is_due = |slot: &&Slot| slot.turns == *due && slot.score > f32::NEG_INFINITY;
        let edges: Vec<usize> = self.slots.iter().filter(is_due).map(|it| it.edge).collect();
        if edges.len() > turns {
            return Vec::new();
        }
        edges
    }

    /// Returns the edge to play: the best score among the moves with the most turns (A_{n+1} of the paper).
    pub(crate) fn choice(&self, scores: &[f32]) -> usize {
        let scored = self.slots.iter().map(|slot| Slot {
            score: scores[slot.edge],
            ..*slot
        });
        let alive: Vec<Slot> = scored
            .filter(|slot| slot.score > f32::NEG_INFINITY)
            .collect();
        let most = alive.iter().map(|slot| slot.turns).max();
        let last = alive.iter().enumerate();
        let slot_index = best(last.filter(|(_, slot)| Some(slot.turns) == most));
        let first_max = || first_best(scores.iter().enumerate()).unwrap_or(0);
        slot_index.map_or_else(first_max, |index| alive[index].edge)
    }
}

/// Returns the index of the slot with the highest score, the first among equals.
fn best<'a>(slots: impl Iterator<Item = (usize, &'a Slot)>) -> Option<usize> {
    first_best(slots.map(|(index, slot)| (index, slot.score)))
}

/// Puts into `turns` the number of turns that a move must have had to get each of the `visits` visits.
///
/// The budget is shared equally among ceil(log2 m) phases; a phase visits its moves in turn, equally
/// often, at least once; then half of them go on, never fewer than two (algorithm 2, as in mctx).
pub(crate) fn schedule(considered: usize, visits: u32, turns: &mut Vec<u32>) {
    let visits = visits as usize;
    turns.clear();
    if considered <= 1 {
        turns.extend(0..visits as u32);
        return;
    }
    let phases = considered.next_power_of_two().ilog2() as usize;
    let mut moves_left = considered;
    let mut round = 0;
    while turns.len() < visits {
        let rounds = (visits / (phases * moves_left)).max(1);
        for _ in 0..rounds {
            turns.extend(std::iter::repeat_n(round, moves_left));
            round += 1;
        }
        moves_left = (moves_left / 2).max(2);
    }
    turns.truncate(visits);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how many visits each of the considered moves gets in the end, most first.
    fn visits_by_move(considered: usize, visits: u32) -> Vec<u32> {
        let mut turns = Vec::new();
        schedule(considered, visits, &mut turns);
        let mut counts = vec![0; considered];
        for due in turns {
            let index = counts
                .iter()
                .position(|&count| count == due)
                .expect("a move is due");
            counts[index] += 1;
        }
        counts
    }

    #[test]
    fn sixteen_visits_on_four_moves_take_two_phases_of_eight() {
        let mut turns = Vec::new();
        schedule(4, 16, &mut turns);
        assert_eq!(turns, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    }

    #[test]
    fn two_hundred_visits_on_sixteen_moves_take_four_phases_of_about_fifty() {
        // 200 / (4 * 16) = 3 rounds of 16 moves, 6 of 8, 12 of 4, 25 of 2; the last two share the 6 left.
        let counts = visits_by_move(16, 200);
        assert_eq!(counts[8..], [3; 8]);
        assert_eq!(counts[4..8], [9; 4]);
        assert_eq!(counts[2..4], [21; 2]);
        assert_eq!(counts[..2], [49, 49]);
    }

    #[test]
    fn few_visits_go_to_the_best_moves_once() {
        assert_eq!(
            visits_by_move(16, 8),
            [1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]
        );
        assert_eq!(visits_by_move(1, 5), [5]);
        // Two phases: 3 moves once, 2 moves twice; what the divisions left over goes to those two.
        assert_eq!(visits_by_move(3, 9), [4, 4, 1]);
    }

    #[test]
    fn the_schedule_spends_exactly_the_budget() {
        let mut turns = Vec::new();
        for considered in 1..40 {
            for visits in 1..130 {
                schedule(considered, visits, &mut turns);
                assert_eq!(turns.len(), visits as usize);
                assert_eq!(
                    visits_by_move(considered, visits).iter().sum::<u32>(),
                    visits
                );
            }
        }
    }

    #[test]
    fn a_lost_move_gives_its_place_to_the_next_best() {
        let mut halving = Halving::default();
        let mut scores = [1.0, 4.0, 3.0, 2.0];
        halving.begin(&scores, 2, 6);
        assert_eq!(halving.next(|edge| scores[edge]), 1);
        scores[1] = f32::NEG_INFINITY;
        assert_eq!(halving.next(|edge| scores[edge]), 2);
        assert_eq!(halving.next(|edge| scores[edge]), 2);
        assert_eq!(halving.next(|edge| scores[edge]), 3);
        assert_eq!(halving.choice(&scores), 2);
    }
}
