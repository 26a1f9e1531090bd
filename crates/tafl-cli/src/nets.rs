//! Networks that come with the repository, in `data/nets/`: the players if no checkpoint is named.

#[cfg(not(feature = "libtorch"))]
mod inside;

use crate::args::DataFolder;
use crate::hint::hinted;
use anyhow::{Context, anyhow, bail};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_config::nearest;
use tafl_network::{ModelCard, Origin, load_card};
use tafl_rules::{Rules, Ruleset, known_names, preset};
use tafl_samples::Family;
use tafl_store::{entries, is_checkpoint, is_checkpoint_or_run};
use tafl_training::{
    FoundRules, PlayerSource, add_rules, card, fingerprint, first_learned, learned_by_name,
    learned_rules, load_rules,
};

/// The folder of a network, and what its card says.
type FoundNet = (PathBuf, ModelCard);

/// The ruleset where nothing names one.
const USUAL_RULESET: &str = "copenhagen";

/// Returns the named checkpoint, or else the network of the repository that learned the ruleset.
pub(crate) fn named_or_shipped(
    checkpoint: Option<&Path>,
    data: &Path,
    rules: &Rules,
) -> anyhow::Result<PathBuf> {
    checkpoint.map_or_else(|| shipped(data, rules), |folder| Ok(folder.to_owned()))
}

/// Returns the rules by a name, which may be that of a ruleset that only the checkpoint learned, or by a file; without either those
/// that the checkpoint learned first, or without a checkpoint Copenhagen.
pub(crate) fn rules_for(
    ruleset: Option<&str>,
    checkpoint: Option<&Path>,
) -> anyhow::Result<FoundRules> {
    let learned = match (ruleset, checkpoint) {
        (None, Some(folder)) => Some(first_learned(folder, &card(folder)?)?),
        (Some(name), Some(folder)) if preset(name).is_none() => {
            learned_by_name(folder, &card(folder)?, name)?
        }
        _ => None,
    };
    if let Some(learned) = learned {
        return Ok(learned);
    }
    let source = ruleset.unwrap_or(USUAL_RULESET).to_owned();
    let rules = load_rules(&source, Path::new("."))?;
    Ok(FoundRules { rules, source })
}

/// Returns the rules of several rulesets as [`rules_for`], none of which may be given twice.
pub(crate) fn all_rules_for(
    names: &[String],
    checkpoint: Option<&Path>,
) -> anyhow::Result<Vec<Arc<Rules>>> {
    let mut all: Vec<Arc<Rules>> = Vec::new();
    for name in names {
        let found = rules_for(Some(name), checkpoint);
        let added = found.and_then(|found| add_rules(&mut all, found.rules));
        added.context("--ruleset")?;
    }
    Ok(all)
}

/// Returns the folder of the network that has learned a ruleset; of several the first by [`preferred`].
///
/// Searches `nets/` in the data folder, then `data/nets/` in the current folder and its parents, and those of the program; a
/// program without libtorch has some inside.
pub(crate) fn shipped(data: &Path, rules: &Rules) -> anyhow::Result<PathBuf> {
    let others = match learner(data, rules)? {
        Ok(folder) => return Ok(folder),
        Err(others) => others,
    };
    let name = &rules.ruleset().name;
    let there_are = match &others[..] {
        [] => "there are none".to_owned(),
        nets => {
            // The same network may lie in several places.
            let nets: BTreeSet<String> = nets.iter().map(described).collect();
            let nets: Vec<String> = nets.into_iter().collect();
            format!("there are {}", nets.join(", "))
        }
    };
    let hint = match learned_alike(data, rules.ruleset()) {
        Some(alike) => format!("{alike}; `train` makes one for it"),
        None => "--checkpoint NET takes one of other rules on such a board, with a warning; `train` makes one for these; `play --against alphabeta:3` needs none".to_owned(),
    };
    Err(hinted(
        format!("no network of data/nets learned ruleset {name}; {there_are}"),
        hint,
    ))
}

