//! The encoder in Python that comes with an export, on positions of every ruleset.

use crate::export::{exported, network, planes, python, rulesets};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::path::Path;
use std::sync::Arc;
use tafl_config::RulesetFile;
use tafl_network::{ExportFormat, StoredAs};
use tafl_rules::{Game, Move, RankOrder, Rules, Ruleset, Setup};
use tafl_samples::{Facts, PLANES};

/// What Python does with positions, a line of JSON each: their planes, and the policy outputs of their legal moves.
const ENCODE: &str = "
import json, sys
import numpy as np
sys.path.insert(0, sys.argv[1])
import tafl_planes
card = json.load(open(sys.argv[1] + '/model.json'))
positions = [json.loads(line) for line in open(sys.argv[2])]
names = ['chain', 'last_move', 'occurrences', 'captureless']
planes = [tafl_planes.encode(card, it['ruleset'], it['position'], it['side'], **{name: it[name] for name in names})
          for it in positions]
np.stack(planes).astype('<f4').tofile(sys.argv[3])
size = planes[0].shape[1]
for it in positions:
    print(*[tafl_planes.index(move, size) for move in it['legal']])
";

/// What is no position or move, and would be encoded as another one.
const REFUSED: &str = "
import json, tafl_planes
card = json.load(open('model.json'))
vector = card['test_vectors'][0]
size = card['planes'][0]['shape'][0]
def encode(**changes):
    return tafl_planes.encode_vector(card, vector | changes)
def index(move):
    tafl_planes.index(move, size)
wrong = [lambda: encode(ruleset='chess'), lambda: encode(side='defender'), lambda: encode(position=str(size)),
         lambda: encode(position=vector['position'].replace('K', 'Q')), lambda: encode(last_move='d1d3')]
wrong += [lambda: encode(occurrences=0), lambda: encode(captureless=-1), lambda: encode(chain='d0'),
          lambda: encode(position=vector['position'].replace('K', '1'))]
wrong += [lambda move=move: index(move) for move in ('d1-e2', 'd1-d1', 'D1-D3', 'a1-a12', 'd0-d3')]
wrong += [lambda: index('d1-d3xd4-d5'), lambda: encode(last_move='d1-d3xd4-d5'), lambda: encode(last_move=0)]
ranks, side = vector['position'], vector['side']
other = 'defenders' if side == 'attackers' else 'attackers'
for behind in ('t', 'K', 'q', '1', '/' + ranks.split('/')[0], ' ' + other, ' ' + other[0], ' q'):
    wrong.append(lambda behind=behind: encode(position=ranks + behind))
    wrong.append(lambda behind=behind: encode(position=ranks.replace('/', behind + '/', 1)))
for attempt in wrong:
    try:
        attempt()
    except ValueError as error:
        print(error)
fen = vector['position'].translate(str.maketrans('tTNK', 'adnk'))
for text in (fen, ranks + ' ' + side, ranks + ' ' + side[0] + ' - 0'):
    assert (encode(position=text) == encode()).all()
assert tafl_planes.index('d1-d3xd4', size) == tafl_planes.index('d1-d3', size)
";

/// Each ruleset has a vector, and a position that occurred before, a chain and a knight are shown where there are any.
fn check_what_vectors_show(folder: &Path, rulesets: usize) {
    let card = std::fs::read(folder.join("model.json")).expect("a card");
    let card: serde_json::Value = serde_json::from_slice(&card).expect("JSON");
    let vectors = card["test_vectors"].as_array().expect("a list");
    let of_rulesets: std::collections::BTreeSet<_> = vectors
        .iter()
        .map(|vector| vector["ruleset"].to_string())
        .collect();
    assert_eq!(of_rulesets.len(), rulesets);
    let shows = |plane: &str| vectors.iter().any(|it| !it["planes"][plane].is_null());
    let cards = card["rulesets"].as_array().expect("a list");
    let has = |plane: &str| cards.iter().any(|card| !card["uniform"][plane].is_null());
    assert!(shows("occurred_before"));
    assert_eq!(shows("knights"), has("ranks"));
    assert_eq!(
        shows("chain_piece"),
        has("chain_optional") || has("chain_forced")
    );
}

#[test]
fn python_encodes_positions_as_the_program_does() {
    let mut compared = 0;
    for size in [7, 9, 11] {
        let (network, mut all) = (network(size), rulesets(size));
        all.push(unusual(all[0].ruleset()));
        let folder = tempfile::tempdir().expect("a folder");
        let form = (ExportFormat::Onnx, StoredAs::F32);
        exported(&network, &all, form, folder.path()).expect("an export");
        let games = many_positions(&all, 160);
        let lines: Vec<String> = games
            .iter()
            .map(|(game, moves)| described(game, moves))
            .collect();
        let (given, made) = (
            folder.path().join("given.jsonl"),
            folder.path().join("made"),
        );
        std::fs::write(&given, lines.join("\n")).expect("written");
        std::fs::write(folder.path().join("encode.py"), ENCODE).expect("written");
        let [folder_name, given, made_name] =
            [folder.path(), &given, &made].map(|path| path.display().to_string());
        let said = python(
            &["encode.py", &folder_name, &given, &made_name],
            folder.path(),
        );
        let bytes = std::fs::read(&made).expect("planes");
        let found: Vec<f32> = bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|number| f32::from_le_bytes(*number))
            .collect();
        let squares = usize::from(size) * usize::from(size);
        let of_each = found.chunks_exact(PLANES * squares).zip(said.lines());
        assert_eq!(found.len(), games.len() * PLANES * squares);
        assert_eq!(said.lines().count(), games.len());
        for ((game, moves), (found, indices)) in games.iter().zip(of_each) {
            assert_eq!(found, planes(game), "{}", described(game, moves));
            let expected = moves
                .iter()
                .map(|mv| mv.policy_index(game.rules().shape()).0);
            let expected: Vec<String> = expected.map(|index| index.to_string()).collect();
            assert_eq!(indices, expected.join(" "));
        }
        compared += games.len();
        let said = python(&["tafl_planes.py"], folder.path());
        assert!(
            said.ends_with(" test vectors: the planes are right\n"),
            "{said}"
        );
        check_vectors(folder.path());
        check_what_vectors_show(folder.path(), all.len());
        let said = python(&["-c", REFUSED], folder.path());
        assert_eq!(said.lines().count(), 33, "{said}");
    }
    assert!(compared >= 1000, "{compared}");
}

