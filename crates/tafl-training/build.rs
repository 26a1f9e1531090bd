//! Tells the linker where libtorch lies, and the program which commit it is and which networks it has; also for the crates that name this file.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=DEP_TAFL_NETWORK_LIBTORCH_LIB");
    if let Ok(folder) = std::env::var("DEP_TAFL_NETWORK_LIBTORCH_LIB") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    }
    if std::env::var("CARGO_PKG_NAME").as_deref() == Ok("tafl-cli") {
        // `tafl` calls nothing of libtorch. Unless the inline functions in its headers are hidden, the linker keeps them, and
        // libtorch for them, as a library might call them.
        println!("cargo::rustc-link-arg-bin=tafl=-Wl,--exclude-libs,ALL");
        write_nets();
    }
    // Git appends to this file with every commit; a copy without git has no commit.
    let log = Path::new("../../.git/logs/HEAD");
    if log.exists() {
        println!("cargo::rerun-if-changed={}", log.display());
    }
    let commit = Command::new("git").args(["rev-parse", "HEAD"]).output();
    if let Some(commit) = commit.ok().filter(|output| output.status.success()) {
        let commit = String::from_utf8_lossy(&commit.stdout);
        println!("cargo::rustc-env=TAFL_GIT_COMMIT={}", commit.trim());
    }
}

/// Writes what the program has inside as Rust: the networks of the list, with their files.
fn write_nets() {
    let variable = |name: &str| std::env::var(name).expect("set by Cargo");
    let nets = Path::new(&variable("CARGO_MANIFEST_DIR")).join("../../data/nets");
    let list = nets.join("inside.list");
    println!("cargo::rerun-if-changed={}", list.display());
    let names = std::fs::read_to_string(list).expect("the list is readable");
    let net = |net: &str| {
        let files = ["model.json", "run.toml", "weights.safetensors"].map(|name| {
            let path = nets.join(net).join(name);
            format!("({name:?}, include_bytes!({path:?}).as_slice())")
        });
        format!("({net:?}, [{}]),", files.join(", "))
    };
    let all: String = names.lines().map(net).collect();
    let written = Path::new(&variable("OUT_DIR")).join("nets.rs");
    std::fs::write(written, format!("[{all}]")).expect("Cargo's folder is writable");
}
