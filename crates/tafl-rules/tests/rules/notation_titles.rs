//! What titles above games tell: their rules, and how they ended.

use super::notation_ends_of_games::{error, one};
use tafl_rules::Side;
use tafl_rules::notation::aagenielsen::RecordedResult;
use tafl_rules::notation::counted::read_counted;
use tafl_rules::notation::games::{Read, read_games, titles_of};
use tafl_rules::notation::words::OffBoard;

#[test]
fn rulesets_are_named_in_words_and_other_words_end_those_above() {
    for (title, name) in [
        ("# Copenhagen, tournament", "copenhagen-tournament"),
        ("Berserk 2017", "berserk-2017"),
        ("# Sea Battle (9x9)", "sea-battle-9"),
        ("# Fetlar (11×11).", "fetlar"),
        ("Brandubh after Walker", "brandubh-walker"),
        ("Game 1: fetlar", "fetlar"),
        ("Game 2 (Fetlar)", "fetlar"),
        ("# Game 3 - Copenhagen, tournament", "copenhagen-tournament"),
        ("# Fetlar, Hans - Karl", "Fetlar"),
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
    let score = "Anna (attackers) 1-0 Bo (defenders)";
    for (text, titles) in [
        (format!("{score}\nd1-d3 f8-h8"), vec![score]),
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
            "Attackers: Anna\nDefenders: Bo\n\n14 March 2018\n\n1. d1-d3\nAnna won\n".to_owned(),
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
fn a_title_with_a_number_tells_the_result_of_its_game_or_is_refused() {
    let game = "1. d1-d3 f8-h8\n2. d11-d9\n";
    let [attackers, defenders] = [Side::Attacker, Side::Defender].map(RecordedResult::Won);
    for (told, result) in [
        (": defenders won", defenders),
        (" (White lost)", attackers),
        (" - draw", RecordedResult::Draw),
        (": White Wolf v Bo", RecordedResult::Ongoing),
    ] {
        let two = read_games(&format!("Game 1{told}\n{game}\nGame 2\n{game}")).into_iter();
        let two = two.map(|(line, game)| (line, game.expect(told).recorded().result));
        assert!(
            two.eq([(2, result), (6, RecordedResult::Ongoing)]),
            "{told}"
        );
    }
    for title in [
        "Game 1 (White)",
        "Game 2: Black",
        "Game 3: Anna won",
        "Game 4: Anna - Bo 0-1",
        "Game 5: 1-0",
    ] {
        let told = error(&format!("{title}\n{game}"));
        assert!(told.contains(&format!("not by {title:?}")), "{told}");
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
fn a_score_with_a_colon_in_a_title_is_one() {
    let game = "\nd1-d3 f8-h8\n";
    let told = error(&format!("Anna - Bo 0:1{game}"));
    assert!(told.contains("does not say which side won"), "{told}");
    let scored = one(&format!("Anna (attackers) 1:0 Bo (defenders){game}"));
    let attackers = RecordedResult::Won(Side::Attacker);
    assert_eq!(scored.recorded().result, attackers);
    let drawn = one(&format!("Anna - Bo ½:½{game}"));
    assert_eq!(drawn.recorded().result, RecordedResult::Draw);
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
        ("White {resigned}", resigned, attackers),
        ("White ; resigned", resigned, attackers),
        ("White (resigned)", resigned, attackers),
        ("(White resigned)", resigned, attackers),
        ("{White, resigned.}", resigned, attackers),
        ("Black (timeout)", timeout, defenders),
        ("Black {lost}", None, defenders),
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
    for end in ["White (on time)", "White {time}"] {
        assert!(
            read_games(&format!("d1-d3 f8-h8 {end}"))[0].1.is_err(),
            "{end}"
        );
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
fn a_title_that_ends_in_a_side_is_refused_unless_it_is_that_of_a_player() {
    let game = "\n1. d1-d3 f8-h8\n";
    for title in [
        "Anna - Bert: White",
        "Anna – Bert = Black",
        "Anna vs Bert: defenders",
        "Anna v. Bert, the attackers",
        "Anna - Bert (White)",
        "Round 3: Black",
        "Game 2: Anna - Bert: White",
    ] {
        for between in ["", "\n"] {
            let told = error(&format!("{title}{between}{game}"));
            assert!(told.contains(&format!("not by {title:?}")), "{told}");
        }
    }
    for title in [
        "Anna: White",
        "Anna: Black, Bert: White",
        "White: Anna, Black: Bert",
        "Anna Black - Bert White",
        "Anna-Lena: White",
        "# Anna - Bert: White",
    ] {
        let ended = one(&format!("{title}{game}")).recorded();
        assert_eq!(ended.result, RecordedResult::Ongoing, "{title}");
    }
}

#[test]
fn tags_and_titles_of_other_languages_tell_the_end_or_are_refused() {
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
    let told = error(&format!("Résultat : Blancs{game}"));
    assert!(told.contains("not by \"Résultat : Blancs\""), "{told}");
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
