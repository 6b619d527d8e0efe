"""Which logs a question for one block is about: an endpoint that gives others is not believed."""

from dataclasses import replace

import pytest

from reminder_worker.chain.block_logs import BlockLogs, address_topic
from reminder_worker.chain.types import EventLog

TOKEN, OTHER = "0x" + "a1" * 20, "0x" + "b2" * 20
EVENT, HASH = "0x" + "e1" * 32, "0x" + "c3" * 32
LOG = EventLog(TOKEN, (EVENT, address_topic(OTHER), address_topic(TOKEN)), b"", 7, HASH, HASH, 0)


def test_only_logs_of_the_block_the_contracts_and_the_topics_are_meant() -> None:
    for block in (7, HASH):
        question = BlockLogs(block, [TOKEN], [[EVENT], None, [address_topic(TOKEN)]])
        assert question.includes(LOG)
        assert not question.includes(replace(LOG, address=OTHER))
        assert not question.includes(replace(LOG, topics=LOG.topics[:2]))
        assert not question.includes(replace(LOG, topics=(*LOG.topics[:2], address_topic(OTHER))))
        assert not question.includes(replace(LOG, block_number=8, block_hash="0x" + "d4" * 32))


def test_a_question_by_hash_and_one_by_number_name_the_block() -> None:
    assert BlockLogs(7, [TOKEN], [[EVENT], None]).build_request() == (
        "eth_getLogs",
        [{"address": [TOKEN], "topics": [[EVENT], None], "fromBlock": "0x7", "toBlock": "0x7"}],
    )
    _, ((by_hash),) = BlockLogs(HASH, [TOKEN], [[EVENT]]).build_request()
    assert by_hash == {"address": [TOKEN], "topics": [[EVENT]], "blockHash": HASH}


def test_question_without_contracts_is_refused() -> None:
    """Nodes would give the logs of all contracts."""
    with pytest.raises(ValueError, match="no contracts"):
        BlockLogs(7, [], [[EVENT]])
