//! How libtorch is set up: devices, number formats, threads.

use crate::{Compute, Device, NetworkError};
use std::ffi::CString;
use std::path::{Path, PathBuf};

pub use crate::inference::Inference;
pub(crate) use crate::model::outputs;
pub use crate::trainer::Trainer;

impl Compute {
    /// Returns the format of numbers that are not integers.
    pub(crate) const fn kind(self) -> tch::Kind {
        match self {
            Self::F32 | Self::Int8 => tch::Kind::Float,
            Self::Bf16 => tch::Kind::BFloat16,
        }
    }
}

impl Device {
    pub(crate) const fn torch(self) -> tch::Device {
        match self {
            Self::Cpu => tch::Device::Cpu,
            Self::Cuda(number) => tch::Device::Cuda(number),
        }
    }

    /// Checks that the device can be used; asks libtorch about GPUs only if it is one.
    ///
    /// # Errors
    /// If the GPU is missing, or [`open_cuda`] was not called first.
    pub fn check(self) -> Result<(), NetworkError> {
        let Self::Cuda(number) = self else {
            return Ok(());
        };
        let reason = if !tch::utils::has_cudart() {
            "libtorch's CUDA libraries are not loaded (run scripts/setup-libtorch --cuda)"
                .to_owned()
        } else if !tch::Cuda::is_available() {
            "no NVIDIA driver or no GPU".to_owned()
        } else if number as i64 >= tch::Cuda::device_count() {
            format!("there are only {} GPUs", tch::Cuda::device_count())
        } else {
            return Ok(());
        };
        Err(NetworkError::Device(self.to_string(), reason))
    }
}

/// Makes the calling thread compute on one core; every thread calls this before its first tensor.
///
/// libtorch's own threads wait actively for each other, which is many times slower than one thread
/// as soon as anything else runs.
pub(crate) fn use_one_core() {
    // The question comes first because it runs libtorch's lazy set-up, which would undo the answer.
    let _ = tch::get_num_threads();
    tch::set_num_threads(1);
}

/// Loads libtorch's CUDA part, for the life of the process.
///
/// To be called before anything asks libtorch about CUDA, since the first question fixes the answer;
/// this program asks only in [`Device::check`] of a GPU and in [`crate::doctor()`]. Looks beside the libtorch
/// in use, in `cuda/` of its folder, and where the system's loader looks.
///
/// # Errors
/// If the library cannot be loaded; the process continues on the CPU.
#[expect(
    unsafe_code,
    reason = "the library is loaded by name at run time, so that one program serves CPU and GPU"
)]
pub fn open_cuda() -> Result<(), NetworkError> {
    let name = "libtorch_cuda.so";
    let beside =
        libtorch_folder().map(|lib| ["", "../cuda/torch/lib"].map(|it| lib.join(it).join(name)));
    let beside = beside.into_iter().flatten().filter(|path| path.exists());
    let mut reason = String::new();
    for path in beside.chain([PathBuf::from(name)]) {
        let Ok(path) = CString::new(path.as_os_str().as_encoded_bytes()) else {
            continue;
        };
        // SAFETY: loading libtorch_cuda runs its initializers, which register its operations; the
        // path is a C string, and the error text is copied before anything else calls dlerror.
        unsafe {
            if !libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL).is_null() {
                return Ok(());
            }
            let error = libc::dlerror();
            if !error.is_null() {
                reason = std::ffi::CStr::from_ptr(error)
                    .to_string_lossy()
                    .into_owned();
            }
        }
    }
    Err(NetworkError::Device("cuda".to_owned(), reason))
}

/// Returns how many GPUs there are; asked after [`open_cuda`].
pub(crate) fn gpus() -> usize {
    usize::try_from(tch::Cuda::device_count()).unwrap_or_default()
}

/// Returns the major compute capability of a GPU; `None` if there is none, or CUDA is not loaded.
#[expect(
    unsafe_code,
    reason = "tch does not tell; CUDA's runtime comes with libtorch, and is asked as open_cuda loads it"
)]
pub(crate) fn capability(gpu: usize) -> Option<libc::c_int> {
    /// `cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr, int device)`, 0 if it succeeds.
    type GetAttribute =
        unsafe extern "C" fn(*mut libc::c_int, libc::c_int, libc::c_int) -> libc::c_int;
    /// `cudaDevAttrComputeCapabilityMajor` of CUDA's `driver_types.h`.
    const COMPUTE_CAPABILITY_MAJOR: libc::c_int = 75;
    let gpu = libc::c_int::try_from(gpu).ok()?;
    let mut major = 0;
    // SAFETY: the name is a C string; what is found under it is CUDA's function of this signature,
    // which has been the same since CUDA 5; it writes one int, to one that outlives the call.
    let status = unsafe {
        let found = libc::dlsym(libc::RTLD_DEFAULT, c"cudaDeviceGetAttribute".as_ptr());
        if found.is_null() {
            return None;
        }
        let ask = std::mem::transmute::<*mut libc::c_void, GetAttribute>(found);
        ask(&raw mut major, COMPUTE_CAPABILITY_MAJOR, gpu)
    };
    (status == 0).then_some(major)
}

/// Returns the folder from which libtorch was loaded.
pub fn libtorch_folder() -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let line = maps
        .lines()
        .find(|line| line.ends_with("/libtorch_cpu.so"))?;
    let path = &line[line.find('/')?..];
    Path::new(path).parent().map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::capability;
    use crate::Device;

    #[test]
    fn a_gpu_that_is_not_there_has_no_capability() {
        for gpu in [999, usize::MAX] {
            assert_eq!(capability(gpu), None);
        }
        if Device::Cuda(0).check().is_err() {
            assert_eq!(capability(0), None);
        }
    }
}
