//! Positions to begin from: the start, and built ones in which the rarer rules come up.

use super::board::{At, Board, STEPS, State, is_armed, is_goal, may_stop, plus};
use super::moves::continuations;
use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::{Chain, Piece, Ruleset, Side};

/// The kinds of first positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scene {
    Start,
    Scatter,
    Few,
    Fort,
    Ring,
    Row,
    Siege,
    Threat,
    Pen,
    Duel,
    Leaps,
    Chain,
    Throne,
    Corners,
    UnfacedRow,
}

impl Scene {
    pub(crate) const ALL: [Self; 15] = [
        Self::Start,
        Self::Scatter,
        Self::Few,
        Self::Fort,
        Self::Ring,
        Self::Row,
        Self::Siege,
        Self::Threat,
        Self::Pen,
        Self::Duel,
        Self::Leaps,
        Self::Chain,
        Self::Throne,
        Self::Corners,
        Self::UnfacedRow,
    ];
}

/// Draws a first position that `Setup::check` accepts.
pub(crate) fn draw(scene: Scene, rules: &Ruleset, rng: &mut Xoshiro256PlusPlus) -> State {
    let (board, side) = draw_board(scene, rules, rng);
    let chain = (rules.chain != Chain::None && rng.random_bool(0.2))
        .then(|| draw_chain(rules, &board, side, rng))
        .flatten();
    // A chain is pending right after a capture only.
    let counted = chain.is_none() && scene != Scene::Start && rng.random_bool(0.2);
    let most = rules.captureless_limit.map_or(30, |limit| limit.get() + 1);
    let captureless = if counted {
        rng.random_range(0..=most)
    } else {
        0
    };
    State {
        board,
        side,
        chain,
        captureless,
    }
}

/// A piece that could go on if it had just captured.
fn draw_chain(
    rules: &Ruleset,
    board: &Board,
    side: Side,
    rng: &mut Xoshiro256PlusPlus,
) -> Option<At> {
    let own = board
        .squares()
        .filter(|&at| is_armed(rules, board, at, side));
    let able: Vec<At> = own
        .filter(|&at| !continuations(rules, board, at).is_empty())
        .collect();
    able.choose(rng).copied()
}

fn draw_board(scene: Scene, rules: &Ruleset, rng: &mut Xoshiro256PlusPlus) -> (Board, Side) {
    let side = *Side::ALL.choose(rng).expect("two sides");
    if scene == Scene::Start {
        return (Board::of(&rules.setup()), rules.moves_first);
    }
    let board = Board::empty(rules.start.shape.size() as i8);
    let mut draft = Draft { rules, rng, board };
    let side = match scene {
        Scene::Start | Scene::Scatter => draft.scatter(side),
        Scene::Few => draft.few(side),
        Scene::Fort => draft.fort(),
        Scene::Ring => draft.ring(),
        Scene::Row => draft.row(side),
        Scene::Siege => draft.siege(),
        Scene::Threat => draft.threat(side),
        Scene::Pen => draft.pen(side),
        Scene::Duel => draft.duel(side),
        Scene::Leaps => draft.leaps(side),
        Scene::Chain => draft.chain(side),
        Scene::Throne => draft.throne(side),
        Scene::Corners => draft.corners(side),
        Scene::UnfacedRow => draft.unfaced_row(side),
    };
    (draft.board, side)
}

pub(super) const fn soldier_of(side: Side) -> Piece {
    match side {
        Side::Attacker => Piece::Attacker,
        Side::Defender => Piece::Defender,
    }
}

pub(super) struct Draft<'a> {
    pub(super) rules: &'a Ruleset,
    pub(super) rng: &'a mut Xoshiro256PlusPlus,
    pub(super) board: Board,
}

