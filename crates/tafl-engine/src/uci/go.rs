//! The words after `go`.

use crate::Limits;
use crate::budget::time_for_turn;
use crate::notation::shortened;
use std::time::Duration;
use tafl_rules::Side;

/// What `go` asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Go<'a> {
    limits: Limits,
    clocks: [Clock; 2],
    moves_to_go: Option<u32>,
    /// Whether the opponent is still thinking about the last move of the position.
    pub(super) ponders: bool,
    /// The only moves to look at.
    pub(super) only: Option<Vec<&'a str>>,
    /// Words that were passed over though they were meant for us, and why.
    pub(super) faults: Vec<String>,
}

/// The clock of a side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Clock {
    left: Option<Duration>,
    added: Duration,
}

impl<'a> Go<'a> {
    /// Reads the words; those that nobody knows are passed over, as UCI has it.
    pub(super) fn read(words: &[&'a str]) -> Self {
        let mut go = Self::default();
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            match word {
                "infinite" => go.limits.infinite = true,
                "ponder" => go.ponders = true,
                "searchmoves" => {
                    let moves = std::iter::from_fn(|| words.next_if(|word| !is_keyword(word)));
                    go.only.get_or_insert_default().extend(moves);
                }
                _ if is_keyword(word) => match words.next_if(|word| !is_keyword(word)) {
                    Some(text) => go.take(word, text),
                    None => go.faults.push(format!("go {word}: its number is missing")),
                },
                _ => {}
            }
        }
        go
    }

    /// Takes in a number; a time below the least is the least, as that of a clock that ran out, but no count is.
    fn take(&mut self, word: &str, text: &str) {
        let Ok(number) = text.parse::<i64>() else {
            let text = shortened(text);
            let fault = format!("go {word}: {text:?} is not a whole number");
            return self.faults.push(fault);
        };
        if ["nodes", "depth", "movestogo"].contains(&word) && number < 1 {
            let fault = format!("go {word}: {number} is below 1");
            return self.faults.push(fault);
        }
        let count = number.clamp(1, u32::MAX.into()) as u32;
        let time = Duration::from_millis(number.max(0).unsigned_abs());
        match word {
            "nodes" => self.limits.nodes = Some(count),
            "depth" => self.limits.depth = Some(count as usize),
            "movetime" => self.limits.movetime = Some(time.max(Duration::from_millis(1))),
            "wtime" => self.clock(Side::Defender).left = Some(time),
            "btime" => self.clock(Side::Attacker).left = Some(time),
            "winc" => self.clock(Side::Defender).added = time,
            "binc" => self.clock(Side::Attacker).added = time,
            "movestogo" => self.moves_to_go = Some(count),
            // Every search ends with the proof of a win.
            _ => {}
        }
    }

    fn clock(&mut self, side: Side) -> &mut Clock {
        &mut self.clocks[side.index()]
    }

    /// Returns the limits of a search for a side; without any in the words, the usual ones.
    pub(super) fn limits(&self, side: Side, usual: Limits) -> Limits {
        let Clock { left, added } = self.clocks[side.index()];
        let of_clock = left.map(|left| time_for_turn(left, added, self.moves_to_go));
        let times = [self.limits.movetime, of_clock];
        let limits = Limits {
            movetime: times.into_iter().flatten().min(),
            ..self.limits
        };
        if limits == Limits::default() {
            usual
        } else {
            limits
        }
    }
}

fn is_keyword(word: &str) -> bool {
    const WITH_NUMBER: [&str; 9] = [
        "nodes",
        "depth",
        "movetime",
        "wtime",
        "btime",
        "winc",
        "binc",
        "movestogo",
        "mate",
    ];
    WITH_NUMBER.contains(&word) || ["infinite", "ponder", "searchmoves"].contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(text: &str) -> Limits {
        let words: Vec<&str> = text.split_whitespace().collect();
        let usual = Limits {
            nodes: Some(77),
            ..Limits::default()
        };
        Go::read(&words).limits(Side::Attacker, usual)
    }

    fn millis(text: &str) -> Option<u128> {
        limits(text).movetime.map(|time| time.as_millis())
    }

    #[test]
    fn limits_are_read_whatever_stands_between_them() {
        let expected = Limits {
            nodes: Some(100),
            movetime: Some(Duration::from_millis(5)),
            ..Limits::default()
        };
        assert_eq!(limits("nodes 100 please movetime 5"), expected);
        assert_eq!(limits("").nodes, Some(77));
        assert_eq!(limits("mate 3").nodes, Some(77));
        assert_eq!(limits("perft 3").nodes, Some(77));
        assert_eq!(millis("movetime -3"), Some(1));
    }

    #[test]
    fn time_is_a_share_of_the_clock_of_the_side_to_move() {
        assert_eq!(millis("wtime 60000 btime 30000"), Some(1000));
        assert_eq!(millis("btime 30000 binc 1000 winc 5000"), Some(1800));
        assert_eq!(millis("btime 30000 movestogo 10"), Some(3000));
        // Never all of it, and some even where nothing is left.
        assert_eq!(millis("btime 30000 movestogo 1"), Some(15_000));
        assert_eq!(millis("btime -20 binc 1000"), Some(1));
        assert_eq!(millis("btime 30000 movetime 40"), Some(40));
        assert_eq!(millis("btime 3000 movetime 4000"), Some(100));
        assert_eq!(limits("wtime 60000").nodes, Some(77), "of the other side");
    }

    #[test]
    fn faulty_numbers_are_told_and_passed_over() {
        let go = Go::read(&[
            "nodes",
            "many",
            "depth",
            "searchmoves",
            "a1a2",
            "b1b2",
            "ponder",
        ]);
        assert_eq!(go.faults.len(), 2, "{:?}", go.faults);
        assert_eq!(go.faults[0], "go nodes: \"many\" is not a whole number");
        assert_eq!(go.only, Some(vec!["a1a2", "b1b2"]));
        assert!(go.ponders);
    }

    #[test]
    fn counts_below_1_are_told_and_passed_over() {
        for text in ["nodes -1", "nodes 0", "depth 0", "movestogo 0"] {
            let words: Vec<&str> = text.split_whitespace().collect();
            let expected = format!("go {}: {} is below 1", words[0], words[1]);
            assert_eq!(Go::read(&words).faults, [expected]);
            assert_eq!(limits(text).nodes, Some(77), "{text}");
        }
    }
}
