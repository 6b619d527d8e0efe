"""Whose word counts of those that answer."""

from reminder_worker.relay.chain_view import EndpointView, keep_up_to_date

NOW = 1_800_000_000


def at(time: int) -> EndpointView:
    """An endpoint whose newest block is of this time."""
    return EndpointView(1, time, None, None, 0, None, {}, {}, {})


def test_who_has_stopped_importing_blocks_or_tells_of_the_future_does_not_contradict_the_others() -> None:
    well, behind = at(NOW - 13), at(NOW - 119)
    assert keep_up_to_date([well, at(NOW - 121), behind, at(NOW + 121)], NOW) == [well, behind]


def test_while_the_chain_stands_still_or_our_clock_is_wrong_all_count() -> None:
    each = [at(NOW - 3600), at(NOW - 3000)]
    assert keep_up_to_date(each, NOW) == each
