//! Makes code of each network: burn has no ONNX at run time.

use std::{env, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut modules, mut arms) = (String::new(), String::new());
    for entry in fs::read_dir(env::var("EXPORTS")?)? {
        let folder = entry?.path();
        let name = folder.file_name().and_then(|it| it.to_str()).ok_or("a name")?.to_owned();
        let network = folder.join("network.onnx");
        let network = network.to_str().ok_or("a path")?;
        burn_onnx::ModelGen::new().input(network).out_dir(&name).run_from_script();
        let module = name.replace('-', "_");
        modules += &format!("mod {module} {{ include!(concat!(env!(\"OUT_DIR\"), \"/{name}/network.rs\")); }}\n");
        arms += &format!("{name:?} => {module}::Model::default().forward(planes),\n");
    }
    let run = "fn run(name: &str, planes: Tensor<4>) -> (Tensor<2>, Tensor<2>, Tensor<2>)";
    let text = format!("{modules}{run} {{ match name {{ {arms}_ => panic!(\"no network {{name}}\") }} }}\n");
    Ok(fs::write(PathBuf::from(env::var("OUT_DIR")?).join("networks.rs"), text)?)
}
