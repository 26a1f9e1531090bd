//! Checks the version of libtorch and lets programs find it where it was at build time.

use std::path::Path;

const WANTED: &str = "2.11.0";

fn main() {
    println!("cargo::rustc-env=TAFL_LIBTORCH_VERSION={WANTED}");
    if std::env::var_os("CARGO_FEATURE_LIBTORCH").is_none() {
        return;
    }
    println!("cargo::rerun-if-env-changed=LIBTORCH");
    println!("cargo::rerun-if-env-changed=DEP_TCH_LIBTORCH_LIB");
    let lib = std::env::var("DEP_TCH_LIBTORCH_LIB").unwrap_or_default();
    let root = Path::new(&lib)
        .parent()
        .unwrap_or(Path::new(""))
        .to_path_buf();
    println!(
        "cargo::rerun-if-changed={}",
        root.join("build-version").display()
    );
    match version(&root) {
        Some(found) if found == WANTED => {}
        found => {
            let found = found.unwrap_or_else(|| "an unknown version".to_owned());
            println!(
                "cargo::error=libtorch in {} is {found}, but {WANTED} is needed; \
                 set LIBTORCH to libtorch {WANTED}, or unset it and run scripts/setup-libtorch",
                root.display()
            );
        }
    }
    println!("cargo::rustc-link-arg=-Wl,-rpath,{lib}");
    println!("cargo::metadata=LIBTORCH_LIB={lib}");
}

/// Returns what a libtorch folder says of its version, without a `+cu130` behind it.
fn version(root: &Path) -> Option<String> {
    let read = |file: &str| std::fs::read_to_string(root.join(file)).ok();
    let quoted = |text: String, start: &str, quote: char| -> Option<String> {
        let (_, rest) = text.split_once(start)?;
        rest.split(quote).nth(1).map(str::to_owned)
    };
    let found = read("build-version")
        .or_else(|| quoted(read("version.py")?, "__version__ =", '\''))
        .or_else(|| {
            quoted(
                read("include/torch/headeronly/version.h")?,
                "#define TORCH_VERSION \\",
                '"',
            )
        })?;
    Some(found.trim().split('+').next()?.to_owned())
}
