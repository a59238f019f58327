"""Tests of one group run in one process, one after the other."""

import pytest


@pytest.mark.xdist_group("together")
def test_groups_reach_the_scheduler(request: pytest.FixtureRequest) -> None:
    """pytest-xdist recognises a group by a suffix that it gives to the tests' ids. Where that is lost, it says nothing: the
    tests of the page then run in two browsers at once, and disturb one another.
    """
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("there is only one process")
    assert request.node.nodeid.endswith("@together")
