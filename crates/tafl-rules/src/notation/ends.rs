//! Words that tell how a game ended, or may.

use super::names::words_of;
use super::spelling::is_dash;
use crate::Side;

/// Returns whether a line that has no turns may tell how a game ended: by a word of ends, by a score, or by one side alone. Both
/// sides, or one before a colon, are those of players.
pub(super) fn hints_at_end(line: &str) -> bool {
    let words = words_of(line);
    let has = |known: &str| words.iter().any(|word| word == known);
    let is_said =
        |word: &String| matches!(TitleWord::read(word), Some(TitleWord::End | TitleWord::Key));
    let has_score = has("½") || line.contains("1/2") || has("1") && has("0");
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
    // Beside a side a number may be that of points.
    let has_points = (sides[0] || sides[1]) && (has("1") || has("0"));
    words.iter().any(is_said) || has_score || has_points || is_of_one
}

/// Returns whether words above a game are its title: names, dates, numbers and few words such as `round` and `of`.
pub(super) fn is_plain_title(line: &str) -> bool {
    let is_mark = |letter: char| !letter.is_alphanumeric();
    let words = line.split(|letter: char| letter.is_whitespace() || ",;/".contains(letter));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let is_between = |at: usize| {
        let word = words
            .get(at)
            .map(|it| it.trim_end_matches('.').to_lowercase());
        word.is_some_and(|it| {
            TitleWord::read(&it) == Some(TitleWord::Between) || it.chars().all(is_dash)
        })
    };
    let is_plain = |(at, word): (usize, &&str)| {
        let word = word.trim_matches(is_mark);
        let is_small = || TitleWord::read(&word.to_lowercase()) == Some(TitleWord::Small);
        let is_player = || is_between(at + 1) || at > 0 && is_between(at - 1);
        !word.starts_with(char::is_lowercase) || is_small() || is_between(at) || is_player()
    };
    let is_sign = |letter: char| "=+*|<>→".contains(letter);
    words.iter().enumerate().all(is_plain) && !line.contains(is_sign)
}

/// What a word of a title is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TitleWord {
    /// It tells how a game ended.
    End,
    /// Behind it stands how a game ended, in languages of those who play it.
    Key,
    /// It stands between two players.
    Between,
    /// It begins without a capital.
    Small,
}

impl TitleWord {
    /// Reads a word in lower case; nothing of a name.
    pub(super) fn read(word: &str) -> Option<Self> {
        Some(match word {
            "beat" | "beaten" | "beats" | "captured" | "conceded" | "concedes" | "defeated"
            | "draw" | "drawn" | "escaped" | "escapes" | "forfeit" | "forfeited" | "forfeits"
            | "gave" | "l" | "lose" | "loser" | "loses" | "lost" | "remis" | "remise"
            | "resign" | "resigned" | "resigns" | "stalemate" | "surrendered" | "timeout"
            | "victorious" | "victory" | "win" | "winner" | "wins" | "won" => Self::End,
            "result" | "outcome" | "ergebnis" | "gewinner" | "résultat" | "resultado"
            | "resultat" | "risultato" | "sieger" | "tulos" | "uitslag" | "vainqueur"
            | "vinder" | "vinnare" | "vinner" | "winnaar" | "wynik" => Self::Key,
            "v" | "vs" | "versus" | "against" | "gegen" | "contre" => Self::Between,
            "a" | "am" | "an" | "and" | "at" | "attacker" | "attackers" | "black" | "board"
            | "by" | "club" | "continued" | "cup" | "da" | "day" | "de" | "defender"
            | "defenders" | "der" | "evening" | "final" | "first" | "for" | "friendly" | "from"
            | "game" | "games" | "hnefatafl" | "in" | "la" | "last" | "league" | "match"
            | "move" | "moves" | "no" | "notes" | "nr" | "of" | "on" | "one" | "online" | "our"
            | "page" | "pm" | "rated" | "round" | "second" | "table" | "tafl" | "the" | "third"
            | "three" | "tournament" | "turn" | "two" | "und" | "van" | "von" | "website"
            | "white" | "with" | "wrote" | "y" => Self::Small,
            _ => return None,
        })
    }
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
        "result" => None,
        other => {
            let is_end = other.contains("result") || other.contains("score");
            (is_end || TitleWord::read(other) == Some(TitleWord::Key)).then_some(("", true))
        }
    }
}
