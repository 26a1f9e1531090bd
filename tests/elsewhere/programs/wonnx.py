import given
import wonnx

session = wonnx.Session.from_path(given.network)


def run(planes):
    found = session.run({"planes": planes.ravel().tolist()})
    return [[found[name]] for name in given.NAMES]


given.batches(run, 1)
