#![doc = include_str!("../README.md")]

mod batch;
mod facts;
mod planes;
mod player;
mod record;
mod replay;
mod sample;
mod target;

pub use batch::{Batch, BatchError, MoveLists, PolicyTargets};
pub use facts::{Facts, FactsError};
pub use planes::{
    ENCODING_VERSION, ENCODINGS, FRACTION_PLANES, MARKED_PLANES, PLANE_DOCS, PLANES, Plane,
    PlaneDoc, SIDE_PLANE, encode, encode_packed, plane_names, plane_sets,
};
pub use player::{Baseline, Family, PlayerId, Strength, StrengthUnit, UnknownBaseline};
pub use record::{
    Ending, EndingReason, Forfeit, GameKind, GameRecord, Handicap, PlyRecord, ProvenResult,
    RecordError, SearchRecord, is_distribution, weakness,
};
pub use replay::Replay;
pub use sample::{Replayed, Sample, replayed, samples_of};
pub use target::TargetConfig;

pub use tafl_rules::derive_seed;
