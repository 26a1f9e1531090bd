#![doc = include_str!("../README.md")]

mod agreement;
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
mod module_weights;
mod network;
mod optimizer;
mod play;
mod precision;
mod processor;
mod program;
mod protobuf;
mod quantized;
mod schedule;
mod tensorboard;
mod tower;
mod trainer;
mod trainer_config;
mod zigzag;

pub use agreement::Agreement;
pub use architecture::{Architecture, Auxiliary, NetworkConfig};
pub use assess::{Assessment, CALIBRATION_BINS, CalibrationBin, RoleAssessment, assess};
pub use card::{CHECKPOINT_FORMAT, GenerationCard, ModelCard, Origin, Provenance, RulesetCard};
pub use checkpoint::{
    CheckpointError, MOST_WEIGHTS_BYTES, drop_optimizer, load_card, load_network, load_trainer,
    save_checkpoint, save_network, verify_checkpoint,
};
pub use device::{Compute, Device, ParseDeviceError, libtorch_folder, open_cuda, tune_allocator};
pub use doctor::{Doctor, LIBTORCH_VERSION, doctor};
pub use error::NetworkError;
pub use export::{
    Differences, Export, ExportError, ExportFormat, Exported, StoredAs, StrengthCard, Verification,
    export, safetensors,
};
pub use inference::{Inference, InferenceTimes};
pub use losses::Losses;
pub use model::computes_numbers;
pub use module_weights::{load_module_weights, module_weights};
pub use network::{Network, WeightsError};
pub use precision::{Precision, computes_bf16};
pub use schedule::LearningRateConfig;
pub use tensorboard::EventWriter;
pub use trainer::Trainer;
pub use trainer_config::TrainerConfig;
pub use zigzag::{turn_offset, zigzag};
