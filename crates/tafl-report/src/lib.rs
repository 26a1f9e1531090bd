#![doc = include_str!("../README.md")]

mod board;
mod compare;
mod curves;
mod error;
mod games;
mod outcomes;
mod page;
mod pick;
mod picture;
mod run;
mod shards;
mod study;
mod survey;
mod tournament;

pub use board::{Board, HeatMap};
pub use compare::{ComparedField, ComparedRun, ComparedTournament, Comparison, compared_run};
pub use curves::{CalibrationBin, Curve, CurvePoint, Learning};
pub use error::ReportError;
pub use games::{SearchedPly, ViewedGame};
pub use outcomes::{Balance, Ending, Lengths, Results};
pub use page::{Page, SHARED_SCRIPTS, STYLE, html, run_summary};
pub use picture::of_study as study_pictures;
pub use run::{RunInfo, RunReport, RunWorker, report_run};
pub use study::{StudyReport, read_study, report_study};
pub use tournament::{TournamentReport, report_tournament};
