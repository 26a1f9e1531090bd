//! What titles above games tell: their rules, and how they ended.

use super::notation_ends_of_games::{error, one};
use tafl_rules::Side;
use tafl_rules::notation::aagenielsen::RecordedResult;
use tafl_rules::notation::counted::read_counted;
use tafl_rules::notation::games::{Read, read_games, titles_of};
use tafl_rules::notation::words::OffBoard;

const GAME: &str = "1. d1-d3 f8-h8\n2. d11-d9\n";

#[test]
fn rulesets_are_named_in_words_and_other_words_end_those_above() {
    for (title, name) in [
        ("# Copenhagen Tournament", "copenhagen-tournament"),
        ("Berserk 2017", "berserk-2017"),
        ("# Sea Battle (9x9)", "sea-battle-9"),
        ("# Fetlar (11×11).", "fetlar"),
        ("Brandubh after Walker", "brandubh-walker"),
        ("Game 1: fetlar", "fetlar"),
        ("Game 2 (Fetlar)", "fetlar"),
        ("# Game 3 - Copenhagen tournament", "copenhagen-tournament"),
        ("Copenhagen Hnefatafl 11x11", "copenhagen"),
        ("Old Hnefatafl 11X11", "old-hnefatafl"),
        ("# Brandubh tafl, 7x7", "brandubh"),
        ("Fetlar rules", "fetlar"),
        ("Fetlar game 2", "fetlar"),
    ] {
        let game = one(&format!("{title}\nd1-d3 f8-i8"));
        assert_eq!(game.ruleset.as_deref(), Some(name), "{title}");
    }
    let rules = |title: &str| -> Vec<Option<String>> {
        let text = format!("ruleset: fetlar\nd1-d3 f8-i8 White\n\n{title}\nd1-d3 f8-i8 k4-i4\n");
        let games = read_games(&text).into_iter();
        games
            .map(|(_, game)| game.expect("a game").ruleset)
            .collect()
    };
    let fetlar = Some("fetlar".to_owned());
    for title in [
        "# Hans - Karl, Tablut",
        "# Tablut, Hans - Karl",
        "Copenhagen, tournament",
        "Copenhagen (Tournament)",
        "Hans - Karl, Tablut",
        "Berserk",
        "# Berserk",
        "Berserk Hnefatafl",
        "Berserk, Anna v Bo",
        "Game 2: Berserk",
        "Kopenhagen",
        "Tabult",
        "Saami 9x9",
        "Linnaean",
        "Alea Evangelii",
        "tournament rules",
        "Historical Hnefatafl 11x11",
        "Fetlar or Brandubh",
    ] {
        let named = title.trim_start_matches("# ").to_owned();
        assert_eq!(rules(title), [fetlar.clone(), Some(named)], "{title}");
    }
    for title in [
        "Fetler",
        "Fetlar, 12 March",
        "# As the rules have it",
        "# The second",
        "Hans - Karl, a Fetlar game",
        "Game 2: Hans - Karl",
    ] {
        assert_eq!(rules(title), [fetlar.clone(), fetlar.clone()], "{title}");
    }
    for (text, told) in [
        ("Copenhagen, 12 March\nd1-d3", Some("Copenhagen, 12 March")),
        ("# Fetlar, Hans - Karl\nd1-d3", Some("Fetlar, Hans - Karl")),
        ("ruleset: tablut\n# In Copenhagen\nd1-d3", Some("tablut")),
        ("# In Copenhagen\nd1-d3", None),
        ("Our tafl games\nd1-d3", None),
    ] {
        assert_eq!(one(text).ruleset.as_deref(), told, "{text}");
    }
    assert!(read_games("d1-d3 f8-i8\n\nBerserk\n")[1].1.is_err());
}

