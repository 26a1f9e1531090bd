//! `tafl web`: a page to play and analyze in a browser.

mod games;

use crate::args::DataFolder;
use crate::hint::hinted;
use crate::nets::{checkpoint_named, name_of, preferred, shipped};
use crate::output::{counted, shown, write_named};
use crate::process::ExitCode;
use anyhow::{Context, ensure};
use games::read_book;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_network::ModelCard;
use tafl_report::{SHARED_SCRIPTS, STYLE};
use tafl_rules::{Rules, known_names};
use tafl_store::{MOST_TEXT_BYTES, read_file};
use tafl_training::{PlayerSource, differing_rules, learned_rules, load_any, load_rules};
use tafl_web::{Book, Fields, NetCard, PlayPage};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The page is one file that works offline: open it, send it, or put it on any web space. Rules, search
and networks run in the browser. scripts/setup-web builds its engine; scripts/tafl does so first.")]
pub(crate) struct Args {
    /// Checkpoints to play against, such as data/runs/quickstart/checkpoints/000010; default: for each ruleset the
    /// network of data/nets that learned it.
    #[arg(value_name = "NET", value_parser = checkpoint_named)]
    nets: Vec<PathBuf>,
    /// Page to write.
    #[arg(long, value_name = "FILE", default_value = "play.html")]
    output: PathBuf,
    /// Games that the page shows move by move: folder of a run, Parquet file, or a text of games (csv, txt, pgn, otg) named
    /// after their ruleset; without those in which a side was weakened. Default: data/games/copenhagen.csv.
    #[arg(long, value_name = "PATH")]
    games: Vec<PathBuf>,
    /// Ruleset with which the page opens, also of the games of --games: its name, or path to a ruleset file; default: that
    /// of all games of --games, as they or their files name it.
    #[arg(long)]
    ruleset: Option<String>,
    #[command(flatten)]
    data: DataFolder,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let engine = engine()?;
    let folders = match &args.nets[..] {
        [] => shipped_nets(&args.data.path)?,
        given => given.to_vec(),
    };
    let folders = preferred(&folders)?;
    let (mut nets, mut learned) = (Vec::new(), Vec::new());
    for folder in &folders {
        let (card, weights, rules) = net(folder)?;
        nets.push((card, weights));
        learned.extend(rules);
    }
    let given = args.ruleset.as_deref();
    // The rulesets of networks, and then those that the page has only for its games.
    let (mut known, mut rulesets) = (learned, Vec::new());
    let mut first = None;
    if let Some(name) = given {
        let rules = load_rules(name, Path::new("."))?;
        rulesets.extend(of_games_only(&rules, &mut known).with_context(|| name.to_owned())?);
        first = Some(rules.ruleset().name.clone());
    }
    // The usual games have their own.
    let given = given.filter(|_| !args.games.is_empty());
    let mut games = args.games.clone();
    let people = folders.first().and_then(|net| net.parent()?.parent());
    let people = people.map(|data| data.join("games/copenhagen.csv"));
    games.extend(people.filter(|path| args.games.is_empty() && path.is_file()));
    let mut book = Book::default();
    let mut names = BTreeSet::new();
    for path in &games {
        let (more, count, played) = read_book(book, path, &known, given)?;
        book = more;
        for rules in &played {
            let fields = of_games_only(rules, &mut known);
            rulesets.extend(fields.with_context(|| shown(path))?);
            names.insert(rules.ruleset().name.clone());
        }
        println!(
            "{} of {}",
            counted(count.into(), ["game", "games"]),
            shown(path)
        );
    }
    if names.len() == 1 && !args.games.is_empty() {
        first = first.or(names.pop_first());
    }
    let page = PlayPage {
        style: STYLE,
        scripts: &SHARED_SCRIPTS,
        engine: &engine,
        nets: &nets,
        rulesets: &rulesets,
        first: first.as_deref(),
        book: &book,
    };
    let html = page.html();
    write_named(&args.output, html.as_bytes())?;
    let names: Vec<&str> = nets.iter().map(|(card, _)| &*card.name).collect();
    println!("networks: {}", names.join(", "));
    println!("{}, {:.1} MB", shown(&args.output), html.len() as f64 / 1e6);
    Ok(ExitCode::SUCCESS)
}

