#![doc = include_str!("../README.md")]

mod agreement;
mod architecture;
mod archive;
mod assess;
mod card;
mod checkpoint;
mod device;
mod doctor;
mod error;
mod evaluators;
mod export;
mod in_rust;
#[cfg(feature = "libtorch")]
mod inference;
#[cfg(feature = "libtorch")]
mod libtorch;
#[cfg(feature = "libtorch")]
mod loss;
mod losses;
#[cfg(feature = "libtorch")]
mod model;
mod module_weights;
#[cfg(not(feature = "libtorch"))]
mod native;
mod network;
#[cfg(feature = "libtorch")]
mod optimizer;
#[cfg(feature = "libtorch")]
mod play;
mod precision;
mod processor;
#[cfg(feature = "libtorch")]
mod program;
mod protobuf;
#[cfg(feature = "libtorch")]
mod quantized;
mod schedule;
mod tensorboard;
mod times;
#[cfg(feature = "libtorch")]
mod tower;
#[cfg(feature = "libtorch")]
mod trainer;
mod trainer_config;
mod zigzag;
/// What computes: both have the same functions.
#[cfg(feature = "libtorch")]
use libtorch as backend;
#[cfg(not(feature = "libtorch"))]
use native as backend;

pub use agreement::Agreement;
pub use architecture::{Architecture, Auxiliary, NetworkConfig, WeightsError};
pub use assess::{Assessment, CalibrationBin, RoleAssessment, assess};
pub use backend::{Inference, Trainer, libtorch_folder, open_cuda};
pub use card::{CHECKPOINT_FORMAT, GenerationCard, ModelCard, Origin, Provenance, RulesetCard};
pub use checkpoint::{
    CheckpointError, MOST_WEIGHTS_BYTES, drop_optimizer, keeps_optimizer, load_card, load_network,
    load_trainer, save_checkpoint, save_network, verify_checkpoint,
};
pub use device::{Compute, Device, ParseDeviceError, tune_allocator};
pub use doctor::{Doctor, LIBTORCH_VERSION, doctor};
pub use error::NetworkError;
pub use evaluators::Evaluators;
pub use export::{
    Differences, Export, ExportError, ExportFormat, Exported, StoredAs, StrengthCard, Verification,
    export, safetensors,
};
pub use in_rust::{in_rust, with_ranges_under};
pub use losses::Losses;
pub use module_weights::load_module_weights;
pub use network::{Network, computes_numbers};
pub use precision::{Precision, computes_bf16};
pub use schedule::LearningRateConfig;
pub use tensorboard::EventWriter;
pub use times::{InferenceTimes, TimedEvaluator};
pub use trainer_config::TrainerConfig;
pub use zigzag::{turn_offset, zigzag};
