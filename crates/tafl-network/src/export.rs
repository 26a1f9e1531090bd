//! Exports: the network as files that other programs read, with a card that says what they hold.
//!
//! One pass: what is stored, its bytes, what libtorch computes with the stored weights compared with the network, the card,
//! the files. That a file computes the same in the programs that it is for is tested with these programs, not at every
//! export.

mod card;
mod graph;
mod job;
mod lines;
mod onnx;
mod stored;
mod taflzero;
#[cfg(test)]
mod tests;
mod text;
mod torchscript;

pub use job::{Export, ExportError, ExportFormat, StoredAs, StrengthCard};
pub use stored::{Differences, Verification};

use crate::checkpoint::{MOST_CARD_BYTES, MOST_WEIGHTS_BYTES};
use crate::{Network, Provenance, RulesetCard};
use card::Card;
use serde::Deserialize as _;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stored::{POSITIONS, Stored, positions};
use tafl_rules::{Game, Rules};
use tafl_store::{
    StoreKind, entries, is_temporary, lock_plainly, read_file, remove_if_there, sha256_hex,
    write_atomically,
};
use taflzero::Adapter;

/// What was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// The files: the network, the README, and others.
    pub files: Vec<PathBuf>,
    /// Bytes of the network's file.
    pub bytes: u64,
    /// The rulesets that it is for.
    pub rulesets: Vec<RulesetCard>,
    /// How its weights were checked.
    pub verification: Verification,
}

const CARD: &str = "model.json";

/// Encodes positions and decodes policies in Python, for all formats but that of `TaflZero`.
const PYTHON: &str = include_str!("export/tafl_planes.py");

/// Writes an export into the folder `dir`: the network, `model.json`, `README.md` and what goes with them.
///
/// # Errors
/// If the network cannot be expressed in the format, the stored weights do not compute the same, or a file cannot be
/// written. What was in the folder before is still there then, unless only the README or the card could not be written:
/// the old card's checksum is not the new network's.
pub fn export(job: &Export<'_>, dir: &Path) -> Result<Exported, ExportError> {
    check_folder(dir, job)?;
    let (rules, adapter) = playable(job)?;
    let (shape, adapter) = (rules[0].shape(), adapter.as_ref());
    let stored = Stored::new(job.network, job.format, job.stored)?;
    let games = rules.iter().flat_map(|it| positions(it, POSITIONS));
    let games: Vec<Game> = games.collect();
    let (found, verification) = stored.verify(job.network, &games, adapter)?;
    let mut card = Card::new(job, &stored, adapter, &games, &found, verification);
    let metadata = card.metadata();
    let parameters = job.network.architecture().parameter_count();
    let mut texts = vec![("README.md", text::readme(&card, (parameters, &rules))?)];
    if job.format == ExportFormat::Pytorch {
        let module = text::module(&stored.graph, usize::from(shape.size()))?;
        texts.push(("model.py", module));
    }
    if job.format != ExportFormat::Taflzero {
        texts.push(("tafl_planes.py", PYTHON.to_owned()));
    }
    let bytes = match job.format {
        ExportFormat::Torchscript => {
            let lines = text::lines("torchscript", &stored.graph)?;
            torchscript::write(&stored, lines, shape)?
        }
        ExportFormat::Safetensors | ExportFormat::Pytorch => stored.file(metadata)?,
        ExportFormat::Onnx | ExportFormat::Taflzero => {
            onnx::write(&stored, shape, adapter, &card.outputs, &metadata)?
        }
    };
    card.sha256 = sha256_hex(&bytes);
    let sums = texts.iter();
    let sums = sums.map(|(name, text)| (*name, sha256_hex(text.as_bytes())));
    card.texts = sums.collect();
    texts.push((CARD, with_own_sum(&mut card)?));
    // From here on the folder is nobody else's, whatever became of it meanwhile.
    let _lock = lock_plainly(dir, "export")?;
    let before = check_folder(dir, job)?;
    for (name, text) in &texts {
        let sum = match *name {
            CARD => &before["own_sha256"],
            name => &before["texts"][name],
        };
        check_text(&dir.join(name), text, &with_next(sum, &before, name))?;
    }
    let size = bytes.len() as u64;
    let texts = texts
        .into_iter()
        .map(|(name, text)| (name, text.into_bytes()));
    let mut contents: Vec<_> = std::iter::once((job.format.file_name(), bytes))
        .chain(texts)
        .collect();
    let files = contents.iter().map(|(name, _)| dir.join(name)).collect();
    remove_leftovers(dir, contents.iter().map(|(name, _)| *name))?;
    // The card has the network's checksum. It comes last where it replaces one, so that a network that a kill left without
    // its card is noticed, and else first: an export that was not finished is known as one.
    if before.is_null() {
        contents.rotate_right(1);
    } else {
        announce(dir, before, &serde_json::to_value(&card)?)?;
    }
    for (name, content) in contents {
        write_atomically(&dir.join(name), &content)?;
    }
    Ok(Exported {
        files,
        bytes: size,
        rulesets: rules.iter().map(|it| RulesetCard::of(it)).collect(),
        verification: card.verification,
    })
}

