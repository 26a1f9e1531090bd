import given
import tract

model = tract.onnx().load(given.network).into_model()
prepared = tract.runtime_for_name("default").prepare(model)
given.batches(lambda planes: [it.to_numpy() for it in prepared.run([planes])])
