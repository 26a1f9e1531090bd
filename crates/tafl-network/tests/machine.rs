//! What the machine is asked.

use std::path::Path;
use tafl_network::{
    Compute, Device, Doctor, Inference, LIBTORCH_VERSION, NetworkError, Precision, Trainer, doctor,
    libtorch_folder, load_network, open_cuda,
};
use tafl_rules::Rules;

fn seen() -> Doctor {
    doctor(
        &crate::common::network(),
        &Rules::preset("brandubh").unwrap(),
    )
}

#[test]
fn the_doctor_times_and_compares_all_number_formats() {
    let doctor = seen();
    assert_eq!(LIBTORCH_VERSION, "2.11.0");
    assert!(
        doctor
            .libtorch_folder
            .as_ref()
            .unwrap()
            .join("libtorch_cpu.so")
            .exists()
    );
    assert!(doctor.cores >= 1 && doctor.features.len() == 7);
    let formats = doctor.timings.each_ref().map(|(compute, _)| *compute);
    assert_eq!(formats, [Compute::F32, Compute::Bf16, Compute::Int8]);
    for (compute, timing) in &doctor.timings {
        let works = *compute == Compute::F32 || *compute == doctor.precision;
        assert!(!works || *timing.as_ref().unwrap() > 0.0, "{compute}");
        let mut compared = doctor.agreements.iter();
        let compared = compared.find(|(other, _)| other == compute);
        let expected = timing.is_ok() && *compute != Compute::F32;
        assert_eq!(compared.is_some(), expected, "{compute}");
        if let Some((_, agreement)) = compared {
            assert!(agreement.positions == 500 && agreement.same_move > 0.5);
            assert!(agreement.divergence < 0.01 && agreement.value_error < 0.05);
        }
    }
}

#[test]
fn int8_agrees_with_f32_on_every_shipped_network() {
    for (name, ruleset) in [
        ("quickstart", "copenhagen"),
        ("copenhagen", "copenhagen"),
        ("five-rulesets", "berserk-2024"),
        ("brandubh", "brandubh"),
    ] {
        let folder = Path::new("../../data/nets").join(name);
        let (network, _) = load_network(&folder).unwrap();
        let doctor = doctor(&network, &Rules::preset(ruleset).unwrap());
        for (compute, found) in &doctor.agreements {
            assert!(found.divergence < 0.01, "{name} {compute}: {found:?}");
            assert!(found.same_move > 0.85, "{name} {compute}: {found:?}");
            assert!(found.value_error < 0.04, "{name} {compute}: {found:?}");
        }
        let mut formats = doctor.agreements.iter();
        assert!(formats.any(|(it, _)| *it == Compute::Int8), "{name}");
    }
}

#[test]
fn the_doctor_names_a_number_format_that_was_faster_than_the_decided_one() {
    let mut doctor = seen();
    let mut faster = |decided, f32, bf16, int8| {
        doctor.precision = decided;
        doctor.timings = [
            (Compute::F32, f32),
            (Compute::Bf16, bf16),
            (Compute::Int8, int8),
        ];
        doctor.faster()
    };
    let fails = || Err(NetworkError::Torch("no such instructions".to_owned()));
    let (f32, bf16, int8) = (Compute::F32, Compute::Bf16, Compute::Int8);
    assert_eq!(faster(f32, Ok(100.0), Ok(130.0), fails()), Some(bf16));
    assert_eq!(faster(f32, Ok(100.0), Ok(130.0), Ok(140.0)), Some(int8));
    assert_eq!(faster(f32, Ok(100.0), Ok(120.0), Ok(110.0)), None);
    assert_eq!(faster(f32, Ok(130.0), Ok(100.0), fails()), None);
    assert_eq!(faster(f32, Ok(100.0), fails(), fails()), None);
    assert_eq!(faster(bf16, Ok(130.0), Ok(100.0), Ok(90.0)), Some(f32));
    assert_eq!(faster(bf16, Ok(100.0), fails(), fails()), Some(f32));
    assert_eq!(faster(int8, Ok(100.0), fails(), Ok(300.0)), None);
}

#[test]
fn a_fixed_precision_is_kept_on_every_device() {
    for device in [Device::Cpu, Device::Cuda(0)] {
        for (precision, compute) in [
            (Precision::F32, Compute::F32),
            (Precision::Bf16, Compute::Bf16),
        ] {
            let network = crate::common::network();
            assert_eq!(precision.resolve(&network, device), compute);
            assert_eq!(precision.resolve_for_training(&network, device), compute);
        }
    }
    let (network, device) = (crate::common::network(), Device::Cpu);
    assert_eq!(Precision::Int8.resolve(&network, device), Compute::Int8);
    for precision in [Precision::Int8, Precision::Auto] {
        let training = precision.resolve_for_training(&network, device);
        assert_ne!(training, Compute::Int8, "integers have no gradients");
    }
}

#[test]
fn int8_is_refused_on_a_gpu() {
    let refused = Inference::new(&crate::common::network(), Device::Cuda(0), Compute::Int8);
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.starts_with("precision int8: only on CPUs"),
        "{refused}"
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
    let network = crate::common::network();
    let loaded = open_cuda();
    let beyond = Device::Cuda(999);
    let refused = Inference::new(&network, beyond, Compute::F32)
        .unwrap_err()
        .to_string();
    assert!(refused.starts_with("device cuda:999: "), "{refused}");
    assert!(Trainer::new(&network, crate::common::config(), beyond, Compute::F32).is_err());
    if let Err(error) = loaded {
        assert!(error.to_string().contains(".so"), "{error}");
    }
    assert!(Inference::new(&network, Device::Cpu, Compute::F32).is_ok());
    assert!(libtorch_folder().is_some());
}