/// Returns the fields of a ruleset that the page has only because games were played by it, which is known from then on.
fn of_games_only(
    rules: &Arc<Rules>,
    known: &mut Vec<Arc<Rules>>,
) -> anyhow::Result<Option<Fields>> {
    let ruleset = rules.ruleset();
    let preset = Rules::preset(&ruleset.name);
    let mut of_page = known.iter().chain(&preset);
    if let Some(other) = of_page.find(|it| it.ruleset().name == ruleset.name) {
        let (name, fields) = (&ruleset.name, differing_rules(ruleset, other.ruleset()));
        if other.ruleset().fingerprint() == ruleset.fingerprint() {
            return Ok(None);
        }
        let fields = fields.join(", ");
        return Err(hinted(
            format!("the page has other rules under the name {name}: {fields}"),
            "give the rules of the games another name, or read the games under rules that the page has: --ruleset NAME",
        ));
    }
    known.push(Arc::clone(rules));
    Ok(Some(ruleset.to_fields()))
}

/// Returns the engine, which lies beside the program.
fn engine() -> anyhow::Result<Vec<u8>> {
    let path = std::env::current_exe().context("where the program is")?;
    let path = path.with_file_name("tafl_web.wasm");
    read_file(&path, MOST_TEXT_BYTES).map_err(|error| {
        hinted(
            error.to_string(),
            "./scripts/setup-web builds the engine of the page; ./scripts/tafl web does so first",
        )
    })
}

/// Returns the networks that know the rulesets that come with the program, each once.
fn shipped_nets(data: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for name in known_names() {
        let rules = Rules::preset(name).context("a preset")?;
        // A ruleset without a network is played by random games.
        if let Ok(folder) = shipped(data, &rules)
            && !folders.contains(&folder)
        {
            folders.push(folder);
        }
    }
    ensure!(!folders.is_empty(), "no networks in data/nets");
    Ok(folders)
}

/// Returns the name of a network of `data/nets`, or run and generation of another.
fn name_in_page(folder: &Path, card: &ModelCard) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    match name.bytes().all(|byte| byte.is_ascii_digit()) {
        true => name_of(card),
        false => name.into_owned(),
    }
}

/// Returns a network as the page has it, and the rulesets that it learned.
fn net(folder: &Path) -> anyhow::Result<(NetCard, Vec<u8>, Vec<Arc<Rules>>)> {
    let (network, card) = load_any(folder)?;
    let rules = learned_rules(folder, &card)?.into_iter();
    let rules: Vec<Arc<Rules>> = rules.map(|it| it.rules).collect();
    let config = PlayerSource::checkpoint(folder.to_owned()).own_config()?;
    let card = NetCard {
        name: name_in_page(folder, &card),
        rulesets: rules
            .iter()
            .map(|rules| rules.ruleset().to_fields())
            .collect(),
        search: config.search,
    };
    let bytes = tafl_network::safetensors(&network);
    let bytes = bytes.with_context(|| format!("writing {}", folder.display()))?;
    Ok((card, bytes, rules))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_rules::{Ruleset, preset};

    #[test]
    fn the_page_has_a_ruleset_of_games_once_and_no_other_of_its_name() {
        let own = |captureless_limit| Ruleset {
            name: "mine".to_owned(),
            captureless_limit: std::num::NonZeroU32::new(captureless_limit),
            ..preset("brandubh").expect("a preset")
        };
        let mut known = Vec::new();
        let mut added = |ruleset: Ruleset| {
            let rules = Rules::new(ruleset).expect("sound");
            let fields = of_games_only(&rules, &mut known);
            fields.map(|it| it.map(|it| it["name"].clone()))
        };
        assert_eq!(added(own(40)).expect("new"), Some("mine".into()));
        assert_eq!(added(own(40)).expect("the same"), None);
        let shipped = preset("skalk").expect("a preset");
        assert_eq!(added(shipped).expect("in every page"), None);
        let error = added(own(41)).expect_err("others").to_string();
        let expected = "the page has other rules under the name mine: `captureless_limit`";
        assert!(error.starts_with(expected), "{error}");
    }
}
