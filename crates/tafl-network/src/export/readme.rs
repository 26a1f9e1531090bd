//! `README.md` of an export: the card for people, made of texts with places to fill in.

use super::card::{ExportCard, PlaneCard};
use super::job::ExportFormat;
use super::stored::planes;
use super::taflzero::{self, Adapter};
use crate::{GenerationCard, RulesetCard};
use tafl_rules::Game;
use tafl_samples::{Facts, PLANES};

const README: &str = include_str!("readme.md");
const ENCODER: &str = include_str!("readme_encoder.md");
const TAFLZERO: &str = include_str!("readme_taflzero.md");
const GRAPH: &str = include_str!("readme_graph.md");

/// Lines of Python that compute outputs of an ONNX file.
const ONNX: &str = "import numpy as np, onnxruntime\n{planes}session = onnxruntime.InferenceSession(\"{file}\")\n\
    {outputs} = session.run(None, {\"planes\": planes})\n";

/// Returns the text; `start` is the position of the card's example.
pub(super) fn write(card: &ExportCard, start: &Game, adapter: Option<&Adapter>) -> String {
    let [kind, python] = words(card.format);
    let names = card.outputs.each_ref().map(|output| output.name);
    let others = names[1..].join(", ");
    let run = match card.format {
        ExportFormat::Safetensors => GRAPH.trim_end().to_owned(),
        _ => fill(
            "In this folder:\n\n```python\n{python}print(\"{move}:\", float(policy[0, {index}]), \
             *[float(x) for output in ({others}) for x in output[0]])\n```",
            &[(
                "python",
                python.replacen("{planes}", &example_planes(card, start, adapter), 1),
            )],
        ),
    };
    let outputs = names
        .iter()
        .filter_map(|name| card.example.outputs.get(name));
    let numbers = outputs.flatten().map(|number| format!("{number:.4}"));
    let folded = match card.format {
        ExportFormat::Pytorch => "",
        _ => "Batch norms are folded into the convolutions. ",
    };
    let mut places = vec![
        ("run it", run),
        ("kind", kind.to_owned()),
        ("folded", folded.to_owned()),
        ("file", card.file.to_owned()),
        ("weights", card.weights.to_string()),
        ("program", card.program.to_owned()),
        ("input", card.input.to_owned()),
        ("planes", card.planes.len().to_string()),
        ("plane rows", plane_rows(card)),
        (
            "encoder",
            if adapter.is_some() { "" } else { ENCODER }.to_owned(),
        ),
        ("output rows", output_rows(card)),
        (
            "adapter",
            if adapter.is_some() { TAFLZERO } else { "" }.to_owned(),
        ),
        ("own planes", PLANES.to_string()),
        ("ruleset", card.rulesets[0].ruleset.name.clone()),
        ("position", card.example.position.clone()),
        ("numbers", numbers.collect::<Vec<_>>().join(" ")),
        ("outputs", names.join(", ")),
        ("others", others),
    ];
    places.extend(move_places(card));
    places.extend(checkpoint_places(card));
    fill(README, &places)
}

/// Returns a text with words in the places `{name}`; these may have places, too, of those that follow.
fn fill(text: &str, places: &[(&str, String)]) -> String {
    places.iter().fold(text.to_owned(), |text, (name, words)| {
        text.replace(&format!("{{{name}}}"), words)
    })
}

/// Returns what a format's file is, and the lines of Python that compute outputs of planes.
const fn words(format: ExportFormat) -> [&'static str; 2] {
    match format {
        ExportFormat::Onnx => [
            "an ONNX file (operators of version 17, any batch size)",
            ONNX,
        ],
        ExportFormat::Safetensors => [
            "the tensors by name, with the operations that compute with them",
            "",
        ],
        ExportFormat::Pytorch => [
            "a file of weights for the module in `model.py`, which may train on",
            "import numpy as np, torch, model\n{planes}network = model.load(\"{file}\").eval()\n\
             with torch.no_grad():\n    {outputs} = network(torch.from_numpy(planes))\n",
        ],
        ExportFormat::Torchscript => [
            "a TorchScript program with its weights as parameters, for PyTorch",
            "import numpy as np, torch\n{planes}with torch.no_grad():\n    \
             {outputs} = torch.jit.load(\"{file}\")(torch.from_numpy(planes))\n",
        ],
        ExportFormat::Taflzero => [
            "an ONNX file for TaflZero 0.3: `taflzero --net taflzero.onnx`",
            ONNX,
        ],
    }
}

