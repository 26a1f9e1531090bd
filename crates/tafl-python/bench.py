"""Steps a second from Python, as medians of rounds in which all measurements take turns, and the memory of an environment.

python3 crates/tafl-python/bench.py [SECONDS]    beside Hex of OpenSpiel and of Pgx, where they are installed
"""

import gc
import os
import random
import statistics
import sys
import time
from pathlib import Path

import taflforge as tf

ROUNDS = 5
SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0


def rate(work):
    """Returns how many steps `work` makes in a second, and in a second of a core; it returns how many it made."""
    work()
    steps, begun, cpu = 0, time.perf_counter(), time.process_time()
    while (passed := time.perf_counter() - begun) < SECONDS:
        steps += work()
    return steps / passed, steps / (time.process_time() - cpu)


def one_game(observe):
    draw = random.random

    def work():
        game, steps = tf.Game("copenhagen"), 0
        play, legal = game.play, game.legal_actions
        while game.outcome is None:
            if observe:
                game.observation()
                game.legal_mask()
            actions = legal()
            play(actions[int(draw() * len(actions))])
            steps += 1
        return steps

    return work


def many_games(games, **more):
    env = tf.VecEnv("copenhagen", games, seed=1, **more)

    def work():
        env.step(env.sample())
        return games

    return work


def open_spiel(observe):
    import pyspiel

    game, draw = pyspiel.load_game("hex(board_size=11)"), random.random

    def work():
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal():
            if observe:
                state.legal_actions_mask()
                state.observation_tensor()
            actions = state.legal_actions()
            state.apply_action(actions[int(draw() * len(actions))])
            steps += 1
        return steps

    return work


def pgx(games, steps=50):
    import jax
    import jax.numpy as jnp
    import pgx

    env = pgx.make("hex")
    init, step = jax.vmap(env.init), jax.vmap(env.step)

    def body(state, key):
        to_move, to_begin = jax.random.split(key)
        actions = jax.random.categorical(to_move, jnp.where(state.legal_action_mask, 0.0, -1e9), axis=-1)
        after, fresh = step(state, actions), init(jax.random.split(to_begin, games))
        ended = after.terminated
        mix = lambda one, other: jnp.where(ended.reshape((-1,) + (1,) * (one.ndim - 1)), other, one)  # noqa: E731
        return jax.tree_util.tree_map(mix, after, fresh), None

    run = jax.jit(lambda state, key: jax.lax.scan(body, state, jax.random.split(key, steps))[0])
    held = [jax.jit(init)(jax.random.split(jax.random.PRNGKey(0), games)), 0]

    def work():
        held[1] += 1
        held[0] = jax.block_until_ready(run(held[0], jax.random.PRNGKey(held[1])))
        return games * steps

    return work


def memory(games=10_000, steps=1_000):
    """Returns the bytes of a game that the process grows by, without planes and masks, once the games are mixed."""
    resident = lambda: int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")  # noqa: E731
    warm = many_games(1_000, observation=None, mask=None)
    for _ in range(100):
        warm()
    gc.collect()
    before = resident()
    work = many_games(games, observation=None, mask=None)
    for _ in range(steps):
        work()
    return (resident() - before) / games


def main():
    none = {"observation": None, "mask": None}
    makers = {
        "one game": lambda: one_game(False),
        "one game, mask and planes": lambda: one_game(True),
        "1 game in a VecEnv": lambda: many_games(1, **none),
        "1,000 games": lambda: many_games(1_000, **none),
        "1,000 games, packed mask and planes in u8": lambda: many_games(1_000, mask="packed"),
        "1,000 games, bool mask and planes in u8": lambda: many_games(1_000),
        "1,000 games, planes in f32": lambda: many_games(1_000, mask=None, observation="f32"),
        "OpenSpiel, Hex 11": lambda: open_spiel(False),
        "OpenSpiel, Hex 11, mask and planes": lambda: open_spiel(True),
        "Pgx, 1,000 games of Hex 11": lambda: pgx(1_000),
    }
    bytes_a_game = memory()
    works = {}
    for name, make in makers.items():
        try:
            works[name] = make()
        except ImportError:
            print(f"{name:42} not installed")
    rates = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, work in works.items():
            rates[name].append(rate(work))
    for name, found in rates.items():
        wall, core = (statistics.median(each) for each in zip(*found, strict=True))
        print(f"{name:42} {wall:11,.0f} steps/s, {core:11,.0f} per second of a core")
    print(f"{'memory':42} {bytes_a_game:11,.0f} bytes a game; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
