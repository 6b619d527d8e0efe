"""Endpoints whose answers count."""

from reminder_worker.relay.chain_view import EndpointView, keep_up_to_date

NOW = 1_800_000_000


def at(time: int) -> EndpointView:
    """Return the view of an endpoint with a latest block of this time."""
    return EndpointView(1, time, None, None, 0, None, {}, {}, {})


def test_stopped_or_future_endpoints_do_not_contradict_the_others() -> None:
    well, behind = at(NOW - 13), at(NOW - 119)
    assert keep_up_to_date([well, at(NOW - 121), behind, at(NOW + 121)], NOW) == [well, behind]


def test_all_endpoints_count_while_the_chain_stands_still_or_our_clock_is_wrong() -> None:
    each = [at(NOW - 3600), at(NOW - 3000)]
    assert keep_up_to_date(each, NOW) == each