/// Returns the file that [`ExportFormat::Safetensors`] writes, in f32 and with the operations alone in its header.
///
/// # Errors
/// If the weights cannot be written in the format.
pub fn safetensors(network: &Network) -> Result<Vec<u8>, ExportError> {
    let stored = Stored::new(network, ExportFormat::Safetensors, StoredAs::F32)?;
    stored.file(Vec::new())
}

/// Returns the rulesets that the file is for, and what `TaflZero` needs: for it, the first that it can play.
fn playable(job: &Export<'_>) -> Result<(Vec<Arc<Rules>>, Option<Adapter>), ExportError> {
    let expected = job.network.architecture().board_size;
    for rules in job.rules {
        let found = rules.shape().size();
        if found != expected {
            return Err(ExportError::Board {
                ruleset: rules.ruleset().name.clone(),
                found,
                expected,
            });
        }
    }
    let first = job.rules.first().ok_or(ExportError::NoRuleset)?;
    if job.format != ExportFormat::Taflzero {
        return Ok((job.rules.to_vec(), None));
    }
    // If it can play none, why it cannot play the first.
    let mut fitting = job.rules.iter();
    let fitting = fitting.find_map(|it| Some((it, Adapter::new(it).ok()?)));
    let (rules, adapter) = match fitting {
        Some(fitting) => fitting,
        None => (first, Adapter::new(first)?),
    };
    Ok((vec![Arc::clone(rules)], Some(adapter)))
}

/// Returns the checksum of a card: that of the lines that do not hold it.
fn sum_of_card(text: &str) -> String {
    let others = text
        .lines()
        .filter(|line| !line.contains("\"own_sha256\":"));
    let others: String = others.map(|line| format!("{line}\n")).collect();
    sha256_hex(others.as_bytes())
}

/// Returns the text of a card with its own checksum in it.
fn with_own_sum(card: &mut Card) -> Result<String, ExportError> {
    card.own_sha256 = sum_of_card(&serde_json::to_string_pretty(card)?);
    Ok(serde_json::to_string_pretty(card)? + "\n")
}

/// Adds to the card that is there the checksums of the files that replace those of its export, whose card is `after`: where
/// a kill leaves only some of them, they are known as such.
fn announce(dir: &Path, mut before: Value, after: &Value) -> Result<(), ExportError> {
    let mut sums = after["texts"].clone();
    sums[after["file"].as_str().unwrap_or_default()] = after["sha256"].clone();
    let mut next = before["next"].as_array().cloned().unwrap_or_default();
    next.push(sums);
    before["next"] = Value::Array(next);
    before["own_sha256"] = Value::from("");
    before["own_sha256"] = Value::from(sum_of_card(&serde_json::to_string_pretty(&before)?));
    let text = serde_json::to_string_pretty(&before)? + "\n";
    Ok(write_atomically(&dir.join(CARD), text.as_bytes())?)
}

