//! What the machine is asked.

mod common;

use tafl_network::{
    Compute, Device, Inference, LIBTORCH_VERSION, NetworkError, Precision, Trainer, doctor,
    libtorch_folder, open_cuda,
};

#[test]
fn the_doctor_times_both_number_formats_beside_what_is_decided() {
    let doctor = doctor(&common::network());
    assert_eq!(LIBTORCH_VERSION, "2.11.0");
    assert!(
        doctor
            .libtorch_folder
            .as_ref()
            .unwrap()
            .join("libtorch_cpu.so")
            .exists()
    );
    assert!(doctor.cores >= 1 && doctor.features.len() == 5);
    let [(Compute::F32, Ok(f32)), (Compute::Bf16, bf16)] = &doctor.timings else {
        panic!("{:?}", doctor.timings);
    };
    assert!(*f32 > 0.0);
    if doctor.precision == Compute::Bf16 {
        assert!(*bf16.as_ref().unwrap() > 0.0);
    }
}

#[test]
fn the_doctor_names_a_number_format_that_was_faster_than_the_decided_one() {
    let mut doctor = doctor(&common::network());
    let mut faster = |decided, f32, bf16| {
        doctor.precision = decided;
        doctor.timings = [(Compute::F32, f32), (Compute::Bf16, bf16)];
        doctor.faster()
    };
    let fails = || Err(NetworkError::Torch("no such instructions".to_owned()));
    assert_eq!(
        faster(Compute::F32, Ok(100.0), Ok(130.0)),
        Some(Compute::Bf16)
    );
    assert_eq!(faster(Compute::F32, Ok(100.0), Ok(120.0)), None);
    assert_eq!(faster(Compute::F32, Ok(130.0), Ok(100.0)), None);
    assert_eq!(faster(Compute::F32, Ok(100.0), fails()), None);
    assert_eq!(
        faster(Compute::Bf16, Ok(130.0), Ok(100.0)),
        Some(Compute::F32)
    );
    assert_eq!(
        faster(Compute::Bf16, Ok(100.0), fails()),
        Some(Compute::F32)
    );
}

#[test]
fn a_fixed_precision_is_kept_on_every_device() {
    for device in [Device::Cpu, Device::Cuda(0)] {
        for (precision, compute) in [
            (Precision::F32, Compute::F32),
            (Precision::Bf16, Compute::Bf16),
        ] {
            assert_eq!(precision.resolve(&common::network(), device), compute);
        }
    }
}

#[test]
fn devices_have_names() {
    for (text, device) in [
        ("cpu", Device::Cpu),
        ("cuda", Device::Cuda(0)),
        ("cuda:3", Device::Cuda(3)),
    ] {
        assert_eq!(text.parse(), Ok(device));
        assert_eq!(device.to_string().parse(), Ok(device));
    }
    for text in ["", "gpu", "cuda:", "cuda:x", "cpu:0"] {
        assert!(text.parse::<Device>().is_err(), "{text}");
    }
}

#[test]
fn a_gpu_that_is_not_there_is_an_error_and_the_cpu_goes_on() {
    let network = common::network();
    let loaded = open_cuda();
    let beyond = Device::Cuda(999);
    let refused = Inference::new(&network, beyond, Compute::F32)
        .unwrap_err()
        .to_string();
    assert!(refused.starts_with("device cuda:999: "), "{refused}");
    assert!(Trainer::new(&network, common::config(), beyond, Compute::F32).is_err());
    if let Err(error) = loaded {
        assert!(error.to_string().contains(".so"), "{error}");
    }
    assert!(Inference::new(&network, Device::Cpu, Compute::F32).is_ok());
    assert!(libtorch_folder().is_some());
}