/// Returns the lines of Python that make the planes of the example.
fn example_planes(card: &ExportCard, start: &Game, adapter: Option<&Adapter>) -> String {
    let shape = start.rules().shape();
    let (size, count) = (shape.size(), card.planes.len());
    let numbers = match adapter {
        Some(_) => taflzero::planes(start),
        None => planes([start], Facts::of),
    };
    let squares = |numbers: &[f32]| {
        let numbers = numbers.iter().enumerate();
        let ones = numbers.filter(|(_, number)| **number == 1.0);
        let names = ones.map(|(index, _)| shape.square(index).to_string());
        names.collect::<Vec<_>>().join(" ")
    };
    let (mut everywhere, mut named) = (Vec::new(), Vec::new());
    for (plane, numbers) in numbers.chunks_exact(shape.squares()).enumerate() {
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

fn plane_rows(card: &ExportCard) -> String {
    let row = |(index, plane): (usize, &PlaneCard)| {
        let &PlaneCard { name, meaning, .. } = plane;
        let is_fraction = tafl_samples::FRACTION_PLANES.contains(&index);
        let numbers = if is_fraction { "0 to 1" } else { "0 or 1" };
        let squares = if plane.uniform {
            "all the same"
        } else {
            "each its own"
        };
        format!("| {index} | {name} | {numbers} | {squares} | {meaning} |")
    };
    let rows: Vec<String> = card.planes.iter().enumerate().map(row).collect();
    rows.join("\n")
}

fn output_rows(card: &ExportCard) -> String {
    let rows = card.outputs.each_ref();
    let rows = rows.map(|it| format!("| {} | `[batch, {}]` | {} |", it.name, it.len, it.meaning));
    rows.join("\n")
}

/// Returns what is said of the numbering of moves.
fn move_places(card: &ExportCard) -> Vec<(&'static str, String)> {
    let size = usize::from(card.checkpoint.architecture.board_size);
    let (distances, index) = (size - 1, card.example.index);
    let (line, distance) = (index / distances, index % distances);
    let (from, direction) = (line / 4, line % 4);
    let names = match card.format {
        ExportFormat::Taflzero => ["down", "up", "left", "right"],
        _ => ["up", "right", "down", "left"],
    };
    let numbers = [
        ("size", size),
        ("index", index),
        ("distances", distances),
        ("moves", 4 * distances),
        ("from", from),
        ("rank", from / size),
        ("file number", from % size),
        ("direction", direction),
        ("distance", distance + 1),
    ];
    let words = [
        ("move", card.example.mv.clone()),
        ("action encoding", card.action_encoding.to_owned()),
        ("direction name", names[direction].to_owned()),
    ];
    let numbers = numbers.map(|(name, number)| (name, number.to_string()));
    words.into_iter().chain(numbers).collect()
}

/// Returns what is said of the network, its training and its strength.
fn checkpoint_places(card: &ExportCard) -> Vec<(&'static str, String)> {
    let (provenance, checked) = (&card.checkpoint.provenance, &card.verification);
    let (network, history) = (card.checkpoint.architecture.network, &provenance.history);
    let sum = |of: fn(&GenerationCard) -> u64| history.iter().map(of).sum::<u64>().to_string();
    let list = |cards: &mut dyn Iterator<Item = &RulesetCard>| {
        let names = cards.map(|card| format!("{} ({})", card.name, card.fingerprint));
        names.collect::<Vec<_>>().join(", ")
    };
    let strength = match &card.strength {
        None => "Unknown: the checkpoint is not in a run with rated matches.".to_owned(),
        Some(it) => format!(
            "Elo {:+.0} above {}, 95 % interval {:+.0} to {:+.0}, from {} games of its run.",
            it.elo, it.above, it.interval[0], it.interval[1], it.games
        ),
    };
    let left_out = checked.left_out.as_ref().map(|left_out| {
        format!("What leaving out the history changes in these positions, by the same measure: {left_out}.\n")
    });
    let generations = history.last().map_or(0, |last| last.generation + 1);
    vec![
        ("run", provenance.run.clone()),
        ("generation", provenance.generation.to_string()),
        ("seed", provenance.seed.to_string()),
        ("compute", provenance.compute.to_string()),
        ("generations", generations.to_string()),
        ("games", sum(|it| it.games)),
        ("samples", sum(|it| it.samples)),
        ("steps", card.checkpoint.steps.to_string()),
        ("history", history_table(history)),
        ("channels", network.channels.to_string()),
        ("blocks", network.blocks.to_string()),
        ("value channels", network.value_channels.to_string()),
        ("value hidden", network.value_hidden.to_string()),
        (
            "parameters",
            card.checkpoint.architecture.parameter_count().to_string(),
        ),
        (
            "rulesets",
            list(&mut card.rulesets.iter().map(|it| &it.ruleset)),
        ),
        ("learned", list(&mut provenance.rulesets.iter())),
        ("strength", strength),
        ("positions", checked.positions.to_string()),
        ("differences", checked.differences.to_string()),
        ("bound", format!("{:.0e}", checked.bound)),
        ("left out", left_out.unwrap_or_default()),
    ]
}

/// Returns the course of training: a tenth of its rows show it.
fn history_table(history: &[GenerationCard]) -> String {
    let every = history.len().div_ceil(10).max(1);
    let rows = history.iter().enumerate();
    let rows = rows.filter(|(row, _)| row % every == 0 || row + 1 == history.len());
    let rows = rows.map(|(_, it)| {
        let (policy, value) = (it.losses.policy, it.losses.value);
        format!(
            "| {} | {} | {} | {} | {policy:.3} | {value:.3} |\n",
            it.generation, it.games, it.samples, it.steps
        )
    });
    let rows: String = rows.collect();
    match rows.is_empty() {
        true => rows,
        false => format!(
            "\n| generation | games | samples | steps | policy loss | value loss |\n|---|---|---|---|---|---|\n{rows}"
        ),
    }
}
