//! The evaluators of a network's workers.

#[cfg(feature = "libtorch")]
use crate::inference::Shared;
use crate::times::TimedEvaluator;
use crate::{Compute, Device, Inference, InferenceTimes, Network, NetworkError};
#[cfg(feature = "libtorch")]
use std::sync::{Arc, Mutex, PoisonError, Weak};

impl TimedEvaluator for Inference {
    fn times(&self) -> InferenceTimes {
        self.times()
    }
}

/// Makes the evaluators of a network's workers. On the CPU each computes by itself; a GPU is shared: the positions of all
/// workers that wait make one batch, since a launch takes as long for thousands of rows as for a few.
pub struct Evaluators {
    network: Network,
    device: Device,
    compute: Compute,
    #[cfg(feature = "libtorch")]
    shared: Mutex<Weak<Shared>>,
}

impl Evaluators {
    /// Prepares to make evaluators on a device; nothing is computed yet.
    pub const fn new(network: Network, device: Device, compute: Compute) -> Self {
        Self {
            network,
            device,
            compute,
            #[cfg(feature = "libtorch")]
            shared: Mutex::new(Weak::new()),
        }
    }

    /// Makes one, on the thread of the worker that uses it.
    ///
    /// # Errors
    /// As [`Inference::new`].
    pub fn make(&self) -> Result<Box<dyn TimedEvaluator>, NetworkError> {
        #[cfg(feature = "libtorch")]
        if self.device != Device::Cpu {
            return Ok(Box::new(self.shared()?.evaluator()));
        }
        let own = Inference::new(&self.network, self.device, self.compute)?;
        Ok(Box::new(own))
    }

    /// Returns the device as the other workers have it, or makes it ready for the first of them.
    #[cfg(feature = "libtorch")]
    fn shared(&self) -> Result<Arc<Shared>, NetworkError> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = shared.upgrade() {
            return Ok(shared);
        }
        let (device, compute) = (self.device, self.compute);
        let started = Shared::start(&self.network, move |network| {
            Inference::new(network, device, compute)
        });
        let started = Arc::new(started?);
        *shared = Arc::downgrade(&started);
        Ok(started)
    }
}
