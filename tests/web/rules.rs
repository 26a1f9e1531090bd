//! Whole games under every ruleset: what is legal, what is captured, how they end.

use crate::support::{run, succeeds};
use crate::web::page::{answer, is_quiet, opened};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use tafl_rules::notation::games::read_games;
use tafl_rules::{
    Game, Move, PLAYED_NAMES, RULESET_NAMES, RankOrder, Rules, Setup, Side, TurnText,
};

/// Games of each ruleset: thirty, with `TAFL_SLOW=1` two hundred.
fn wanted() -> u64 {
    match std::env::var_os("TAFL_SLOW") {
        Some(_) => 200,
        None => 30,
    }
}

/// Plies after which a game is cut.
const MOST_PLIES: usize = 160;

/// Plays a game in which captures and ends are sought in every other ply, so that many games end and in many ways.
fn lively_game(rules: &Arc<Rules>, seed: u64) -> Vec<Move> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut game = Game::new(rules.clone());
    let mut moves = Vec::new();
    while game.outcome().is_none() && game.moves().len() < MOST_PLIES {
        game.legal_moves(&mut moves);
        let mark = game.mark();
        let is_lively = |game: &mut Game, mv: Move| {
            let ply = game.play_unchecked(mv);
            let found = !ply.captured.is_empty() || game.outcome().is_some();
            game.rewind(&mark);
            found
        };
        let lively: Vec<Move> = match rng.random_bool(0.3) {
            true => moves
                .iter()
                .copied()
                .filter(|mv| is_lively(&mut game, *mv))
                .collect(),
            false => Vec::new(),
        };
        let among = if lively.is_empty() { &moves } else { &lively };
        game.play_unchecked(among[(rng.next_u64() % among.len() as u64) as usize]);
    }
    game.moves().to_vec()
}

/// The games of people under a ruleset, of which there are some in Copenhagen, then lively ones.
fn games(rules: &Arc<Rules>) -> Vec<Vec<Move>> {
    let mut games = Vec::new();
    if rules.ruleset().name == "copenhagen" {
        let text = include_str!("../fixtures/rules/games-copenhagen.csv");
        for line in text.lines().take(wanted() as usize / 2) {
            let (_, game) = read_games(line).remove(0);
            let game = game.expect("a game").recorded();
            games.push(game.plies().map(|(mv, _)| mv).collect());
        }
    }
    let left = games.len() as u64..wanted();
    games.extend(left.map(|seed| lively_game(rules, seed)));
    games
}

/// Writes all that the page must find in a position.
fn line(game: &Game, (mover, ply): (Side, Option<(Move, tafl_rules::Bitboard)>)) -> String {
    let setup = Setup::of(game.position(), game.rules().shape());
    let moves = game.legal();
    let moves: Vec<String> = moves.iter().map(Move::to_string).collect();
    let text = ply.map_or(String::new(), |ply| {
        TurnText { plies: vec![ply] }.to_string()
    });
    let outcome = game.outcome();
    let winner = outcome.and_then(|outcome| outcome.winner);
    format!(
        "{}|{}|{text}|{}|{}|{}|{}\n",
        setup.to_text(RankOrder::HighestFirst),
        game.position().side(),
        ply.map_or("", |_| mover.name()),
        moves.join(" "),
        winner.map_or("", Side::name),
        outcome.map_or("", |outcome| outcome.reason.name())
    )
}

/// FNV-1a of 32 bits.
fn hash(text: &str) -> u32 {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(16_777_619);
    text.bytes().fold(2_166_136_261, step)
}

/// The same of the states of a game in the page.
const PAGE: &str = "
  const answer = [];
  for (const moves of games) {
    const states = await taflforge.engine.ask('line', { game: { ruleset, moves }, from: 0 });
    let hash = 2166136261;
    for (const one of states) {
      const text = `${one.board}|${one.side}|${one.text}|${one.mover ?? ''}|${one.legal}|${one.winner ?? ''}|${one.reason}\\n`;
      for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
    }
    answer.push(hash >>> 0);
  }
  return answer;";