/// Returns the checksums that a file of an export may have: its own, and those of exports that were to replace it.
fn with_next<'a>(own: &'a Value, card: &'a Value, name: &str) -> Vec<&'a Value> {
    let next = card["next"].as_array().into_iter().flatten();
    std::iter::once(own)
        .chain(next.map(|it| &it[name]))
        .collect()
}

/// Removes what exports that were killed left of files with these names.
fn remove_leftovers<'a>(
    dir: &Path,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), ExportError> {
    for path in entries(dir)? {
        let found = path.file_name().unwrap_or_default().to_string_lossy();
        let is_of =
            |name: &str| (found.strip_prefix(name)).is_some_and(|rest| rest.starts_with('.'));
        if is_temporary(&path) && path.is_file() && names.clone().any(is_of) {
            remove_if_there(&path)?;
        }
    }
    Ok(())
}

/// Refuses to replace a text that is neither what is to be written nor what an export wrote, whose checksums its card has.
fn check_text(path: &Path, text: &str, known: &[&Value]) -> Result<(), ExportError> {
    let is_card_without_sum = known[0].is_null() && path.ends_with(CARD);
    if !path.exists() || is_card_without_sum {
        return Ok(());
    }
    let bytes = read_file(path, MOST_CARD_BYTES)?;
    let found = String::from_utf8_lossy(&bytes);
    // Exports of format 3 left out the end of the last line.
    let of_format_3 = found.strip_suffix('\n').unwrap_or(&found);
    let sums = match path.ends_with(CARD) {
        true => vec![sum_of_card(&found)],
        false => vec![sha256_hex(&bytes), sha256_hex(of_format_3.as_bytes())],
    };
    let is_known = |sum: &String| known.iter().any(|it| it.as_str() == Some(sum.as_str()));
    if found == text || sums.iter().any(is_known) {
        return Ok(());
    }
    let reason = "changed since its export".to_owned();
    Err(ExportError::Occupied(path.to_owned(), reason))
}

/// Refuses a folder of a run, and one whose files an export would replace, unless they are an export of the same format from
/// the same run; returns its card.
fn check_folder(dir: &Path, job: &Export<'_>) -> Result<Value, ExportError> {
    let occupied = ExportError::Occupied;
    let whole = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    // `RUN/checkpoints/000003` is the deepest folder of a run.
    let mut around = whole.ancestors().take(3);
    if let Some(kind) = around.find_map(|it| StoreKind::of_folder(it).ok().flatten()) {
        let reason = format!("in the folder of a {}", <&str>::from(kind));
        return Err(occupied(dir.to_owned(), reason));
    }
    let path = dir.join(CARD);
    if !path.exists() {
        let names = [
            job.format.file_name(),
            "README.md",
            "model.py",
            "tafl_planes.py",
        ];
        let mut found = names.into_iter().map(|name| dir.join(name));
        return match found.find(|path| path.exists()) {
            Some(path) => Err(occupied(path, "not of an export".to_owned())),
            None => Ok(Value::Null),
        };
    }
    let card = read_file(&path, MOST_CARD_BYTES)?;
    let card = serde_json::from_slice::<Value>(&card).unwrap_or_default();
    let from = Provenance::deserialize(&card["checkpoint"]["provenance"]).ok();
    let (Some(format), Some(from)) = (card["format"].as_str(), from) else {
        return Err(occupied(path, "not of an export".to_owned()));
    };
    if format != job.format.to_string() {
        return Err(occupied(path, format!("of an export as {format}")));
    }
    if !from.is_of_one_run_with(&job.card.provenance) {
        let other = if from.run == job.card.provenance.run {
            "another"
        } else {
            "the"
        };
        return Err(occupied(
            path,
            format!("of an export of {other} run {}", from.run),
        ));
    }
    // Weights that somebody trained on, or quantized, are not of this program.
    let file = dir.join(job.format.file_name());
    if file.exists() {
        let sum = Value::from(sha256_hex(&read_file(&file, MOST_WEIGHTS_BYTES)?));
        let known = with_next(&card["sha256"], &card, job.format.file_name());
        if !known.contains(&&sum) {
            return Err(occupied(file, "changed since its export".to_owned()));
        }
    }
    Ok(card)
}
