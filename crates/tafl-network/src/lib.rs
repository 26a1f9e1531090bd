#![doc = include_str!("../README.md")]

mod architecture;
mod assess;
mod card;
mod checkpoint;
mod device;
mod doctor;
mod error;
mod export;
mod inference;
mod loss;
mod losses;
mod model;
mod network;
mod optimizer;
mod precision;
mod processor;
mod program;
mod schedule;
mod tensorboard;
mod tower;
mod trainer;
mod trainer_config;
mod value_head;

pub use architecture::{Architecture, Auxiliary, NetworkConfig, Parameter, Role};
pub use assess::{
    AssessError, Assessment, CALIBRATION_BINS, CalibrationBin, RoleAssessment, assess,
};
pub use card::{
    ACCEPTED_CHECKPOINT_FORMATS, ACTION_ENCODING, CHECKPOINT_FORMAT, GenerationCard, ModelCard,
    Origin, Provenance, RulesetCard,
};
pub use checkpoint::{
    CheckpointError, drop_optimizer, load_card, load_network, load_trainer, save_checkpoint,
};
pub use device::{
    Device, ParseDeviceError, libtorch_folder, open_cuda, tune_allocator, use_one_core,
};
pub use doctor::{Doctor, LIBTORCH_VERSION, doctor};
pub use error::NetworkError;
pub use export::{
    EXPORT_FORMAT, Export, ExportCard, ExportError, ExportFormat, Exported, StoredAs, StrengthCard,
    export,
};
pub use inference::{Inference, InferenceTimes};
pub use losses::Losses;
pub use network::{Network, WeightsError};
pub use precision::{Compute, Precision};
pub use schedule::LearningRateConfig;
pub use tensorboard::EventWriter;
pub use trainer::Trainer;
pub use trainer_config::TrainerConfig;