#[test]
fn games_have_the_titles_of_their_tags_or_of_the_words_above_them() {
    let names = "Anna (attackers) - Bo (defenders)";
    for (text, titles) in [
        (format!("{names}\nd1-d3 f8-h8"), vec![names]),
        (format!("# {names}\nd1-d3 f8-h8"), vec![names]),
        ("# Black won\nd1-d3 f8-h8".to_owned(), vec![""]),
        (
            "# Final\n# 2024-05-01\n\nd1-d3".to_owned(),
            vec!["Final, 2024-05-01"],
        ),
        (
            "Game 1\n1. d1-d3\nWhite won\n\nThe cup\nruleset: fetlar\n1. d1-d3\n---\n1. d1-d3"
                .to_owned(),
            vec!["Game 1", "The cup", ""],
        ),
        (
            "[Event \"Cup\"]\n[White \"Anna\"]\n[Black \"Bo\"]\n[Date \"????.??.??\"]\n\n1. d1d3"
                .to_owned(),
            vec!["Bo (Black) - Anna (White), Cup"],
        ),
        (
            "[Attacker \"Anna (1650)\"]\n[Defender \"Bo\"]\n\n1. d1d3".to_owned(),
            vec!["Anna (1650) - Bo (defenders)"],
        ),
        // All paragraphs above count, from the nearest on.
        (
            "Attackers: Anna\nDefenders: Bo\n\n14 March 2018\n\n1. d1-d3\n".to_owned(),
            vec!["Attackers: Anna, Defenders: Bo, 14 March 2018"],
        ),
        (
            format!("{}\n\nAnna - Bo\n1. d1-d3", "Of our club ".repeat(6)),
            vec!["Anna - Bo"],
        ),
        (
            "event,date,attackers,defenders,moves,result\nCup,2018,Anna,Bo,d1-d3,White\n,,,Bo,d1-d3,Black\n"
                .to_owned(),
            vec!["Anna (attackers) - Bo (defenders), Cup, 2018", "Bo (defenders)"],
        ),
        ("plies,attackers,defenders,result\nd1-d3,0,0,White".to_owned(), vec![""]),
    ] {
        let games = read_games(&text);
        let lines: Vec<usize> = games.iter().map(|(line, _)| *line).collect();
        assert_eq!(titles_of(&text, &lines), titles, "{text}");
    }
}

#[test]
fn tags_with_spaces_or_other_quotes_are_tags() {
    let defenders = RecordedResult::Won(Side::Defender);
    for tags in [
        "[ Event \"Club\" ]\n[ Result \"White\" ]",
        "[Event “Club”]\r\n[Result “White”]",
        "[Result 'White']",
        "[Event \"Club\"]\n[Result “White”]",
    ] {
        let game = one(&format!("{tags}\n\n1. d1-d3 f8-h8\n"));
        assert_eq!(game.recorded().result, defenders, "{tags}");
    }
    let numbered =
        read_games("[ Result \"White\" ]\n\n1. d1-d3\n\n[Result \"Black\"]\n\n1. h1-h3\n");
    assert_eq!(
        numbered.iter().map(|it| it.0).collect::<Vec<_>>(),
        read_games("[Result \"White\"]\n\n1. d1-d3\n\n[Result \"Black\"]\n\n1. h1-h3\n")
            .iter()
            .map(|it| it.0)
            .collect::<Vec<_>>()
    );
}

#[test]
fn a_side_that_gave_up_lost_whatever_stands_between_the_words() {
    let [attackers, defenders] = [Side::Attacker, Side::Defender].map(RecordedResult::Won);
    let [resigned, timeout] = [OffBoard::Resigned, OffBoard::Timeout].map(Some);
    for (told, end, result) in [
        ("White resigned", resigned, attackers),
        ("white resigns", resigned, attackers),
        ("White, resigned", resigned, attackers),
        ("White: resigned", resigned, attackers),
        ("White - resigned", resigned, attackers),
        ("(White resigned)", resigned, attackers),
        ("{White, resigned.}", resigned, attackers),
        ("White lost {on time}", timeout, attackers),
        ("White (won)", None, defenders),
        ("White won {resigned}", resigned, defenders),
        ("resigned: White", resigned, attackers),
    ] {
        for game in ["d1-d3 f8-h8 ", "1. d1-d3 {so} f8-h8 ", "1. d1-d3 f8-h8\n"] {
            let ended = one(&format!("{game}{told}")).recorded();
            assert_eq!((ended.end, ended.result), (end, result), "{game}{told}");
        }
    }
    // Apart from each other they may also mean that White won, as the other side gave up.
    for end in [
        "White (on time)",
        "White {time}",
        "White {resigned}",
        "White ; resigned",
        "White (resigned)",
        "Black (timeout)",
        "Black {lost}",
        "Black {timeout White}",
        "resigned (White)",
    ] {
        for game in ["d1-d3 f8-h8 ", "1. d1-d3 f8-h8\n"] {
            let read = read_games(&format!("{game}{end}"));
            assert!(read.iter().any(|(_, it)| it.is_err()), "{game}{end}");
        }
    }
    let close = one("1. d1-d3 f8-h8\nWhite,resigned").recorded();
    assert_eq!(close.result, attackers);
    // The fourth field of a line names the winner.
    let told = error("d1-d3 f8-h8,0,0,White,resigned");
    assert!(told.contains("\"White,resigned\" is not White"), "{told}");
    let aside = one("d1-d3 f8-h8,0,0,White,2024,Oslo").recorded();
    assert_eq!(aside.result, defenders);
}

