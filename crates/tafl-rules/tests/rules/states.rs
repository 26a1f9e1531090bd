//! Recorded states compared with the rules.

use tafl_rules::StateChecker;

const BEGIN: &str = r#"{"game":7,"scenario":"x","ruleset":"brandubh","ply":30,"position":"7/7/7/7/5t1/7/1tK4","side":"attackers","chain":null,"moves":["b1-b2","b1-b3","b1-b4","b1-b5","b1-b6","b1-b7","f3-a3","f3-b3","f3-c3","f3-d3","f3-e3","f3-f1","f3-f2","f3-f4","f3-f5","f3-f6","f3-f7","f3-g3"],"move":"f3-f1","captured":[],"status":"ongoing","reason":null}"#;
const NEXT: &str = r#"{"game":7,"scenario":"x","ruleset":"brandubh","ply":31,"position":"7/7/7/7/7/7/1tK2t1","side":"defenders","chain":null,"moves":["c1-c2","c1-c3","c1-c4","c1-c5","c1-c6","c1-c7","c1-d1","c1-e1"],"move":"c1-d1","captured":[],"status":"ongoing","reason":null}"#;

/// Returns the index of the first state that disagrees with the rules, and what is said of it.
fn first(states: &[&str]) -> Option<(usize, String)> {
    let mut checker = StateChecker::default();
    states.iter().enumerate().find_map(|(index, state)| {
        let state = serde_json::from_str(state).expect("well formed");
        let checked = checker.check(&state).expect("it can be compared");
        Some((index, checked.disagreement?.to_string()))
    })
}

#[test]
fn the_first_disagreement_names_game_and_ply() {
    assert_eq!(first(&[BEGIN, NEXT, BEGIN, NEXT]), None);
    let replaced = |state: &str, from, to| {
        assert!(state.contains(from));
        state.replace(from, to)
    };
    let bad = replaced(NEXT, ",\"c1-e1\"]", ",\"c1-f1\"]");
    let text = "game 7, ply 31: legal but not recorded: c1-e1; recorded but not legal: c1-f1";
    assert_eq!(first(&[BEGIN, &bad]), Some((1, text.to_owned())));
    let bad = replaced(BEGIN, "\"captured\":[]", "\"captured\":[\"c1\"]");
    let text = "game 7, ply 30: captured after f3-f1: nothing; recorded is c1";
    assert_eq!(first(&[&bad, NEXT]), Some((0, text.to_owned())));
    let (ongoing, draw) = (
        "\"ongoing\",\"reason\":null",
        "\"draw\",\"reason\":\"repetition\"",
    );
    let bad = replaced(BEGIN, ongoing, draw);
    let text = "game 7, ply 30: status after f3-f1 is ongoing; recorded is draw (repetition)";
    assert_eq!(first(&[&bad]), Some((0, text.to_owned())));
}
