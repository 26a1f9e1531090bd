//! `tafl engine`: a network for other programs, over text protocols.

use crate::args::variant_of;
use crate::failure::with_hint;
use crate::nets::{checkpoint_named, learned_here, name_of, named_or_shipped, rules_for};
use crate::process::ExitCode;
use crate::search_args::SearchArgs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tafl_engine::{EngineSetup, Limits, Protocol, Searcher, serve};
use tafl_rules::Rules;
use tafl_training::{FoundRules, card, learned_rules, load_rules};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The engine reads lines from standard input until `quit` or the end of input. In a Berserk chain each
capture is a separate ply by the same side; `end` ends the chain. Plies are written a4a7 in UCI,
`play attacker a4 a7` in HTP.

UCI (as TaflZero 0.3): uci, isready, ucinewgame, setoption name Ruleset|Variant|MultiPV|Hash|Ponder
value V, position startpos|fen F [moves M ...], go [nodes N] [movetime MS] [depth D] [wtime MS]
[btime MS] [winc MS] [binc MS] [movestogo N] [mate N] [searchmoves M ...] [ponder] [infinite],
ponderhit, stop, board, result, quit. The clock of the attackers is btime, of the defenders wtime.
Without limits `go` uses those of the command line; a `go` during a search waits for its end, and
ends an endless one. A score of mate N counts plies. Of several lines the first begins with the move
to play; the others are by visits, certain losses last. FEN is TaflZero's, with c for commanders, n
for the knight, and the square of a pending chain as a sixth field.

HTP (as hnefatafl-copenhagen 6.4): list_commands lists all commands; `ruleset NAME` is an addition.")]
pub(crate) struct Args {
    /// Checkpoint, such as data/runs/quickstart/checkpoints/000010, or name of a network of data/nets; default: one that learned the ruleset.
    #[arg(long, value_name = "NET", value_parser = checkpoint_named)]
    checkpoint: Option<PathBuf>,
    /// Protocol.
    #[arg(long, value_parser = variant_of::<Protocol>(), default_value = "uci")]
    protocol: Protocol,
    /// Ruleset at the start: a name, or path to a ruleset file; default: the first that the checkpoint learned, or
    /// copenhagen.
    #[arg(long)]
    ruleset: Option<String>,
    /// Milliseconds per ply if the other program sets no limit; replaces --visits.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    movetime: Option<u64>,
    #[command(flatten)]
    search: SearchArgs,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let checkpoint = args.checkpoint.as_deref();
    let FoundRules { rules, .. } = rules_for(args.ruleset.as_deref(), checkpoint)?;
    let first = named_or_shipped(checkpoint, &args.search.data.path, &rules)?;
    let card = card(&first)?;
    let (name, offered) = match checkpoint {
        // With --ruleset it may play by other rules, though those that it learned were lost.
        Some(folder) => (
            format!("tafl {}", name_of(&card)),
            learned_rules(folder, &card).unwrap_or_default(),
        ),
        // Each ruleset has the network that learned it: a name of one would stand for others, too.
        None => ("tafl".to_owned(), learned_here(&args.search.data.path)?),
    };
    let (named, search) = (args.checkpoint.clone(), args.search.clone());
    let searcher = move |rules: &Arc<Rules>| {
        let folder = named_or_shipped(named.as_deref(), &search.data.path, rules)?;
        let (evaluator, search, _) = search.searcher(folder, rules)?;
        Ok(Searcher { evaluator, search })
    };
    let setup = EngineSetup {
        name,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        offered: offered.into_iter().map(|found| found.rules).collect(),
        rules,
        find_rules: Box::new(|name| {
            let found = load_rules(name, Path::new("."));
            found.map_err(|error| with_hint(&error))
        }),
        make_searcher: Box::new(move |rules| {
            searcher(rules).map_err(|error: anyhow::Error| with_hint(&error))
        }),
        limits: Limits {
            movetime: args.movetime.map(Duration::from_millis),
            ..Limits::default()
        },
        seed: args.search.seed,
    };
    let mut input = std::io::stdin().lock();
    serve(
        args.protocol,
        setup,
        &mut input,
        Box::new(std::io::stdout()),
    )
    .map_err(anyhow::Error::msg)?;
    Ok(ExitCode::SUCCESS)
}