#[test]
fn both_sides_of_a_title_or_one_before_a_colon_are_those_of_players() {
    for title in [
        "Anna: Black, Bert: White",
        "White: Anna, Black: Bert",
        "White: Anna (1650)",
        "Attackers: Anna",
        "Anna Black - Bert White",
        "Anna (A) - Bert (D)",
        "# Anna - Bert: White",
    ] {
        let ended = one(&format!("{title}\n1. d1-d3 f8-h8\n")).recorded();
        assert_eq!(ended.result, RecordedResult::Ongoing, "{title}");
    }
}

#[test]
fn tags_of_other_languages_tell_the_end_or_are_refused() {
    let game = "\n\n1. d1-d3 f8-h8\n";
    let scored = one(&format!("[Ergebnis \"1-0\"]{game}")).recorded();
    assert_eq!(scored.score, Some("1-0"));
    let won = one(&format!("[Sieger \"White\"]{game}")).recorded();
    assert_eq!(won.result, RecordedResult::Won(Side::Defender));
    for (tag, value) in [
        ("Ergebnis", "Weiß"),
        ("Resultat", "Svart vann"),
        ("Termination", "White forfeits on time"),
        ("Winner", "White (resigned)"),
    ] {
        let told = error(&format!("[{tag} \"{value}\"]{game}"));
        let expected = format!("tag `{tag}`: {value:?} does not say which side won");
        assert!(told.starts_with(&expected), "{told}");
    }
}

#[test]
fn titles_and_ends_that_cannot_be_read_are_no_games_that_count() {
    let game = "1. d1-d3 f8-h8\n";
    let text = format!(
        "(Our club in May)\n\n{game}Nobody knows\n\nGame 2: Black\n{game}\nOslo, May 5, 2024, Norway, cold\n{game}1. d1-z\n\nThe end of May\n"
    );
    let (games, others) = read_counted(&text);
    let numbers = |read: &[Read]| read.iter().map(|it| it.0).collect::<Vec<_>>();
    assert_eq!(numbers(&games), [3, 7, 10, 11], "{text}");
    assert_eq!(numbers(&others), [1, 4, 6, 9, 13], "{text}");
    let (alone, others) = read_counted("(Our club in May)\n");
    assert!(alone[0].1.is_err() && others.is_empty());
}

#[test]
fn rules_that_are_told_hold_against_a_comment_that_begins_with_a_name() {
    let town = "# Copenhagen, 14 Nov 2026, Anna - Bo";
    for above in [
        format!("ruleset: brandubh\n{town}\n"),
        format!("{town}\nRules: brandubh\n"),
        format!("# Ruleset: brandubh\n\n{town}\n"),
        format!("brandubh\n{town}\n"),
        "brandubh\nGame 1: Copenhagen\n".to_owned(),
        format!("[Variant \"brandubh\"]\n{town}\n"),
        format!("ruleset: brandubh\n[Event \"Cup\"]\n{town}\n"),
    ] {
        let game = one(&format!("{above}\n{GAME}"));
        assert_eq!(game.ruleset.as_deref(), Some("brandubh"), "{above}");
    }
    let rules = |text: String| -> Vec<Option<String>> {
        let read = read_games(&text).into_iter();
        read.map(|(_, game)| game.expect("a game").ruleset)
            .collect()
    };
    let named = |names: [&str; 2]| names.map(|it| Some(it.to_owned()));
    let two = |first: &str, second: &str| format!("{first}\n{GAME}\n{second}\n{GAME}");
    for (first, second, names) in [
        ("ruleset: brandubh", town, ["brandubh", &town[2..]]),
        ("Fetlar", "Game 2: Tablut", ["fetlar", "tablut"]),
        // As a game of `tafl play` begins.
        (
            "ruleset: brandubh",
            "# tablut, attackers by a human",
            ["brandubh", "tablut"],
        ),
    ] {
        assert_eq!(rules(two(first, second)), named(names), "{first}, {second}");
    }
    let text = format!("ruleset: brandubh\n{town}\n{GAME}");
    assert_eq!(titles_of(&text, &[3]), [&town[2..]]);
}

