//! What the machine is asked.

mod common;

use tafl_network::{
    Compute, Device, Inference, Precision, Trainer, doctor, libtorch_folder, open_cuda,
};

#[test]
fn the_doctor_times_both_number_formats_and_takes_the_faster() {
    let doctor = doctor(&common::network());
    assert_eq!(doctor.libtorch_version, "2.11.0");
    assert!(
        doctor
            .libtorch_folder
            .unwrap()
            .join("libtorch_cpu.so")
            .exists()
    );
    assert!(doctor.cores >= 1 && doctor.features.len() == 5);
    let f32 = doctor.precision.f32.unwrap().unwrap();
    match doctor.precision.bf16.unwrap() {
        Ok(bf16) if bf16 > 1.25 * f32 => assert_eq!(doctor.precision.compute, Compute::Bf16),
        _ => assert_eq!(doctor.precision.compute, Compute::F32),
    }
}

#[test]
fn a_fixed_precision_is_not_timed() {
    let choice = Precision::Bf16.resolve(&common::network(), Device::Cpu);
    assert_eq!(
        (choice.compute, choice.f32, choice.bf16),
        (Compute::Bf16, None, None)
    );
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