/// A ruleset of the same board with a weak king, and other values than older files mean by what they lack.
fn unusual(ruleset: &Ruleset) -> Arc<Rules> {
    let mut fields = ruleset.to_fields();
    fields.insert("name".to_owned(), "unusual".into());
    fields.insert("king_capture".to_owned(), "two-sides".into());
    let mut changed = 0;
    for field in tafl_config::fields::<RulesetFile>() {
        let other = match field.default.as_ref() {
            None => continue,
            Some(toml::Value::Boolean(usual)) => (!usual).into(),
            // Limits of steps and the occurrence that decides.
            Some(toml::Value::Integer(_)) => 2.into(),
            Some(usual) if usual.as_str() == Some("none") => 2.into(),
            Some(usual) => {
                let mut words = field.choices().into_iter().map(|(word, _)| word);
                let other = words.find(|word| *word != usual.to_string());
                serde_json::from_str(&other.expect("two words")).expect("a word")
            }
        };
        fields.insert(field.path, other);
        changed += 1;
    }
    assert!(changed >= 3, "{changed}");
    Rules::new(Ruleset::from_fields(fields).expect("a ruleset")).expect("playable")
}

/// Positions of random games of each ruleset, with their histories.
fn many_positions(rules: &[Arc<Rules>], of_each: usize) -> Vec<(Game, Vec<Move>)> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut positions = Vec::new();
    for rules in rules {
        let (mut game, mut moves, mut count) = (Game::new(Arc::clone(rules)), Vec::new(), 0);
        while count < of_each {
            game.legal_moves(&mut moves);
            if game.outcome().is_some() || game.moves().len() > 150 {
                game = Game::new(Arc::clone(rules));
                continue;
            }
            positions.push((game.clone(), moves.clone()));
            count += 1;
            // Back and forth now and then, for positions that occur again.
            let back = game
                .moves()
                .iter()
                .rev()
                .nth(1)
                .map(|mv| (mv.to(), mv.from()));
            let returns = moves
                .iter()
                .position(|mv| Some((mv.from(), mv.to())) == back);
            let index = rng.next_u64() as usize % moves.len();
            let index = returns.filter(|_| rng.random_bool(0.3)).unwrap_or(index);
            game.play(moves[index]).expect("a legal move");
        }
    }
    positions
}

/// A position as `encode` takes it, with its legal moves.
fn described(game: &Game, moves: &[Move]) -> String {
    let facts = Facts::of(game);
    let position = Setup::of(game.position(), game.rules().shape());
    let legal: Vec<String> = moves.iter().map(ToString::to_string).collect();
    serde_json::json!({
        "ruleset": game.rules().ruleset().name,
        "position": position.to_text(RankOrder::HighestFirst),
        "side": facts.side.name(),
        "chain": facts.chain.map(|square| square.to_string()),
        "last_move": facts.last_move.map(|mv| mv.to_string()),
        "occurrences": facts.occurrences,
        "captureless": facts.captureless,
        "legal": legal,
    })
    .to_string()
}

/// What ONNX Runtime makes of the test vectors of an export.
const VECTORS: &str = "
import json
import numpy as np, onnxruntime
import tafl_planes
card = json.load(open('model.json'))
session = onnxruntime.InferenceSession(card['file'])
names = [output['name'] for output in card['outputs']]
for vector in card['test_vectors']:
    assert vector['last_move']
    found = dict(zip(names, session.run(None, {card['input']: tafl_planes.encode_vector(card, vector)[None]})))
    size = card['planes'][0]['shape'][0]
    for move, logit in vector['policy']:
        np.testing.assert_allclose(found['policy'][0, tafl_planes.index(move, size)], logit, rtol=1e-3, atol=1e-3)
    for name, numbers in vector['outputs'].items():
        np.testing.assert_allclose(found[name][0], numbers, rtol=1e-3, atol=1e-3)
    shares = tafl_planes.decode(card, found['policy'][0], [move for move, _ in vector['policy']])
    assert abs(sum(shares.values()) - 1) < 1e-6 and list(shares.values()) == sorted(shares.values(), reverse=True)
print(len(card['test_vectors']))
";

fn check_vectors(folder: &Path) {
    std::fs::write(folder.join("vectors.py"), VECTORS).expect("written");
    let compared = python(&["vectors.py"], folder);
    assert!(
        compared.trim().parse::<usize>().is_ok_and(|it| it > 1),
        "{compared}"
    );
}
