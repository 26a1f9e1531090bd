//! Errors about which a user can do something; the advice is the caller's.

use std::path::PathBuf;

/// Why a study, a sweep or a tournament cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum StudiesError {
    /// The numbers of a study need the values of its searches.
    #[error("{}: the searches of its games were removed, so it cannot go on", .0.display())]
    Pruned(PathBuf),
    /// The results of a study leave out games, of which the searches are to be removed.
    #[error("{}: its results count {counted} of {stored} games; without their searches the others never could be", folder.display())]
    NotCounted {
        /// The study.
        folder: PathBuf,
        /// Games in its results.
        counted: u64,
        /// Games in its files.
        stored: u64,
    },
    /// The results of a study would be replaced by those of fewer rulesets.
    #[error("{}: the study has results of {}, which are not among its rulesets now", summary.display(), rulesets.join(", "))]
    LeavesOut {
        /// The file of its results.
        summary: PathBuf,
        /// The rulesets.
        rulesets: Vec<String>,
        /// The name of one of them, and what the same rules are called now, if they are among those of the study.
        renamed: Option<[String; 2]>,
    },
    /// Two players cannot be told apart.
    #[error("{given}: two players are named {name:?}")]
    SameName {
        /// The second one, as the user gave it.
        given: String,
        /// Their name.
        name: String,
    },
    /// The folder of a sweep holds a variant of that name from another config.
    #[error("{}: {variant} was another variant", path.display())]
    OtherVariant {
        /// The file that names the variants.
        path: PathBuf,
        /// The variant.
        variant: String,
    },
    /// A run of a sweep was trained by other values than those of its variant: these fields, each with its values.
    #[error("{}: not what variant {variant} is: {}", run.display(), fields.join(", "))]
    OtherRun {
        /// The run.
        run: PathBuf,
        /// Its variant.
        variant: String,
        /// The fields.
        fields: Vec<String>,
    },
    /// Runs of a sweep did not come to their end; the others were measured.
    #[error("{} of {runs} runs failed: {}", failed.len(), failed.join(", "))]
    FailedRuns {
        /// Their names.
        failed: Vec<String>,
        /// The runs of the sweep.
        runs: usize,
    },
    /// A field that differs from run to run of a sweep is to vary.
    #[error("a sweep gives each run its own {0}")]
    OwnField(String),
    /// A field of the matches by which a sweep compares its runs is to vary.
    #[error("{0}: the matches of a sweep are alike")]
    OfMatches(String),
    /// A variant has no opening to begin with.
    #[error(
        "{variant}: none of the base's {count} openings can be played there; fewer `openings.plies` may help"
    )]
    NoOpening {
        /// The name of the ruleset.
        variant: String,
        /// Openings of the base.
        count: u32,
    },
    /// The fields of a sweep do not make variants.
    #[error("{field}: {reason}")]
    Variants {
        /// What is wrong: `fields`, `variants` or `seeds`.
        field: &'static str,
        /// Why.
        reason: String,
    },
}
