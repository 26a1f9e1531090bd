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
use tafl_rules::{Rules, Ruleset, known_names, preset_named};
use tafl_store::{MOST_TEXT_BYTES, read_file};
use tafl_training::{
    PlayerSource, differing_rules, fingerprint, learned_rules, load_any, load_rules,
};
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
    /// Games that the page shows move by move: folder of a run or tournament, Parquet file, or a text of games named after
    /// their ruleset; without those in which a side was weakened. Default: data/games/copenhagen.csv.
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
    let (mut nets, mut rulesets) = (Vec::new(), RulesOfPage::default());
    for folder in &folders {
        let (card, weights, rules) = net(folder)?;
        nets.push((card, weights));
        rulesets.known.extend(rules);
    }
    let given = args.ruleset.as_deref();
    let mut first = None;
    if let Some(name) = given {
        let rules = rulesets.enter(&load_rules(name, Path::new("."))?)?;
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
        let (more, count, played) = read_book(book, path, &mut rulesets, given)?;
        book = more;
        names.extend(played);
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
        rulesets: &rulesets.others,
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

/// The rulesets of the page, besides presets.
#[derive(Debug, Default)]
struct RulesOfPage {
    /// Those that networks learned, and then those that others need.
    known: Vec<Arc<Rules>>,
    /// The fields of those that no network learned.
    others: Vec<Fields>,
}

impl RulesOfPage {
    /// Returns the ruleset with a name.
    fn called(&self, name: &str) -> Option<Arc<Rules>> {
        let own = self.known.iter().find(|it| it.ruleset().name == name);
        own.cloned().or_else(|| Rules::preset(name))
    }

    /// Returns the ruleset that a text means by a name.
    fn meant(&self, name: &str) -> Option<Arc<Rules>> {
        let preset = || preset_named(name).and_then(Rules::preset);
        self.called(name).or_else(preset)
    }

    /// Returns rules as the page has them from then on: where it has others of their name, their fingerprint stands behind it,
    /// which is told.
    fn enter(&mut self, rules: &Arc<Rules>) -> anyhow::Result<Arc<Rules>> {
        let ruleset = rules.ruleset();
        if let Some(same) = self.known.iter().find(|it| it.ruleset() == ruleset) {
            return Ok(Arc::clone(same));
        }
        let rules = match self.called(&ruleset.name) {
            None => Arc::clone(rules),
            Some(shipped) if shipped.ruleset() == ruleset => return Ok(shipped),
            Some(other) => {
                let name = format!("{:.47}-{}", ruleset.name, fingerprint(rules));
                if let Some(same) = self.called(&name) {
                    return Ok(same);
                }
                let fields = differing_rules(ruleset, other.ruleset()).join(", ");
                eprintln!(
                    "Note: the page has other rules under the name {}: {fields}; these are called {name} there.",
                    ruleset.name
                );
                Rules::new(Ruleset {
                    name,
                    ..ruleset.clone()
                })?
            }
        };
        self.others.push(rules.ruleset().to_fields());
        self.known.push(Arc::clone(&rules));
        Ok(rules)
    }
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
    use tafl_rules::preset;

    #[test]
    fn the_page_has_a_ruleset_of_games_once_and_others_of_its_name_under_another() {
        let own = |captureless_limit| Ruleset {
            name: "mine".to_owned(),
            captureless_limit: std::num::NonZeroU32::new(captureless_limit),
            ..preset("brandubh").expect("a preset")
        };
        let mut page = RulesOfPage::default();
        let mut entered = |ruleset: Ruleset| {
            let rules = Rules::new(ruleset).expect("sound");
            let entered = page.enter(&rules).expect("sound");
            (entered.ruleset().name.clone(), page.others.len())
        };
        assert_eq!(entered(own(40)), ("mine".to_owned(), 1));
        assert_eq!(entered(own(40)), ("mine".to_owned(), 1));
        let shipped = preset("skalk").expect("a preset");
        assert_eq!(entered(shipped), ("skalk".to_owned(), 1));
        let other = format!("mine-{:016x}", own(41).fingerprint());
        assert_eq!(entered(own(41)), (other.clone(), 2));
        assert_eq!(entered(own(41)), (other, 2));
    }
}
