//! Words that tell how a game ended, or may.

use super::names::words_of;
use crate::Side;

/// Returns whether a line that has no turns may tell how a game ended: by a word of ends, by a score, or by one side alone. Both
/// sides, or one before a colon, are those of players.
pub(super) fn hints_at_end(line: &str) -> bool {
    let words = words_of(line);
    let has = |known: &str| words.iter().any(|word| word == known);
    let is_said = |word: &String| ENDS.contains(&&**word) || KEYS.contains(&&**word);
    let has_score = has("½") || line.contains("1/2-") || has("1") && has("0");
    let is_key = |piece: &str| {
        piece
            .split_once([':', '='])
            .is_some_and(|(key, _)| is_of(key))
    };
    let is_of_players = || line.split([',', ';', '-']).any(is_key);
    let sides = [Side::Attacker, Side::Defender].map(|side| {
        let mut told = words.iter().filter_map(|word| side_of(word));
        told.any(|it| it == side)
    });
    let is_of_one = sides[0] != sides[1] && !is_of_players();
    words.iter().any(is_said) || has_score || is_of_one
}

/// Returns whether the key of a line is that of a player: a side alone, or with words behind it, as in `White (1650)`.
fn is_of(key: &str) -> bool {
    let words = words_of(key);
    words.first().is_some_and(|word| side_of(word).is_some())
}

/// Returns the side of a word in lower case.
pub(super) fn side_of(word: &str) -> Option<Side> {
    match word {
        "attacker" | "attackers" | "black" | "muscovites" => Some(Side::Attacker),
        "defender" | "defenders" | "white" | "swedes" => Some(Side::Defender),
        _ => None,
    }
}

/// Returns what the side in a tag of this key did, if it is no winner, and whether the key is of nothing but ends: behind others
/// stands any text.
pub(super) fn end_of(key: &str) -> Option<(&'static str, bool)> {
    match &*key.to_lowercase().replace(['-', '_'], "") {
        // Whatever stands behind a winner, it did not give up.
        "winner" | "won" | "wonby" | "victor" | "victory" => Some(("by", true)),
        "loser" | "lost" | "lostby" => Some(("lost", true)),
        "resigned" | "resignedby" => Some(("resigned", true)),
        "timeout" | "timeoutby" => Some(("timeout", false)),
        "termination" | "score" | "end" | "ended" | "ending" | "final" | "verdict" => {
            Some(("", false))
        }
        "gameresult" | "finalresult" => Some(("", true)),
        "result" => None,
        other => KEYS.contains(&other).then_some(("", true)),
    }
}

/// Words behind which stands how a game ended, in languages of those who play it.
const KEYS: [&str; 17] = [
    "result",
    "outcome",
    "ergebnis",
    "gewinner",
    "résultat",
    "resultado",
    "resultat",
    "risultato",
    "sieger",
    "tulos",
    "uitslag",
    "vainqueur",
    "vinder",
    "vinnare",
    "vinner",
    "winnaar",
    "wynik",
];

/// Words that tell how a game ended.
pub(super) const ENDS: [&str; 33] = [
    "beat",
    "beaten",
    "beats",
    "captured",
    "conceded",
    "concedes",
    "defeated",
    "draw",
    "drawn",
    "escaped",
    "escapes",
    "forfeit",
    "forfeited",
    "forfeits",
    "gave",
    "lose",
    "loser",
    "loses",
    "lost",
    "remis",
    "remise",
    "resign",
    "resigned",
    "resigns",
    "stalemate",
    "surrendered",
    "timeout",
    "victorious",
    "victory",
    "win",
    "winner",
    "wins",
    "won",
];
