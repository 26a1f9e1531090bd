#![doc = include_str!("../README.md")]

mod adjudication;
mod analysis;
mod baseline;
mod cache;
mod config;
mod curriculum;
mod engine;
mod evaluators;
mod matches;
mod opening;
mod opening_file;
mod player;
mod policy_opening;
mod probe;
mod progress;
mod repertoire;
mod runner;
mod scored;
mod search_record;
mod seeds;
mod selfplay;
mod solo;
mod uneven;
mod workers;

pub use adjudication::Adjudication;
pub use analysis::{
    AnalysisSetting, Analyst, AnalyzedLine, AnalyzedPly, CertainResult, GameAnalysis,
    PositionAnalysis,
};
pub use config::{MatchConfig, OpeningConfig, RunnerConfig, SelfplayConfig};
pub use curriculum::Curriculum;
pub use engine::ForfeitReport;
pub use matches::{Match, MatchError, MatchPlan, play_match};
pub use opening::{distinct_openings, game_after, openings, random_game, repeated_openings};
pub use opening_file::{OpeningError, read_openings};
pub use player::{
    MakeChooser, MakeEvaluator, Method, MoveChooser, NoMove, Player, PlayerError, Searcher, Turn,
};
pub use policy_opening::{DrawnFrom, policy_openings};
pub use probe::{ProbedPosition, probe};
pub use progress::{Stream, Throughput, Watch};
pub use repertoire::Repertoire;
pub use search_record::search_record;
pub use selfplay::{SelfplayError, SelfplayPlan, Session, generate_games, stream_games};
pub use solo::SoloPlayer;
pub use uneven::{UnevenGames, UnevenSide};
pub use workers::{WorkerError, worker_count};
