mod given;

use burn::tensor::{Tensor, TensorData};

include!(concat!(env!("OUT_DIR"), "/networks.rs"));

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given = given::given()?;
    let planes = Tensor::<4>::from_data(TensorData::new(given.planes.clone(), given.shape), &Default::default());
    let name = given.folder.file_name().and_then(|it| it.to_str()).ok_or("a name")?;
    let (policy, wdl, moves_left) = run(name, planes);
    let numbers = |it: Tensor<2>| it.into_data().try_to_vec::<f32>().map_err(|it| format!("{it:?}"));
    given.give([numbers(policy)?, numbers(wdl)?, numbers(moves_left)?])
}
