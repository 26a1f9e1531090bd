mod given;

use candle_core::{Device, Tensor};
use std::collections::HashMap;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given = given::given()?;
    let model = candle_onnx::read_file(given.folder.join("network.onnx"))?;
    let planes = Tensor::from_vec(given.planes.clone(), &given.shape, &Device::Cpu)?;
    let found = candle_onnx::simple_eval(&model, HashMap::from([("planes".to_owned(), planes)]))?;
    let output = |name: &str| found[name].flatten_all()?.to_vec1::<f32>();
    given.give([output("policy")?, output("wdl")?, output("moves_left")?])
}
