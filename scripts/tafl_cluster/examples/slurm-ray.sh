#!/usr/bin/env bash
# Ray inside a Slurm job: sbatch scripts/tafl_cluster/examples/slurm-ray.sh configs/copenhagen-cpu.toml
#SBATCH --job-name=taflforge
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=32
#SBATCH --time=24:00:00
#SBATCH --signal=B:TERM@120
set -euo pipefail

config=${1:?give a config}
cd "${SLURM_SUBMIT_DIR:-.}"
RAY_AUTH_TOKEN=$(openssl rand -hex 32)
export RAY_AUTH_MODE=token RAY_AUTH_TOKEN RAY_USAGE_STATS_ENABLED=0
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
port=$((20000 + SLURM_JOB_ID % 20000))

ray() { ./scripts/cluster --python ray "$@"; }

# One head, and one Ray node on each other machine; they end with the job.
srun --nodes=1 --ntasks=1 --nodelist="$head" ./scripts/cluster --python ray start --head --block \
    --node-ip-address="$head" --port="$port" --num-cpus="$SLURM_CPUS_PER_TASK" --include-dashboard=false &
until ray status --address="$head:$port" >/dev/null 2>&1; do sleep 2; done
if [ "$SLURM_JOB_NUM_NODES" -gt 1 ]; then
    srun --nodes=$((SLURM_JOB_NUM_NODES - 1)) --ntasks=$((SLURM_JOB_NUM_NODES - 1)) --exclude="$head" \
        ./scripts/cluster --python ray start --block --address="$head:$port" --num-cpus="$SLURM_CPUS_PER_TASK" &
fi

# The repository is on a folder that all machines share, so the program is where it is here. Two minutes before the
# time is over Slurm asks this script to end; the same job goes on with the run.
./scripts/cluster train "$config" --address "$head:$port" --tafl "$PWD/target/release/tafl" \
    --worker-cpus 2 --trainer-cpus 4 --set loop.asynchronous.shard_games=100 &
launcher=$!
trap 'kill -TERM $launcher' TERM
wait $launcher || wait $launcher