impl Draft<'_> {
    pub(super) fn chance(&mut self, chance: f64) -> bool {
        self.rng.random_bool(chance)
    }

    pub(super) fn any(&mut self) -> At {
        let size = self.board.size;
        (
            self.rng.random_range(0..size),
            self.rng.random_range(0..size),
        )
    }

    /// The square `depth` from one of the four edges, `along` it.
    pub(super) fn at_edge(&self, edge: u8, along: i8, depth: i8) -> At {
        let last = self.board.size - 1;
        match edge {
            0 => (along, depth),
            1 => (along, last - depth),
            2 => (depth, along),
            _ => (last - depth, along),
        }
    }

    /// Puts a piece where it may stand; does nothing elsewhere.
    pub(super) fn put(&mut self, at: At, side: Side) {
        let (board, soldier) = (&self.board, soldier_of(side));
        if !board.is_empty(at) || !may_stop(self.rules, board, soldier, at) {
            return;
        }
        let special = self.rules.ranks.is_on() && self.chance(0.3);
        let piece = match (side, special) {
            (Side::Attacker, false) => Piece::Attacker,
            (Side::Attacker, true) => Piece::Commander,
            (Side::Defender, false) => Piece::Defender,
            (Side::Defender, true) => Piece::Knight,
        };
        self.board.put(at, Some(piece));
    }

    pub(super) fn strew(&mut self, attackers: usize, defenders: usize, edges: f64) {
        let sides = [(Side::Attacker, attackers), (Side::Defender, defenders)];
        for (side, count) in sides {
            for _ in 0..count {
                let at = if self.chance(edges) {
                    let (edge, depth) = (self.rng.random_range(0..4), self.rng.random_range(0..2));
                    let along = self.any().0;
                    self.at_edge(edge, along, depth)
                } else {
                    self.any()
                };
                self.put(at, side);
            }
        }
    }

    /// Tries to put the king there, otherwise anywhere he may begin.
    pub(super) fn put_king(&mut self, wanted: At) -> At {
        let mut at = wanted;
        while !self.board.is_empty(at) || is_goal(self.rules, &self.board, at) {
            at = self.any();
        }
        self.board.put(at, Some(Piece::King));
        at
    }

    /// Near a corner, on an edge, near the throne, or anywhere.
    pub(super) fn put_king_somewhere(&mut self) -> At {
        let last = self.board.size - 1;
        let edge = self.rng.random_range(0..4);
        let near = [self.rng.random_range(0..3), self.rng.random_range(0..3)];
        let wanted = match self.rng.random_range(0..5) {
            0 => (near[0], near[1]),
            1 => (last - near[0], near[1]),
            2 => {
                let along = self.rng.random_range(1..last);
                self.at_edge(edge, along, 0)
            }
            3 => {
                let step = STEPS[edge as usize];
                plus(self.board.throne(), step, near[0])
            }
            _ => self.any(),
        };
        self.put_king(wanted)
    }

    pub(super) fn put_king_somewhere_if_none(&mut self) {
        let mut squares = self.board.squares();
        if !squares.any(|at| self.board.at(at) == Some(Piece::King)) {
            self.put_king_somewhere();
        }
    }

    fn scatter(&mut self, side: Side) -> Side {
        self.put_king_somewhere();
        let area = (self.board.size as usize).pow(2);
        let dense = self.rng.random_range(area / 12..area / 2);
        let attackers = self.rng.random_range(dense / 3..=dense * 2 / 3);
        let edges = *[0.0, 0.2, 0.7].choose(self.rng).expect("three");
        self.strew(attackers, dense - attackers, edges);
        side
    }

    fn few(&mut self, side: Side) -> Side {
        self.put_king_somewhere();
        let (attackers, defenders) = (self.rng.random_range(1..5), self.rng.random_range(0..4));
        self.strew(attackers, defenders, 0.3);
        side
    }

    /// Grows a connected region from a square.
    fn region(&mut self, from: At, size: usize) -> Vec<At> {
        let mut region = vec![from];
        for _ in 0..size * 4 {
            if region.len() >= size {
                break;
            }
            let at = *region.choose(self.rng).expect("not empty");
            let next = plus(at, *STEPS.choose(self.rng).expect("four"), 1);
            if self.board.has(next)
                && !self.board.is_corner(next)
                && self.board.is_empty(next)
                && !region.contains(&next)
            {
                region.push(next);
            }
        }
        region
    }

    /// The squares beside a region.
    fn around(&self, region: &[At]) -> Vec<At> {
        let beside = region
            .iter()
            .flat_map(|&at| STEPS.map(|step| plus(at, step, 1)));
        let mut around: Vec<At> = beside
            .filter(|at| self.board.has(*at) && !region.contains(at))
            .collect();
        around.sort_unstable();
        around.dedup();
        around
    }

    /// A king at the edge behind a wall, with holes at times.
    fn fort(&mut self) -> Side {
        let size = self.board.size;
        let edge = self.rng.random_range(0..4);
        let along = if self.chance(0.35) {
            *[1, 2, size - 2].choose(self.rng).expect("three")
        } else {
            self.rng.random_range(1..size - 1)
        };
        let king = self.put_king(self.at_edge(edge, along, 0));
        let inside_size = self.rng.random_range(2..8);
        let mut inside = self.region(king, inside_size);
        let wall = self.around(&inside);
        let solid = *[1.0, 0.97, 0.85].choose(self.rng).expect("three");
        for &at in &wall {
            if self.chance(solid) {
                self.put(at, Side::Defender);
            }
        }
        inside.extend(&wall);
        let behind = self.around(&inside);
        let (stones, attackers) = (
            self.rng.random_range(0.0..0.6),
            self.rng.random_range(0.0..0.3),
        );
        for at in behind {
            if self.chance(stones) {
                self.put(at, Side::Defender);
            } else if self.chance(attackers) {
                self.put(at, Side::Attacker);
            }
        }
        let outside = self.rng.random_range(0..3);
        for _ in 0..self.rng.random_range(1..12) {
            let at = self.any();
            if !inside.contains(&at) || outside == 0 {
                self.put(at, Side::Attacker);
            }
        }
        self.strew(0, 2, 0.2);
        if self.chance(0.7) {
            Side::Defender
        } else {
            Side::Attacker
        }
    }

    /// Defenders within a ring of attackers, at times with holes or with a defender outside.
    fn ring(&mut self) -> Side {
        let king = self.put_king_somewhere();
        let size = self.rng.random_range(2..=(self.board.size as usize * 2));
        let inside = self.region(king, size);
        let solid = *[1.0, 0.95, 0.9].choose(self.rng).expect("three");
        for at in self.around(&inside) {
            if self.chance(solid) {
                self.put(at, Side::Attacker);
            }
        }
        for at in inside {
            if self.chance(0.3) {
                self.put(at, Side::Defender);
            }
        }
        let outside = usize::from(self.chance(0.3));
        self.strew(4, outside, 0.2);
        Side::Attacker
    }

    /// Rows along an edge with enemies in front, an end open or closed.
    fn row(&mut self, owner: Side) -> Side {
        let (size, enemy) = (self.board.size, owner.opponent());
        for _ in 0..self.rng.random_range(1..3) {
            let edge = self.rng.random_range(0..4);
            let first = self.rng.random_range(0..size - 2);
            let len = self.rng.random_range(1..=(size - 1 - first).min(5));
            for along in first..first + len {
                self.put(self.at_edge(edge, along, 0), owner);
                if self.chance(0.96) {
                    self.put(self.at_edge(edge, along, 1), enemy);
                }
            }
            for end in [first - 1, first + len] {
                if !(0..size).contains(&end) {
                    continue;
                }
                let depth = [0, 0, 2, 3][self.rng.random_range(0..4)];
                self.put(self.at_edge(edge, end, depth), enemy);
                if depth == 2 && self.chance(0.5) {
                    self.put(self.at_edge(edge, end, 1), owner);
                }
            }
        }
        let king = self.king_in_a_row(owner);
        self.put_king(king);
        self.strew(4, 3, 0.3);
        if self.chance(0.8) { enemy } else { owner }
    }

    /// A square near the edge for the king, emptied if it holds one of his men.
    fn king_in_a_row(&mut self, owner: Side) -> At {
        let (edge, along) = (self.rng.random_range(0..4), self.any().0);
        let depth = match owner {
            Side::Attacker => self.rng.random_range(0..3),
            Side::Defender => self.rng.random_range(0..2),
        };
        let at = self.at_edge(edge, along, depth);
        if self.board.is_side(at, Side::Defender) && !is_goal(self.rules, &self.board, at) {
            self.board.put(at, None);
        }
        at
    }

    /// Attackers around the king, others within reach.
    fn siege(&mut self) -> Side {
        let king = if self.chance(0.3) {
            self.king_by_a_corner()
        } else {
            self.put_king_somewhere()
        };
        for step in STEPS {
            if self.chance(0.65) {
                self.put(plus(king, step, 1), Side::Attacker);
            } else if self.chance(0.3) {
                self.put(plus(king, step, 1), Side::Defender);
                self.put(plus(king, step, 2), Side::Attacker);
            } else if self.chance(0.7) {
                let far = self.rng.random_range(2..5);
                self.put(plus(king, step, far), Side::Attacker);
            }
        }
        let (attackers, defenders) = (self.rng.random_range(0..8), self.rng.random_range(0..5));
        self.strew(attackers, defenders, 0.1);
        if self.chance(0.7) {
            Side::Attacker
        } else {
            Side::Defender
        }
    }

    /// A king beside a corner, and an attacker who may leap to his other side.
    fn king_by_a_corner(&mut self) -> At {
        let edge = self.rng.random_range(0..4);
        let king = self.put_king(self.at_edge(edge, 1, 0));
        let [over, from] = if self.chance(0.5) {
            [self.at_edge(edge, 2, 1), self.at_edge(edge, 2, 2)]
        } else {
            [self.at_edge(edge, 3, 0), self.at_edge(edge, 4, 0)]
        };
        self.put(over, Side::Defender);
        if self.rules.ranks.is_on() && self.board.is_empty(from) {
            self.board.put(from, Some(Piece::Commander));
        } else {
            self.put(from, Side::Attacker);
        }
        king
    }

    /// A king within reach of a goal, few pieces: threats are made and met again and again.
    fn threat(&mut self, side: Side) -> Side {
        let (edge, along) = (self.rng.random_range(0..4), self.any().0);
        let depth = self.rng.random_range(0..3);
        let king = self.put_king(self.at_edge(edge, along, depth));
        let mut lines = STEPS;
        lines.shuffle(self.rng);
        let closed = self.rng.random_range(1..4);
        for step in &lines[..closed] {
            let far = self.rng.random_range(1..5);
            self.put(plus(king, *step, far), Side::Attacker);
        }
        let (attackers, defenders) = (self.rng.random_range(0..7), self.rng.random_range(0..3));
        self.strew(attackers, defenders, 0.4);
        side
    }

    /// A king with hardly a choice: alone, or almost, on a few squares among attackers.
    fn pen(&mut self, side: Side) -> Side {
        let king = self.put_king_somewhere();
        let size = self.rng.random_range(2..5);
        let inside = self.region(king, size);
        for at in self.around(&inside) {
            if self.chance(0.97) {
                self.put(at, Side::Attacker);
            }
        }
        let (attackers, defenders) = (self.rng.random_range(0..4), self.rng.random_range(0..4));
        self.strew(attackers, defenders / 3, 0.2);
        side
    }

    /// A king with two squares, and an attacker who must follow him to close his line to the edge.
    fn duel(&mut self, side: Side) -> Side {
        let king = self.any();
        let out = *STEPS.choose(self.rng).expect("four");
        let along = (out.1, out.0);
        let beside = plus(king, out, 1);
        for at in [
            plus(king, out, -1),
            plus(beside, out, 1),
            plus(king, along, -1),
            plus(beside, along, -1),
            plus(king, along, 1),
        ] {
            self.put(at, Side::Attacker);
        }
        self.put_king(king);
        let attackers = self.rng.random_range(0..3);
        self.strew(attackers, 0, 0.2);
        side
    }
}
