import measures
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

events = EventAccumulator(str(measures.folder), size_guidance={"scalars": 0})
events.Reload()
measures.tell([(tag, it.step, it.value) for tag in events.Tags()["scalars"] for it in events.Scalars(tag)])
