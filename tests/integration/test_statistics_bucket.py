"""The statistics in a bucket: the same pass, and a server of S3 on this machine."""

import sys
from collections.abc import Iterator
from pathlib import Path
from traceback import format_exception
from typing import Any

import boto3
import polars as pl
import pytest
from moto.server import ThreadedMotoServer
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.doctor.report import _examine_statistics
from reminder_worker.errors import Misconfigured
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.settings.groups import StatisticsSettings
from reminder_worker.statistics.file_store import open_files
from reminder_worker.statistics.job import StatisticsPass, StatisticsReport
from tests.integration.indexer_story import settings_of

URL = "s3://numbers/of/us"
SECRET = "planted-secret-of-the-bucket"


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    values = {"ACCESS_KEY_ID": "analyst", "SECRET_ACCESS_KEY": SECRET, "DEFAULT_REGION": "us-east-1"}
    for name, value in {**values, "ENDPOINT_URL": f"http://{host}:{port}"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    client = boto3.client("s3")
    client.create_bucket(Bucket="numbers")
    yield client
    server.stop()


def _list_objects(bucket: Any) -> dict[str, Any]:
    found = bucket.list_objects_v2(Bucket="numbers").get("Contents", [])
    return {each["Key"]: each["LastModified"] for each in found}


async def test_the_hourly_pass_writes_into_a_bucket(bucket: Any, chain_scenario: Scenario, engine: AsyncEngine) -> None:
    """polars reads what it wrote; days with final files are found by lists and not written again."""
    ann = chain_scenario.account("ann")
    chain_scenario.create_legacy(ann, {chain_scenario.account("heir").address: 100})
    chain_scenario.advance(3 * 86_400)
    chain = Chain(settings_of(chain_scenario))
    try:
        await ChainIndex(engine, chain).run()
        taking = StatisticsPass(engine, chain, open_files(URL))
        first = await taking.run()
        before = _list_objects(bucket)
        second = await taking.run()
    finally:
        await chain.close()
    assert isinstance(first, StatisticsReport)
    assert isinstance(second, StatisticsReport)
    assert (first.days_written, second.days_written) == (4, 2), "yesterday and today are not final"
    assert _list_objects(bucket).keys() == before.keys()
    days = pl.read_parquet(f"{URL}/days/**/*.parquet", hive_partitioning=True)
    assert (len(days), days["legacies_created"].sum()) == (4, 1)
    assert days["total_legacies_created"].to_list() == [1] * 4
    assert _examine_statistics(URL)[1]


def test_a_bucket_that_does_not_answer_is_named_without_its_secret(
    bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(OSError, match="cannot write: not in the bucket"):
        open_files("s3://nowhere").write("days/x.parquet", b"x")
    assert _examine_statistics("s3://nowhere")[1] is False
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{SECRET}:port")
    with pytest.raises(OSError, match="cannot write in the bucket: ") as failed:
        open_files(URL).write("days/x.parquet", b"x")
    assert SECRET not in "".join(format_exception(failed.value))
    found = _examine_statistics(URL)
    assert found[1] is False
    assert SECRET not in str(found)
    monkeypatch.setitem(sys.modules, "s3fs", None)
    without_packages = open_files(URL)  # the API does so, and never writes
    with pytest.raises(Misconfigured, match="the extra `object-storage` is not installed"):
        without_packages.list("days")


@pytest.mark.parametrize("url", ["s3://key:secret@numbers", "s3://", "https://numbers.example", "gs://numbers?key=1"])
def test_a_setting_never_holds_a_key(url: str) -> None:
    with pytest.raises(ValidationError, match="neither a folder") as failed:
        StatisticsSettings(STATISTICS_FOLDER=url)
    assert "numbers" not in str(failed.value)
    assert "secret" not in str(failed.value)
    assert Path(StatisticsSettings(STATISTICS_FOLDER="numbers").folder) == Path("numbers")
