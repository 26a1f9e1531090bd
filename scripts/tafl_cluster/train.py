"""`cluster train`: one trainer and its workers, until the run has its last checkpoint."""

import os
import signal
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from . import bundle
from .engine import CLIENT, Place
from .errors import ClusterError, reason
from .messages import TrainerPlan, TrainerState, WorkerPlan
from .program import INTERRUPTED
from .trainer import Trainer
from .view import View
from .worker import Worker
from .workers_rule import wanted_workers

LOOK_S = 1.0
ANSWER_S = 20.0
STOP_S = 90.0
LIMIT = 10_000


@dataclass(frozen=True)
class Options:
    """What the command line says."""

    config: Path
    data: Path
    # Nothing: as many as the trainer can use, at most `most_workers`.
    workers: int | None
    most_workers: int | None
    worker_cpus: int
    worker_gpus: float
    trainer_cpus: int
    trainer_gpus: float
    storage: str | None
    scratch: str | None
    shard_seconds: int
    start_timeout: float


class Launcher:
    """The trainer and the workers of a run, as Ray has them."""

    def __init__(self, options: Options, place: Place, job: bundle.Bundle) -> None:
        self.options = options
        self.place = place
        self.job = job
        self.name = f"tafl-{job.name}"
        self.workers: dict[str, Any] = {}
        self.leaving: dict[str, Any] = {}
        self.count = 0
        self.wanted = 0
        self.lost_since: float | None = None
        self.changed_at = -1
        self.complained: set[str] = set()
        self.trainer = self.start_trainer()

    def start_trainer(self) -> Any:
        """Places the trainer: where this process is, else on the first node with room."""
        options = self.options
        plan = TrainerPlan(
            self.job,
            self.place.program,
            str(options.data.absolute()),
            options.trainer_cpus,
            options.trainer_gpus,
            options.storage,
        )
        node = node_for(options.trainer_cpus, options.trainer_gpus, self.place)
        # Without a copy elsewhere the run is on that node's disk, and cannot go on without it.
        strategy = NodeAffinitySchedulingStrategy(node, soft=options.storage is not None)
        actor = ray.remote(Trainer).options(
            num_cpus=options.trainer_cpus,
            num_gpus=options.trainer_gpus,
            max_restarts=-1,
            max_concurrency=LIMIT,
            scheduling_strategy=strategy,
            name=self.name,
        )
        # Held here: with the pool it is so large that Ray, started again, would no longer have it.
        self.plan = ray.put(plan)
        return named(actor, self.plan, self.name)

    def set_workers(self, wanted: int) -> None:
        """Starts or stops workers; Ray places them where there is room, now or later."""
        self.wanted = wanted
        while len(self.workers) < wanted:
            name = f"w{self.count:03}"
            self.count += 1
            actor = ray.remote(Worker).options(
                num_cpus=self.options.worker_cpus,
                num_gpus=self.options.worker_gpus,
                max_restarts=-1,
                max_concurrency=4,
                scheduling_strategy="SPREAD",
            )
            self.workers[name] = actor.remote(self.worker_plan(name))
        while len(self.workers) > wanted:
            name, worker = self.workers.popitem()
            self.leaving[name] = (worker, worker.stop.remote())

    def worker_plan(self, name: str) -> WorkerPlan:
        """Returns what a worker is to do."""
        options, config = self.options, self.job.config
        default = Path(tempfile.gettempdir()) / f"tafl-cluster-{os.getuid()}"
        return WorkerPlan(
            name,
            self.name,
            self.job.name,
            self.place.program,
            self.job.versions,
            # Workers run in a folder of Ray's.
            str(Path(options.scratch or default).absolute()),
            options.worker_cpus,
            options.worker_gpus,
            config["precision"],
            config["loop"]["asynchronous"]["shard_games"],
            options.shard_seconds,
        )

    def let_go(self) -> None:
        """Ends the actors of workers that were stopped and have delivered their games."""
        for name, (worker, stopped) in list(self.leaving.items()):
            done, _ = ray.wait([stopped], timeout=0)
            if done:
                ray.kill(worker)
                del self.leaving[name]
                self.trainer.forget.remote(name)

    def look(self) -> TrainerState | None:
        """Asks the trainer; nothing while it is being started again."""
        try:
            state: TrainerState = ray.get(self.trainer.about.remote(), timeout=ANSWER_S)
        except ray.exceptions.ActorUnschedulableError as error:
            hint = "start it again when the node is back; with --storage it goes on elsewhere"
            raise ClusterError("the trainer's node is gone, and the run was on its disk alone", hint) from error
        except (ray.exceptions.ActorDiedError, ray.exceptions.RuntimeEnvSetupError) as error:
            raise ClusterError(f"the trainer cannot be started: {reason(error)}") from error
        except (ray.exceptions.RayError, TimeoutError):
            self.lost_since = self.lost_since or time.monotonic()
            return None
        self.lost_since = None
        return state

    def adapt(self, state: TrainerState, most: int) -> None:
        """Follows the rule for the number of workers at each checkpoint."""
        if self.options.workers is not None or state.checkpoint == self.changed_at:
            return
        self.changed_at = state.checkpoint
        loop = self.job.config["loop"]
        learned = loop["asynchronous"]["checkpoint_steps"] * loop["batch_size"] / loop["reuse"]
        self.set_workers(wanted_workers(max(self.wanted, 1), state.metrics, learned, most))

    def check_workers(self, state: TrainerState, view: View) -> None:
        """Names workers that cannot play; where none can, the run ends."""
        problems = [worker.problem for worker in state.workers if worker.problem is not None]
        for problem in problems:
            if problem.message not in self.complained:
                self.complained.add(problem.message)
                view.say(problem.message)
        if problems and len(problems) == len(state.workers) >= self.wanted and not state.taken:
            raise ClusterError(problems[0].message, problems[0].hint)

    def stop(self) -> None:
        """Ends workers, then the trainer, in good order."""
        stopped = [worker.stop.remote() for worker in self.workers.values()]
        stopped += [leaving for _, leaving in self.leaving.values()]
        ray.wait(stopped, num_returns=len(stopped), timeout=STOP_S) if stopped else None
        ray.wait([self.trainer.stop.remote()], timeout=STOP_S)