#[test]
fn a_title_may_have_brackets_and_what_seems_to_be_moves_is_refused() {
    for title in [
        "Anna (attackers) - Bo (defenders)",
        "Anna (1650) vs Bo (1720)",
        "Anna - Bo (Oslo)",
        "White: Anna (1650)",
        "Date: 14.11.2026 (Saturday)",
        "Round 3 (Anna - Bo)",
        "Club evening (14 Nov)",
    ] {
        let game = one(&format!("{title}\n{GAME}")).recorded();
        assert_eq!(game.turns.len(), 3, "{title}");
        let two = read_games(&format!("{title}\n{GAME}\n{title}\n{GAME}"));
        assert!(two.iter().all(|it| it.1.is_ok()) && two.len() == 2);
    }
    for title in [
        "Anna (d1-zz)",
        "Anna (Oslo",
        "(Oslo) Anna",
        "White (on time)",
    ] {
        let read = read_games(&format!("{GAME}\n{title}\n\n{GAME}"));
        assert!(read.iter().any(|it| it.1.is_err()), "{title}");
    }
    let below = read_games(&format!("{GAME}Anna (Oslo)\n"));
    assert!(below[1].1.is_err());
    let told = error(&format!("(Oslo) Anna\n{GAME}"));
    assert!(
        told.ends_with("behind a `#` such a line is a comment"),
        "{told}"
    );
}

#[test]
fn ends_are_read_behind_result_and_with_what_happened_in_brackets() {
    let [attackers, defenders] = [Side::Attacker, Side::Defender].map(RecordedResult::Won);
    for (told, result) in [
        ("Result: Black", attackers),
        ("Defender resigns", attackers),
        ("Attackers won (king captured)", attackers),
        ("White won (on time)", defenders),
        ("Draw by repetition", RecordedResult::Draw),
        ("Draw (same position)", RecordedResult::Draw),
        ("Black resigned\nWhite won", defenders),
        ("White won\nResult: White", defenders),
    ] {
        let ended = one(&format!("{GAME}{told}\n")).recorded();
        assert_eq!((ended.result, ended.turns.len()), (result, 3), "{told}");
    }
    for told in ["White won (d1-d3)", "White won (not Black)", "White (king)"] {
        let read = read_games(&format!("{GAME}{told}\n"));
        assert!(read.iter().any(|it| it.1.is_err()), "{told}");
    }
}

#[test]
fn lines_that_a_mail_quotes_are_read() {
    let quoted = "> Anna - Bo\n> 1. d1-d3 f8-h8\n>> 2. d11-d9\n>\n> White won\n";
    let game = one(quoted).recorded();
    let defenders = RecordedResult::Won(Side::Defender);
    assert_eq!((game.turns.len(), game.result), (3, defenders));
    assert_eq!(titles_of(quoted, &[2]), ["Anna - Bo"]);
}

