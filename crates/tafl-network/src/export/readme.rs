//! `README.md` of an export: the card for people.

use super::card::{ExportCard, PlaneCard};
use super::job::ExportFormat;
use super::plan::Plan;
use super::positions::own_planes;
use super::taflzero;
use crate::RulesetCard;
use crate::model::MOVES_LEFT_SCALE;
use std::fmt::Write as _;
use tafl_samples::PLANES;

/// Returns the text.
pub(super) fn write(plan: &Plan<'_>, card: &ExportCard) -> String {
    let parts = [
        introduction(card),
        run(plan, card),
        input(card),
        outputs(card),
        moves(card),
        network(plan),
        rulesets(card),
        training(card),
        strength(card),
        verification(card),
    ];
    parts.join("\n")
}

fn introduction(card: &ExportCard) -> String {
    let provenance = &card.checkpoint.provenance;
    let size = card.checkpoint.architecture.board_size;
    let kind = match card.format {
        ExportFormat::Onnx => "an ONNX file (operators of version 17, any batch size)",
        ExportFormat::Safetensors => {
            "the tensors by name; what to compute with them is in the lines below"
        }
        ExportFormat::Torchscript => "a TorchScript program with its weights, for PyTorch",
        ExportFormat::Taflzero => "an ONNX file for TaflZero 0.3: `taflzero --net taflzero.onnx`",
    };
    format!(
        "# {}, generation {}\n\nA policy/value network for Hnefatafl on {size}x{size}, trained by self-play and \
         exported by {}.\n`{}` is {kind}.\nBatch norms are folded into the convolutions. Weights are stored in {}; \
         inputs, outputs and arithmetic are f32.\n`model.json` has the same content, for programs.\n",
        provenance.run, provenance.generation, card.program, card.file, card.weights
    )
}

/// The lines of Python that make the planes of the example.
fn planes(plan: &Plan<'_>, card: &ExportCard) -> String {
    let example = plan.example();
    let size = usize::from(example.rules().shape().size());
    let count = card.planes.len();
    let numbers = match card.format {
        ExportFormat::Taflzero => taflzero::planes(&example),
        _ => own_planes(std::slice::from_ref(&example)),
    };
    let shape = example.rules().shape();
    let squares = |numbers: &[f32]| {
        let numbers = numbers.iter().enumerate();
        let ones = numbers.filter(|(_, number)| **number == 1.0);
        let names = ones.map(|(index, _)| shape.square(index).to_string());
        names.collect::<Vec<_>>().join(" ")
    };
    let (mut everywhere, mut named) = (Vec::new(), Vec::new());
    for (plane, numbers) in numbers.chunks_exact(size * size).enumerate() {
        let ones = numbers.iter().filter(|&&number| number == 1.0).count();
        if ones == numbers.len() {
            everywhere.push(plane.to_string());
        } else if ones > 0 && !card.planes[plane].meaning.contains("not read") {
            named.push(format!("{plane}: \"{}\"", squares(numbers)));
        }
    }
    let everywhere = match &everywhere[..] {
        [] => String::new(),
        planes => format!("planes[0, [{}]] = 1  # on all squares\n", planes.join(", ")),
    };
    format!(
        "planes = np.zeros((1, {count}, {size}, {size}), np.float32)  # {}\n\
         {everywhere}squares = {{{}}}\n\
         for plane, name in ((p, n) for p, names in squares.items() for n in names.split()):\n    \
             planes[0, plane, int(name[1:]) - 1, ord(name[0]) - ord(\"a\")] = 1\n",
        card.example.position,
        // The first plane's squares fill a line, the others' one together.
        named.join(", ").replacen("\", ", "\",\n           ", 1),
    )
}

/// The numpy program that a safetensors file is for; `{blocks}` and `{scale}` are filled in.
const NUMPY: &str = r#"
data = open("network.safetensors", "rb").read()
start = 8 + int.from_bytes(data[:8], "little")
w = {name: np.frombuffer(data[start + t["data_offsets"][0]:start + t["data_offsets"][1]],
                         {"F32": "<f4", "F16": "<f2"}[t["dtype"]]).astype(np.float32).reshape(t["shape"])
     for name, t in json.loads(data[8:start]).items() if name != "__metadata__"}

