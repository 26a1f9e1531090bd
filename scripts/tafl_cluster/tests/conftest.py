"""One Ray cluster of three nodes for all tests, and one S3 server, both on this machine."""

import logging
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2]
ROOT = SCRIPTS.parent
# Before Ray is imported: its processes inherit them.
os.environ.update(
    RAY_USAGE_STATS_ENABLED="0",
    RAY_AUTH_MODE="token",
    RAY_AUTH_TOKEN=secrets.token_hex(32),
    RAY_ENABLE_UV_RUN_RUNTIME_ENV="0",
    # A node that does not answer counts as dead after ten seconds, not thirty.
    RAY_health_check_period_ms="2000",
    PYTHONPATH=f"{SCRIPTS}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
    AWS_ACCESS_KEY_ID="test",
    AWS_SECRET_ACCESS_KEY="test",
    AWS_EC2_METADATA_DISABLED="true",
    AWS_DEFAULT_REGION="us-east-1",
)

import ray  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

from tafl_cluster.engine import NAMESPACE  # noqa: E402

from .s3 import S3  # noqa: E402
from .support import patiently  # noqa: E402


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    nodes = patiently(lambda: Cluster(True, head_node_args={"num_cpus": 2, "include_dashboard": False}))
    patiently(lambda: nodes.add_node(num_cpus=2))
    ray.init(address=nodes.address, namespace=NAMESPACE, log_to_driver=False, logging_level=logging.ERROR)
    yield nodes
    ray.shutdown()
    nodes.shutdown()


@pytest.fixture(scope="session")
def s3() -> Iterator[S3]:
    server = S3()
    yield server
    server.stop()