#[test]
fn a_head_that_may_tell_an_end_is_refused_and_its_game_has_none() {
    for head in [
        "Ole (A) 1 - 0 Per (D)",
        "Anna (attackers) 1-0 Bo (defenders)",
        "Ole (White) - Per (Black) 0–1",
        "Anna - Bo 0:1",
        "Ole ½-½ Per",
        "Anna - Bo 1/2-1/2",
        "Anna - Bert: White",
        "Anna v. Bert, the attackers",
        "Anna - Bert (White)",
        "Anna: White",
        "Round 3: Black",
        "Résultat : Blancs",
        "Attackers: Anna, Result: White",
        "White 1 Black 0",
        "Game 1 (White)",
        "Game 2: defenders won",
        "Game 4: Anna - Bo 0-1",
        "Game 5: 1-0",
    ] {
        for between in ["", "\n"] {
            let game = format!("{head}\n{between}1. d1-d3 f8-h8\n2. d11-d9\n");
            let two = read_games(&format!("{game}\n{game}"));
            assert_eq!(two.len(), 4, "{head}: {two:?}");
            for (refused, read) in [(&two[0].1, &two[1].1), (&two[2].1, &two[3].1)] {
                let told = refused.as_ref().expect_err(head).to_string();
                assert!(told.contains(&format!("not by {head:?}")), "{told}");
                let read = read.as_ref().expect(head).recorded();
                assert_eq!(read.result, RecordedResult::Ongoing, "{head}");
                assert_eq!(read.turns.len(), 3, "{head}");
            }
        }
        let below = read_games(&format!("d1-d3 f8-h8\n\n{head}\n"));
        assert!(below[0].1.is_ok() && below[1].1.is_err(), "{head}");
    }
    for end in ["Result: White", "White won", "1-0", "Winner: Black"] {
        let game = "1. d1-d3 f8-h8\n2. d11-d9\n";
        let two = read_games(&format!("{end}\n{game}\nAnna - Bo\n{end}\n\n{game}"));
        let read: Vec<bool> = two.iter().map(|it| it.1.is_ok()).collect();
        assert_eq!(read, [false, true, false, true], "{end}: {two:?}");
        // Where ends stand above, one between two games is of nobody knows which.
        let two = read_games(&format!("{end}\n\n{game}\n{end}\n\n{game}"));
        let read: Vec<bool> = two.iter().map(|it| it.1.is_ok()).collect();
        assert_eq!(read, [false, true, false, true], "{end}: {two:?}");
    }
}

#[test]
fn titles_above_games_are_left_out_and_damaged_games_are_not() {
    let lines = |text: &str| -> Vec<(usize, bool)> {
        let read = read_games(text).into_iter();
        read.map(|(line, game)| (line, game.is_ok())).collect()
    };
    let titles = "Our games, of June\n\nd1-d3 f8-h8\nThe second\n=\nd1-d3,0,0,White\n";
    let read = [(3, true), (4, false), (5, false), (6, true)];
    assert_eq!(lines(titles), read, "words below turns may tell an end");
    let apart = "Our games\n\nd1-d3 f8-h8\n\nThe second\n\nd1-d3,0,0,White\n";
    assert_eq!(lines(apart), [(3, true), (7, true)]);
    let damaged = "d1-\nso h1-33\n,0,0,White\nd1-d3 f8-h8\nThe end\n";
    let read = [(1, false), (2, false), (3, true), (4, true), (5, false)];
    assert_eq!(lines(damaged), read);
    assert_eq!(lines("No game\nat all\n"), [(1, false), (2, false)]);
    assert_eq!(
        lines("plies,result\nlost,White\nd1-d3,Black\n"),
        [(2, false), (3, true)]
    );
}

#[test]
fn a_word_that_is_no_move_is_told_before_a_number_that_does_not_fit() {
    for word in ["a4-c", "e7-", "a4-l4"] {
        let told = error(&format!(
            "1. d1-d3 e5-c5\n2. {word} e7-e9\n3. a8-a9 f8-f9\n"
        ));
        assert!(
            told.contains(&format!("\"{word}\" is not a move")),
            "{told}"
        );
    }
}

#[test]
fn a_title_between_short_games_is_asked_for_though_others_are_parted() {
    for title in ["", "Eva - Finn\n", "\nEva - Finn\n"] {
        let text = format!(
            "Anna - Bo\nd1-d3 e5-c5\n---\nCarl - Dora\na4-c4 e7-e9\n{title}h1-h3 f8-i8\nBlack\n"
        );
        let games: Vec<bool> = read_games(&text).iter().map(|it| it.1.is_ok()).collect();
        assert_eq!(games, [true, title.is_empty()], "{text}");
    }
}