def conv(x, layer):  # x is [batch, channels, ranks, files]
    k = w[layer + ".weight"].shape[2]
    x = np.pad(x, [(0, 0), (0, 0), (k // 2, k // 2), (k // 2, k // 2)])
    x = np.lib.stride_tricks.sliding_window_view(x, (k, k), (2, 3))
    return np.einsum("bcyxij,ocij->boyx", x, w[layer + ".weight"]) + w[layer + ".bias"][:, None, None]

def linear(x, layer):
    return x @ w[layer + ".weight"].T + w[layer + ".bias"]

relu = lambda x: np.maximum(x, 0)
h = relu(conv(planes, "stem"))
for block in range({blocks}):
    h = relu(conv(relu(conv(h, f"blocks.{block}.first")), f"blocks.{block}.second") + h)
n = h.shape[2]
ends = conv(h, "destinations")  # [batch, 4 directions, ranks, files]
policy = conv(h, "policy").reshape(1, 4, n - 1, n, n)  # [batch, directions, distances, ranks, files]
for d in range(1, n):  # to a move on its square its destination's number is added; off the board there is none
    policy[:, 0, d - 1, :n - d] += ends[:, 0, d:]
    policy[:, 1, d - 1, :, :n - d] += ends[:, 1, :, d:]
    policy[:, 2, d - 1, d:] += ends[:, 2, :n - d]
    policy[:, 3, d - 1, :, d:] += ends[:, 3, :, :n - d]
policy = policy.reshape(1, -1, n, n).transpose(0, 2, 3, 1).reshape(1, -1)
v = relu(conv(h, "value"))
v = np.concatenate([v.mean((2, 3)), v.max((2, 3))], 1)
v = linear(relu(linear(v, "value.hidden")), "value.output")
policy = np.concatenate([policy, v[:, 4:]], 1)
wdl = np.exp(v[:, :3] - v[:, :3].max(1, keepdims=True))
wdl /= wdl.sum(1, keepdims=True)
moves_left = {scale} * np.logaddexp(0, v[:, 3:4])
"#;

fn run(plan: &Plan<'_>, card: &ExportCard) -> String {
    let network = &card.checkpoint.architecture.network;
    let file = &card.file;
    let names = card.outputs.each_ref().map(|output| output.name).join(", ");
    let (import, compute) = match card.format {
        ExportFormat::Onnx | ExportFormat::Taflzero => (
            "import numpy as np, onnxruntime",
            format!(
                "session = onnxruntime.InferenceSession(\"{file}\")\n{names} = session.run(None, {{\"planes\": planes}})\n"
            ),
        ),
        ExportFormat::Torchscript => (
            "import numpy as np, torch",
            format!(
                "with torch.no_grad():\n    {names} = torch.jit.load(\"{file}\")(torch.from_numpy(planes))\n"
            ),
        ),
        ExportFormat::Safetensors => {
            let text = NUMPY
                .replace("{blocks}", &network.blocks.to_string())
                .replace("{scale}", &MOVES_LEFT_SCALE.to_string());
            ("import json, numpy as np", text)
        }
    };
    let (mv, index) = (&card.example.mv, card.example.index);
    let mut text = format!(
        "## Run it\n\nIn this folder:\n\n```python\n{import}\n{}{compute}\
         print(\"{mv}:\", float(policy[0, {index}]), *[float(x) for output in ({}) for x in output[0]])\n```\n\n",
        planes(plan, card),
        names.replacen("policy, ", "", 1),
    );
    let outputs = &card.example.outputs;
    let order = card
        .outputs
        .iter()
        .filter_map(|output| outputs.get(output.name));
    let numbers: Vec<String> = order
        .flatten()
        .map(|number| format!("{number:.4}"))
        .collect();
    let _ = writeln!(
        text,
        "It prints about {}: the logit of {mv}, then {}.",
        numbers.join(" "),
        names.replacen("policy, ", "", 1)
    );
    text
}

fn input(card: &ExportCard) -> String {
    let size = card.checkpoint.architecture.board_size;
    let mut text = format!(
        "## Input\n\n`{}`, f32, `[batch, {}, {size}, {size}]`: plane, rank, file; index 0 is rank 1 and file a.\n\n\
         | plane | name | numbers | squares | meaning |\n|---|---|---|---|---|\n",
        card.input,
        card.planes.len()
    );
    for (index, plane) in card.planes.iter().enumerate() {
        let &PlaneCard { name, meaning, .. } = plane;
        let numbers = match tafl_samples::FRACTION_PLANES.contains(&index) {
            true => "0 to 1",
            false => "0 or 1",
        };
        let squares = if plane.uniform {
            "all the same"
        } else {
            "each its own"
        };
        let _ = writeln!(
            text,
            "| {index} | {name} | {numbers} | {squares} | {meaning} |"
        );
    }
    if card.format != ExportFormat::Taflzero {
        text += PYTHON;
    }
    text
}

/// How to encode positions in Python, and how to test an encoder in another language.
const PYTHON: &str = "
`tafl_planes.py` in this folder (numpy only) makes these planes of a position, and probabilities of the policy:

```python
import json, tafl_planes
card = json.load(open(\"model.json\"))
vector = card[\"test_vectors\"][0]
planes = tafl_planes.encode_vector(card, vector)[None]  # a batch of one; `encode` takes the parts of a position by name
# policy = what the network says of them, as above
# tafl_planes.decode(card, policy[0], [\"d1-d3\", \"d1-d2\"])  # probabilities of the legal moves
```

`python3 tafl_planes.py` compares what it makes of the test vectors with their planes.

`rulesets` in `model.json` names the planes that are 1 on all squares under each ruleset (`uniform`). `test_vectors` are
for an encoder in another language: positions with their planes (squares, or the number that all squares have), the five
best moves with their logits, and the other outputs. `position` has ranks separated by slashes, the highest first:
`t` attacker, `c` commander, `T` defender, `N` knight, `K` king, numbers for free squares. `side` is to move;
`occurrences` counts this time too; `captureless` counts the moves since the last capture; `chain` is the piece that may go
on capturing. Planes that tell of a handicap (`attackers_random` and the three after it) stay 0 in play.
";

fn outputs(card: &ExportCard) -> String {
    let mut text = "## Outputs\n\n| name | shape | meaning |\n|---|---|---|\n".to_owned();
    for output in &card.outputs {
        let _ = writeln!(
            text,
            "| {} | `[batch, {}]` | {} |",
            output.name, output.len, output.meaning
        );
    }
    if card.format == ExportFormat::Taflzero {
        let ruleset = &card.rulesets[0].ruleset.name;
        let _ = writeln!(
            text,
            "\nThe graph makes this network's {PLANES} planes of TaflZero's. Exact are all pieces, throne, goals, \
             side to move and repetitions;\nthe planes of the ruleset are those of {ruleset}. What TaflZero's planes \
             do not contain is left out: the last move\n(`last_from`, `last_to` are empty) and the moves since the \
             last capture (`captureless` is 0). The evaluation is\nexactly the network's own at the start of a game \
             and in positions given by themselves; elsewhere it is what the network\nsays of the same position given \
             by itself.\nThe end of a capture chain, which this ruleset does not have, has no output."
        );
    }
    text
}

fn moves(card: &ExportCard) -> String {
    let size = usize::from(card.checkpoint.architecture.board_size);
    let distances = size - 1;
    let index = card.example.index;
    let (line, distance) = (index / distances, index % distances);
    let (from, direction) = (line / 4, line % 4);
    let names = match card.format {
        ExportFormat::Taflzero => ["down", "up", "left", "right"],
        _ => ["up", "right", "down", "left"],
    };
    format!(
        "## Moves\n\n{}.\n\nExample, {size}x{size}: {} leaves square {from} (rank {} of 0 to {distances}, file {}), \
         direction {direction} ({}), distance {}:\n{from} * {} + {direction} * {distances} + {distance} = {index}.\n",
        card.action_encoding,
        card.example.mv,
        from / size,
        from % size,
        names[direction],
        distance + 1,
        4 * distances,
    )
}

fn network(plan: &Plan<'_>) -> String {
    let network = &plan.job.network.architecture().network;
    format!(
        "## Network\n\nA 3x3 convolution to {} channels, {} residual blocks of two 3x3 convolutions, and one policy \
         head and one value head for both sides.\nThe policy head is a 1x1 convolution to a plane for each direction \
         and distance, and one to a plane for each direction:\na move's logit is its number in the first on the square \
         that it leaves, plus its direction's number in the second on the\nsquare where it ends. The value head is a \
         1x1 convolution to {} planes, their means and maxima, a layer of {} and the\noutputs. {} parameters in all.\n",
        network.channels,
        network.blocks,
        network.value_channels,
        network.value_hidden,
        plan.job.network.parameter_count()
    )
}

fn rulesets(card: &ExportCard) -> String {
    let list = |cards: &mut dyn Iterator<Item = &RulesetCard>| {
        let names = cards.map(|card| format!("{} ({})", card.name, card.fingerprint));
        names.collect::<Vec<_>>().join(", ")
    };
    format!(
        "## Rulesets\n\nFor: {}. Learned: {}. In parentheses: fingerprints of their content.\n",
        list(&mut card.rulesets.iter().map(|it| &it.ruleset)),
        list(&mut card.checkpoint.provenance.rulesets.iter())
    )
}

fn training(card: &ExportCard) -> String {
    let provenance = &card.checkpoint.provenance;
    let history = &provenance.history;
    let games: u64 = history.iter().map(|generation| generation.games).sum();
    let samples: u64 = history.iter().map(|generation| generation.samples).sum();
    let mut text = format!(
        "## Training\n\nRun {}, seed {}, trained in {}: {} generations, {games} games of self-play, {samples} samples, \
         {} steps.\n",
        provenance.run,
        provenance.seed,
        provenance.compute,
        history.last().map_or(0, |last| last.generation + 1),
        card.checkpoint.steps
    );
    if history.is_empty() {
        return text;
    }
    text.push_str("\n| generation | games | samples | steps | policy loss | value loss |\n|---|---|---|---|---|---|\n");
    // A tenth of the rows shows the course.
    let every = history.len().div_ceil(10);
    let last = history.len() - 1;
    for (row, generation) in history.iter().enumerate() {
        if row % every == 0 || row == last {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {:.3} | {:.3} |",
                generation.generation,
                generation.games,
                generation.samples,
                generation.steps,
                generation.losses.policy,
                generation.losses.value
            );
        }
    }
    text
}

fn strength(card: &ExportCard) -> String {
    match &card.strength {
        None => "## Strength\n\nUnknown: the checkpoint is not in a run with rated matches.\n"
            .to_owned(),
        Some(strength) => format!(
            "## Strength\n\nElo {:+.0} above {}, 95 % interval {:+.0} to {:+.0}, from {} games of its run.\n",
            strength.elo,
            strength.above,
            strength.interval[0],
            strength.interval[1],
            strength.games
        ),
    }
}

fn verification(card: &ExportCard) -> String {
    let checked = &card.verification;
    let mut text = format!(
        "## Verification\n\nBefore the file was written, its weights, folded and rounded as they are stored, were \
         executed by libtorch on {}\npositions of random games and compared with the network as it was trained. Largest \
         differences: {}; at most {:.0e} is\naccepted. A difference is divided by the largest magnitude of the output, or \
         1 if that is less.\n",
        checked.positions, checked.differences, checked.bound
    );
    if let Some(left_out) = &checked.left_out {
        let _ = writeln!(
            text,
            "What leaving out the history changes in these positions, by the same measure: {left_out}."
        );
    }
    text
}