/// Returns the network of [`shipped`], or else those that have learned other rulesets.
fn learner(data: &Path, rules: &Rules) -> anyhow::Result<Result<PathBuf, Vec<FoundNet>>> {
    let here = std::env::current_dir().unwrap_or_default();
    let wanted = fingerprint(rules);
    let knows = |card: &ModelCard| {
        let mut learned = card.provenance.rulesets.iter();
        learned.any(|ruleset| ruleset.fingerprint == wanted)
    };
    let mut seen = Vec::new();
    for place in places(Some(data)) {
        let nets = nets_in(&place?)?;
        let (mut fitting, others): (Vec<_>, Vec<_>) =
            nets.into_iter().partition(|(_, card)| knows(card));
        sort_by_preference(&mut fitting);
        if let Some((folder, _)) = fitting.first() {
            return Ok(Ok(folder.strip_prefix(&here).unwrap_or(folder).to_owned()));
        }
        seen.extend(others);
    }
    Ok(Err(seen))
}

/// Says which network learned a ruleset that comes with the program and has other limits to games without an end, but moves
/// and captures as this one.
fn learned_alike(data: &Path, own: &Ruleset) -> Option<String> {
    let is_alike = |preset: &Ruleset| preset.moves_as(own);
    let mut alike = known_names().filter_map(preset).filter(is_alike);
    alike.find_map(|alike| {
        let name = alike.name.clone();
        let net = learner(data, &*Rules::new(alike).ok()?).ok()?.ok()?;
        let net = file_name(net)?;
        Some(format!(
            "--checkpoint {net} learned {name}, which moves and captures alike, but has other limits"
        ))
    })
}

/// Returns the rulesets for which [`shipped`] finds a network, those that are compiled in first; of one whose rules were lost
/// it says nothing.
pub(crate) fn learned_here(data: &Path) -> anyhow::Result<Vec<FoundRules>> {
    let mut found = Vec::new();
    for place in places(Some(data)) {
        for (folder, card) in nets_in(&place?)? {
            found.extend(learned_rules(&folder, &card).unwrap_or_default());
        }
    }
    let order = |rules: &FoundRules| {
        let name = &rules.rules.ruleset().name;
        let number = known_names().position(|known| known == name);
        number.unwrap_or(usize::MAX)
    };
    found.sort_by_key(order);
    Ok(found)
}

/// Returns the folders in which networks are looked for, each once, as far as they are there.
fn places(data: Option<&Path>) -> impl Iterator<Item = anyhow::Result<PathBuf>> {
    let here = std::env::current_dir().unwrap_or_default();
    let program = std::env::current_exe().unwrap_or_default();
    let around = here.ancestors().chain(program.ancestors());
    let around: Vec<PathBuf> = around.map(|folder| folder.join("data")).collect();
    let data = data.map(Path::to_owned).into_iter().chain(around);
    let mut looked = BTreeSet::new();
    // The same folder may be reached from here and from the program.
    let places = data
        .map(|data| data.join("nets"))
        .filter(move |place| place.canonicalize().is_ok_and(|whole| looked.insert(whole)));
    #[cfg(not(feature = "libtorch"))]
    return places.map(Ok).chain(std::iter::once_with(inside::unpacked));
    #[cfg(feature = "libtorch")]
    places.map(Ok)
}

/// Reads what names a checkpoint: a folder, or where there is none of that name a network that comes with the program.
pub(crate) fn checkpoint_named(text: &str) -> anyhow::Result<PathBuf> {
    let given = PathBuf::from(text);
    let is_word = !text.is_empty() && !text.contains(['/', '\\', '.']);
    // A folder of that name that is no checkpoint, such as an export, hides no network and no run.
    if !is_word || is_checkpoint_or_run(&given) {
        return Ok(given);
    }
    for place in places(Some(&DataFolder::usual())) {
        let net = place?.join(text);
        if is_checkpoint(&net) {
            let here = std::env::current_dir().unwrap_or_default();
            return Ok(net.strip_prefix(&here).unwrap_or(&net).to_owned());
        }
    }
    // Whoever opens the folder of a run says which checkpoint is its last.
    let run = DataFolder::usual().join("runs").join(text);
    if run.join("checkpoints").is_dir() {
        return Ok(run);
    }
    if given.exists() {
        return Ok(given);
    }
    let networks = network_names()?;
    let meant = nearest(text, networks.iter().map(String::as_str));
    let instead = match (meant, &networks[..]) {
        (Some(meant), _) => format!("did you mean {meant}?"),
        (None, []) => "there are no networks here".to_owned(),
        (None, all) => format!("networks are {}", all.join(", ")),
    };
    bail!("neither a folder nor a network is named {text:?}; {instead}")
}

