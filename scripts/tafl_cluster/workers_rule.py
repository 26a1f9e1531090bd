"""How many workers a run needs: as many as keep the trainer's reuse at the config's value.

A trainer that waits for samples could learn from more; one that lags behind has more than it can use. Both show in what
`tafl train` measures at each checkpoint: the seconds that it waited, and the samples that came meanwhile.
"""

from collections.abc import Mapping

# Nothing changes for less: rates of a few checkpoints are that uncertain.
DEAD_BAND = 0.15
MOST_CHANGE = 2.0


def wanted_workers(workers: int, metrics: Mapping[str, float], samples_learned: float, most: int) -> int:
    """Returns how many workers there should be instead of `workers`, 1 to `most`.

    `samples_learned` is what one checkpoint consumes at the config's reuse: steps times batch size over reuse.
    """
    try:
        seconds = metrics["seconds"] - metrics["before/seconds"]
        samples = metrics["loop/samples"] - metrics["before/loop/samples"]
        waited = metrics["loop/training_waited_s"]
    except KeyError:
        return min(max(workers, 1), most)
    if seconds <= 0.0 or samples <= 0.0 or samples_learned <= 0.0:
        return min(max(workers, 1), most)
    # What the trainer could learn from in that time if it never waited, in units of what came.
    busy = max(1.0 - waited / seconds, 1.0 / 64.0)
    factor = samples_learned / busy / samples
    factor = min(max(factor, 1.0 / MOST_CHANGE), MOST_CHANGE)
    if abs(factor - 1.0) < DEAD_BAND:
        return min(max(workers, 1), most)
    changed = round(workers * factor)
    if changed == workers:
        changed += 1 if factor > 1.0 else -1
    return min(max(changed, 1), most)
