mod given;

use rten::{Model, Value};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given = given::given()?;
    let model = Model::load_file(given.folder.join("network.onnx"))?;
    let planes = NdTensor::from_data(given.shape, given.planes.clone());
    let names = ["policy", "wdl", "moves_left"];
    let nodes = names.map(|name| model.node_id(name));
    let [policy, wdl, moves_left] = nodes;
    let found = model.run(vec![(model.node_id("planes")?, planes.into())], &[policy?, wdl?, moves_left?], None)?;
    let mut found = found.into_iter().map(|it: Value| -> Result<Vec<f32>, Box<dyn std::error::Error>> {
        let numbers: NdTensor<f32, 2> = it.try_into()?;
        Ok(numbers.to_vec())
    });
    let mut next = || found.next().ok_or("an output")?;
    given.give([next()?, next()?, next()?])
}
