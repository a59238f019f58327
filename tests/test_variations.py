"""The tree of variations: a value whose main line stays until another line is made the main line."""

from hypothesis import given
from hypothesis import strategies as st

from randori.core.variations import Line, Variations

GAME = Variations.of_line((1, 2, 3))
TREE = GAME.after((1,), 5).after((1, 5), 6).after((1, 5), 7).after((), 8)


def test_a_move_that_was_tried_is_kept_beside_the_main_line() -> None:
    assert TREE.end_of() == (1, 2, 3)
    assert TREE.at((1,)) == (2, 5)
    assert TREE.end_of((1, 5)) == (1, 5, 6)
    assert len(TREE) == 7
    assert len(GAME) == 3, "a change makes another value"


def test_the_same_move_again_is_nothing_new() -> None:
    assert TREE.after((1,), 5) is TREE
    assert GAME.after((1, 2, 3), 4).end_of() == (1, 2, 3, 4)


def test_places_are_numbered_main_line_first() -> None:
    assert TREE.places() == [(1,), (1, 2), (1, 2, 3), (8,), (1, 5), (1, 5, 6), (1, 5, 7)]
    depths = [(it.begin, it.end, it.depth) for it in TREE.branches()]
    assert depths == [((), (1, 2, 3), 0), ((), (8,), 1), ((1,), (1, 5, 6), 1), ((1, 5), (1, 5, 7), 2)]


def test_a_variation_is_deleted_with_all_that_follows() -> None:
    assert TREE.without((1, 5)) == GAME.after((), 8)
    assert TREE.without((1, 5, 6)).end_of((1, 5)) == (1, 5, 7)
    assert TREE.without((1,)).end_of() == (8,)
    assert GAME.without((1,)) == Variations()


def test_a_variation_becomes_the_main_line_and_loses_nothing() -> None:
    changed = TREE.with_main((1, 5, 7))
    assert changed.end_of() == (1, 5, 7)
    assert changed.at((1,)) == (5, 2)
    assert set(changed.places()) == set(TREE.places())
    assert changed.is_main((1, 5))
    assert not changed.is_main((1, 2))


def test_moves_beside_each_other_are_reached() -> None:
    assert TREE.beside((1, 2), 1) == (1, 5)
    assert TREE.beside((1, 5), 1) == (1, 5), "there is none further down"
    assert TREE.beside((1, 5), -1) == (1, 2)
    assert TREE.beside((), 1) == ()


def test_a_tree_knows_its_places() -> None:
    assert () in TREE
    assert (1, 5, 7) in TREE
    assert (1, 5, 8) not in TREE


@given(st.lists(st.lists(st.integers(0, 3), max_size=6).map(tuple), max_size=12))
def test_every_place_is_written_once_and_after_the_one_before_it(lines: list[Line]) -> None:
    tree = Variations()
    for line in lines:
        for ply, action in enumerate(line):
            tree = tree.after(line[:ply], action)
    places = tree.places()
    assert set(places) == {line[: ply + 1] for line in lines for ply in range(len(line))}
    assert len(places) == len(tree)
    assert places[: len(tree.end_of())] == [tree.end_of()[: ply + 1] for ply in range(len(tree.end_of()))]
    for number, place in enumerate(places):
        assert place[:-1] in (*places[:number], ())
    for place in places:
        assert tree.with_main(place).is_main(place)
        assert not any(it[: len(place)] == place for it in tree.without(place).places())
