//! Tells the linker where libtorch lies, so that programs and tests find it without LD_LIBRARY_PATH.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if let Ok(folder) = std::env::var("DEP_TAFL_NETWORK_LIBTORCH_LIB") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