/// Returns the names of the networks that come with the program.
fn network_names() -> anyhow::Result<Vec<String>> {
    let mut names = BTreeSet::new();
    for place in places(Some(&DataFolder::usual())) {
        let nets = entries(&place?)?.into_iter();
        names.extend(nets.filter(|net| is_checkpoint(net)).filter_map(file_name));
    }
    Ok(names.into_iter().collect())
}

fn file_name(folder: PathBuf) -> Option<String> {
    let name = folder.file_name()?;
    Some(name.to_string_lossy().into_owned())
}

/// Returns what a player is called who is told to people: a network that comes with the program by its name.
pub(crate) fn called(source: &PlayerSource) -> String {
    let shipped = source.folder().filter(|folder| {
        let data = DataFolder::usual();
        let mut places = places(Some(&data)).filter_map(Result::ok);
        let parent = folder.parent().and_then(|it| it.canonicalize().ok());
        places.any(|place| place.canonicalize().ok() == parent)
    });
    let name = shipped.and_then(|folder| file_name(folder.to_owned()));
    name.unwrap_or_else(|| source.to_string())
}

/// Reads what names a player, as [`player_named`].
pub(crate) fn player_source(text: &str) -> anyhow::Result<PlayerSource> {
    player_named(text)?.parse()
}

/// Reads what names a player: one without a network as it is, a checkpoint as [`checkpoint_named`].
pub(crate) fn player_named(text: &str) -> anyhow::Result<String> {
    let (name, visits) = text.split_once('@').unwrap_or((text, ""));
    let (family, strength) = name.split_once(':').unwrap_or((name, ""));
    let families = || Family::ALL.map(Family::name).into_iter();
    // A number that it cannot have is told where its name is read.
    if families().any(|it| it == family) {
        return Ok(text.to_owned());
    }
    let found = checkpoint_named(name).map_err(|error| match nearest(family, families()) {
        Some(meant) if strength.is_empty() => {
            anyhow!("no player is named {name:?}; did you mean {meant}?")
        }
        Some(meant) => anyhow!("no player is named {name:?}; did you mean {meant}:{strength}?"),
        None => anyhow!("{error}; other players are {}", Family::forms()),
    })?;
    let found = found.display().to_string();
    Ok(match text.contains('@') {
        true => format!("{found}@{visits}"),
        false => found,
    })
}

/// Sorts networks, for whoever takes the first that knows a ruleset: one with whose weights another of them began comes after
/// the others, else the one first that learned from the most samples, in all stages.
pub(crate) fn preferred(folders: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let with_card = |folder: &PathBuf| Ok((folder.clone(), card(folder)?));
    let nets = folders.iter().map(with_card);
    let mut nets = nets.collect::<anyhow::Result<Vec<_>>>()?;
    sort_by_preference(&mut nets);
    Ok(nets.into_iter().map(|(folder, _)| folder).collect())
}

fn sort_by_preference(nets: &mut [FoundNet]) {
    let origins = nets
        .iter()
        .filter_map(|(_, card)| card.provenance.origin.as_ref());
    let origins: BTreeSet<String> = origins.map(|it| it.weights_sha256.clone()).collect();
    nets.sort_by_key(|(_, card)| {
        let has_successor = origins.contains(&Origin::of(card).weights_sha256);
        (has_successor, Reverse(card.provenance.all_samples()))
    });
}

/// Returns the networks of a folder by name.
fn nets_in(place: &Path) -> anyhow::Result<Vec<FoundNet>> {
    let folders = entries(place)?.into_iter();
    let nets = folders.filter(|folder| is_checkpoint(folder));
    nets.map(|folder| Ok((folder.clone(), load_card(&folder)?)))
        .collect()
}

fn described((folder, card): &FoundNet) -> String {
    let rulesets = card.provenance.rulesets.iter();
    let rulesets: Vec<&str> = rulesets.map(|ruleset| ruleset.name.as_str()).collect();
    let name = folder.file_name().unwrap_or_default();
    format!("{} ({})", name.to_string_lossy(), rulesets.join(", "))
}