#[test]
fn the_page_plays_every_ruleset_as_the_program_does() {
    let Some(browser) = opened(1000, "") else {
        return;
    };
    for name in RULESET_NAMES {
        let rules = Rules::preset(name).expect("a preset");
        let mut reasons = std::collections::BTreeMap::new();
        let (mut expected, mut texts) = (Vec::new(), Vec::new());
        for moves in games(&rules) {
            let mut game = Game::new(rules.clone());
            let mut text = line(&game, (Side::Attacker, None));
            for &mv in &moves {
                let mover = game.position().side();
                let captured = game.play(mv).expect("legal").captured;
                write!(text, "{}", line(&game, (mover, Some((mv, captured))))).expect("text");
            }
            *reasons
                .entry(game.outcome().map(|it| it.reason))
                .or_insert(0) += 1;
            expected.push(hash(&text));
            texts.push(moves.iter().map(Move::to_string).collect::<Vec<_>>());
        }
        assert!(
            expected.len() as u64 == wanted() && reasons.len() >= 2,
            "{name}: {reasons:?}"
        );
        let found = browser.ask(&format!(
            "return (async () => {{ const ruleset = {}; const games = {}; {PAGE} }})()",
            json!(name),
            json!(texts)
        ));
        let found: Vec<u32> = serde_json::from_value(found).expect("numbers");
        let wrong: Vec<usize> = (0..expected.len())
            .filter(|&it| found[it] != expected[it])
            .collect();
        assert_eq!(wrong, Vec::<usize>::new(), "{name}");
    }
    is_quiet(&browser);
}

#[test]
fn the_page_has_all_rulesets_and_knows_which_network_learned_them() {
    let Some(browser) = opened(1000, "") else {
        return;
    };
    let about = answer(&browser, "about", &json!({}));
    let rulesets = about["rulesets"].as_array().expect("a list");
    let found: Vec<(&str, &Value)> = rulesets
        .iter()
        .map(|one| (one["form"]["name"].as_str().expect("text"), &one["net"]))
        .collect();
    let [berserk, tablut, brandubh, five] = [0, 1, 2, 3].map(|it| json!(it));
    let mut expected = vec![
        ("copenhagen", &five),
        ("copenhagen-tournament", &five),
        ("fetlar", &five),
        ("berserk-2017", &berserk),
        ("berserk-2024", &berserk),
        ("brandubh", &brandubh),
        ("tablut", &tablut),
    ];
    // Each has a switch that no network learned with.
    expected.extend(PLAYED_NAMES.map(|name| (name, &Value::Null)));
    assert_eq!(found, expected);
    // Each has a title for people, with the size of its board.
    let titles = browser.text(
        "[...document.querySelectorAll('select')].find((it) => it.value === 'copenhagen').innerText",
    );
    let titles: Vec<&str> = titles.lines().collect();
    assert_eq!(titles.len(), found.len(), "{titles:?}");
    assert!(
        titles.iter().all(|title| title.ends_with(')')),
        "{titles:?}"
    );
}

#[test]
fn of_two_networks_the_one_that_learned_most_plays() {
    let Some(browser) = opened(1000, "") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("two.html");
    let nets = ["data/nets/copenhagen", "data/nets/five-rulesets"];
    let output = ["--output", path.to_str().expect("text")];
    let arguments = [&["web"], &nets[..], &output].concat();
    succeeds(&run(Path::new("data"), &arguments));
    browser.open(&path);
    let said = answer(&browser, "ruleset", &json!({ "ruleset": "copenhagen" }));
    assert_eq!(
        [&said["net"], &said["knows"]],
        [&json!(0), &json!("ruleset")]
    );
    let about = answer(&browser, "about", &json!({}));
    assert_eq!(about["nets"][0], "five-rulesets");
}
