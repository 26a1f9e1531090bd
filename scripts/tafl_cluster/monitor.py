"""What goes on, for TensorBoard and Prometheus."""

import time
from pathlib import Path

from ray.util.metrics import Gauge
from tensorboardX import SummaryWriter

from .messages import TrainerState

EVERY_S = 10.0


def numbers(state: TrainerState) -> dict[str, float]:
    """Returns what is worth a curve."""
    alive = [worker for worker in state.workers if worker.state in ("playing", "resting")]
    played = [worker.checkpoint for worker in alive if worker.checkpoint is not None]
    lags = [state.checkpoint - checkpoint for checkpoint in played]
    return {
        "workers": len(alive),
        "positions_per_s": sum(worker.positions_per_s for worker in alive),
        "checkpoint": state.checkpoint,
        "checkpoint_age_s": state.checkpoint_age_s,
        "checkpoint_lag": sum(lags) / len(lags) if lags else 0.0,
        "shards_taken": state.taken,
        "shards_refused": state.refused + state.put_aside,
        "trainer_restarts": state.restarts,
    }


class Monitor:
    """Writes `cluster/tensorboard` in the run's folder, and sets Ray's gauges `tafl_...`, which Prometheus reads."""

    def __init__(self, run: Path, name: str) -> None:
        self.run = run
        self.name = name
        self.writer: SummaryWriter | None = None
        self.gauges: dict[str, Gauge] = {}
        self.next_time = 0.0

    def show(self, state: TrainerState) -> None:
        """Writes the numbers of now."""
        if time.monotonic() < self.next_time or not self.run.is_dir():
            return
        self.next_time = time.monotonic() + EVERY_S
        if self.writer is None:
            self.writer = SummaryWriter(str(self.run / "cluster" / "tensorboard"), flush_secs=int(EVERY_S))
        for name, value in numbers(state).items():
            self.writer.add_scalar(f"cluster/{name}", value, int(time.time()))
            if name not in self.gauges:
                self.gauges[name] = Gauge(f"tafl_{name}", description=name.replace("_", " "), tag_keys=("run",))
            self.gauges[name].set(value, tags={"run": self.name})