def train(options: Options, job: bundle.Bundle, place: Place) -> int:
    """Trains a run to its end; returns the exit code."""
    capacity = room(options)
    most = options.workers or options.most_workers or capacity
    check_room(options, place, capacity)
    interrupted: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, _: interrupted.append(received))
    launcher = Launcher(options, place, job)
    with View() as view:
        view.say(
            f"run {job.name} on {place.address}: {options.data.absolute() / 'runs' / job.name} on the trainer's node"
        )
        launcher.set_workers(options.workers or min(most, max(capacity, 1)))
        try:
            code = follow(launcher, view, interrupted, most)
        except (ClusterError, ray.exceptions.RayError):
            # A signal to the whole process group ends Ray, too.
            if not interrupted:
                raise
            code = INTERRUPTED
        if code == INTERRUPTED:
            view.say("stopped\nhint: the same command continues the run")
        return code


def follow(launcher: Launcher, view: View, interrupted: list[int], most: int) -> int:
    """Shows the run until it ends."""
    began = time.monotonic()
    has_begun = False
    while not interrupted:
        state = launcher.look()
        if state is None:
            lost = time.monotonic() - (launcher.lost_since or 0.0)
            if not has_begun and time.monotonic() - began > launcher.options.start_timeout:
                hint = "see `ray status`; --start-timeout waits longer"
                raise ClusterError("too few resources: no node has room for the trainer", hint)
            view.say("the trainer is being started" + (f" again: away for {lost:.0f} s" if has_begun else ""))
        else:
            has_begun = True
            if state.problem is not None:
                raise ClusterError(state.problem.message, state.problem.hint)
            launcher.check_workers(state, view)
            launcher.adapt(state, most)
            view.show(state, launcher.wanted)
            if state.finished:
                launcher.stop()
                print(state.summary)
                return 0
        launcher.let_go()
        time.sleep(LOOK_S)
    view.say("stopping: workers write and send their finished games")
    launcher.stop()
    return INTERRUPTED


def named(actor: Any, plan: Any, name: str) -> Any:
    """Starts the trainer; one that a killed launcher left ends soon after it."""
    until = time.monotonic() + ANSWER_S
    while True:
        try:
            return actor.remote(plan)
        except ValueError as error:
            if time.monotonic() > until:
                hint = "wait for its end, or name another run by --run"
                raise ClusterError(f"{name}: another launcher trains this run on the cluster", hint) from error
            time.sleep(1.0)


def nodes() -> list[dict[str, Any]]:
    """Returns what Ray knows of each node."""
    found: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    return found


def node_for(cpus: int, gpus: float, place: Place) -> str:
    """Returns the node for the trainer: this process's if it has room."""
    alive = [node for node in nodes() if node["Alive"]]
    fitting = [
        node["NodeID"]
        for node in alive
        if node["Resources"].get("CPU", 0) >= cpus and node["Resources"].get("GPU", 0) >= gpus
    ]
    if not fitting:
        wanted = f"{cpus} CPUs" + (f" and {gpus:g} GPUs" if gpus else "")
        raise ClusterError(f"too few resources: no node has {wanted} for the trainer", sizes(alive))
    if not place.address.startswith(CLIENT):
        own = ray.get_runtime_context().get_node_id()
        if own in fitting:
            return str(own)
    return str(fitting[0])


def room(options: Options) -> int:
    """Returns how many workers fit beside the trainer into the nodes that there are."""
    left = 0
    trainer_is_placed = False
    for node in (node["Resources"] for node in nodes() if node["Alive"]):
        cpus, gpus = node.get("CPU", 0), node.get("GPU", 0)
        if not trainer_is_placed and cpus >= options.trainer_cpus and gpus >= options.trainer_gpus:
            trainer_is_placed = True
            cpus, gpus = cpus - options.trainer_cpus, gpus - options.trainer_gpus
        fit = cpus // options.worker_cpus
        left += int(min(fit, gpus / options.worker_gpus) if options.worker_gpus else fit)
    return left


def check_room(options: Options, place: Place, capacity: int) -> None:
    """Checks that what is asked for can be placed: on this machine now, on a cluster in part, as nodes may come."""
    wanted = options.workers or 1
    enough = wanted if place.is_local else 1
    if capacity >= enough or (not place.is_local and options.most_workers):
        return
    per_worker = f"{options.worker_cpus} CPUs" + (f" and {options.worker_gpus:g} GPUs" if options.worker_gpus else "")
    fit = f"{capacity} workers of {per_worker} fit beside a trainer of {options.trainer_cpus}, not {wanted}"
    hint = "fewer --workers or --worker-cpus; or --address of a larger cluster"
    raise ClusterError(f"too few resources: {fit} ({sizes(nodes())})", hint)


def sizes(found: Sequence[dict[str, Any]]) -> str:
    """Returns what there is, in words."""
    alive = [node["Resources"] for node in found if node["Alive"]]
    cpus, gpus = (sum(node.get(kind, 0) for node in alive) for kind in ("CPU", "GPU"))
    return f"{len(alive)} nodes with {cpus:g} CPUs and {gpus:g} GPUs"
