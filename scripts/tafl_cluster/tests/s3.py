"""An S3 server for the tests."""

import logging

import boto3
from moto.server import ThreadedMotoServer


class S3:
    """An S3 server on this machine, which can go away and come back."""

    def __init__(self) -> None:
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self.server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self.server.start()
        host, self.port = self.server.get_host_and_port()
        self.client = boto3.client("s3", endpoint_url=f"http://{host}:{self.port}", region_name="us-east-1")
        self.client.create_bucket(Bucket="runs")

    def uri(self, name: str) -> str:
        return f"s3://runs/{name}?endpoint_override=127.0.0.1:{self.port}&scheme=http"

    def stop(self) -> None:
        self.server.stop()

    def start(self) -> None:
        self.server = ThreadedMotoServer(ip_address="127.0.0.1", port=self.port, verbose=False)
        self.server.start()

    def names(self, prefix: str) -> list[str]:
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket="runs", Prefix=prefix)
        return [entry["Key"] for page in pages for entry in page.get("Contents", [])]

    def replace(self, name: str, content: bytes) -> None:
        self.client.put_object(Bucket="runs", Key=name, Body=content)
