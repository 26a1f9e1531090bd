#!/usr/bin/env bash
# Without Ray: one trainer, and an array of workers on a folder that all machines share.
# sbatch --array=0-63 scripts/tafl_cluster/examples/slurm-array.sh configs/copenhagen-cpu.toml copenhagen-cpu
#SBATCH --job-name=taflforge
#SBATCH --cpus-per-task=4
#SBATCH --time=24:00:00
#SBATCH --requeue
set -euo pipefail

config=${1:?give a config} run=data/runs/${2:?give the name of the run}
cd "${SLURM_SUBMIT_DIR:-.}"
threads=(--set "runner.workers=$SLURM_CPUS_PER_TASK" --set loop.asynchronous.shard_games=100)
if [ "$SLURM_ARRAY_TASK_ID" = 0 ]; then
    resume=()
    [ ! -e "$run/config.toml" ] || resume=(--resume)
    exec target/release/tafl train "$config" --run "${run##*/}" --workers-only "${resume[@]}" "${threads[@]}"
fi
until [ -e "$run/config.toml" ]; do sleep 10; done
name=w$(printf %03d "$SLURM_ARRAY_TASK_ID")
exec target/release/tafl selfplay "$run/config.toml" --checkpoint "$run" --wait --out "$run/workers/$name" \
    --worker "$name" --shard-seconds 60 "${threads[@]}"