/// Returns the name of a network in tables: its run and its generation.
pub(crate) fn name_of(card: &ModelCard) -> String {
    format!("{} {}", card.provenance.run, card.provenance.generation)
}

#[cfg(test)]
mod tests {
    use super::{FoundNet, checkpoint_named, file_name, shipped, sort_by_preference};
    use crate::args::DataFolder;
    use crate::hint::Hinted;
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};
    use tafl_network::{Origin, load_card};
    use tafl_rules::{Rules, Ruleset, Switch, preset};
    use tafl_store::{entries, is_checkpoint};

    fn order(nets: &mut [FoundNet]) -> Vec<String> {
        sort_by_preference(nets);
        let names = nets.iter().map(|(name, _)| name.display().to_string());
        names.collect()
    }

    #[test]
    fn a_network_that_went_on_from_another_comes_before_it_and_then_samples_of_all_stages_count() {
        let nets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/nets");
        let card = |name: &str| {
            let card = load_card(&nets.join(name)).expect("a card");
            (PathBuf::from(name), card)
        };
        let mut nets = ["quickstart", "copenhagen", "five-rulesets"].map(card);
        let by_samples = ["five-rulesets", "copenhagen", "quickstart"];
        assert_eq!(order(&mut nets), by_samples);
        let before = nets[0].1.provenance.origin.take();
        let by_last_run = ["copenhagen", "five-rulesets", "quickstart"];
        assert_eq!(order(&mut nets), by_last_run);
        nets[1].1.provenance.origin = before;
        let origin = Origin::of(&nets[1].1);
        nets[2].1.provenance.origin = Some(origin);
        let successor_first = ["quickstart", "copenhagen", "five-rulesets"];
        assert_eq!(order(&mut nets), successor_first);
    }

    #[test]
    fn a_name_is_looked_for_in_the_data_folder_that_the_command_line_names() {
        let data = tempfile::tempdir().expect("a folder");
        let net = data.path().join("nets/brandubh");
        std::fs::create_dir_all(&net).expect("made");
        std::fs::write(net.join("model.json"), "{}").expect("written");
        let given = data.path().display();
        for line in [format!("--data {given}"), format!("--data={given}")] {
            let words: Vec<OsString> = line.split(' ').map(Into::into).collect();
            DataFolder::look_for(&words);
            assert_eq!(checkpoint_named("brandubh").expect("a network"), net);
        }
    }

    #[test]
    fn a_ruleset_with_other_limits_is_told_the_network_that_learned_the_moves() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
        let hint = |ruleset| {
            let error = shipped(&data, &Rules::new(ruleset).expect("rules")).expect_err("unknown");
            error.downcast::<Hinted>().expect("a hint").hint
        };
        let brandubh = preset("brandubh").expect("a preset");
        let endless = hint(Ruleset {
            captureless_limit: None,
            ..brandubh.clone()
        });
        let words = "--checkpoint brandubh learned brandubh, which moves and captures alike";
        assert!(endless.starts_with(words), "{endless}");
        let frail = hint(Ruleset {
            king_armed: Switch::Off,
            ..brandubh
        });
        let words = "--checkpoint NET takes one of other rules";
        assert!(frail.starts_with(words), "{frail}");
    }

    #[test]
    fn all_networks_are_inside_but_two_that_show_how_others_were_made() {
        let nets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/nets");
        let mut names: Vec<&str> = include_str!("../../../data/nets/inside.list")
            .lines()
            .collect();
        names.extend(["copenhagen-reference", "quickstart"]);
        names.sort_unstable();
        let there = entries(&nets).expect("a folder").into_iter();
        let there = there.filter(|it| is_checkpoint(it)).filter_map(file_name);
        assert_eq!(there.collect::<Vec<_>>(), names);
    }

    #[test]
    fn the_networks_that_ship_play_the_rulesets_that_they_are_best_at() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
        for (ruleset, net) in [
            ("copenhagen", "five-rulesets"),
            ("fetlar", "five-rulesets"),
            ("berserk-2017", "berserk"),
            ("berserk-2024", "berserk"),
            ("brandubh", "brandubh"),
            ("tablut", "tablut"),
        ] {
            let rules = Rules::preset(ruleset).expect("a preset");
            let folder = shipped(&data, &rules).expect("a network");
            assert!(folder.ends_with(net), "{ruleset}: {}", folder.display());
        }
    }
}
