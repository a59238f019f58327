"""`randori bench`: speed on this machine, beside other programs where they are installed.

Ours and theirs run in turns within one run and the best turn of each counts: on a shared machine only that compares.
"""

import time
from typing import Any

from randori.app.bench import evolution, lookahead, maps, networks, patterns, playouts, solver, uct
from randori.app.bench.benchmark import Benchmark, Work
from randori.app.flags import JsonFlag
from randori.app.terminal import print_json, print_table, progress
from randori.errors import UserError

_MEASURED = (playouts, uct, lookahead, solver, evolution, networks, maps, patterns)
_SECONDS_A_TURN = 0.05


def benchmarks() -> list[Benchmark]:
    return [row for what in _MEASURED for row in what.benchmarks()]


def bench(peers: bool = False, only: str = "", json: JsonFlag = False) -> None:
    """Speed on this machine, on one core where a row names no other, beside other programs where they are installed.

    Args:
        peers: Also measure other programs doing the same, in turns with ours.
        only: Measure only rows whose name begins with this, for instance `playouts/`.
    """
    chosen = [it for it in benchmarks() if it.name.startswith(only)]
    if not chosen:
        raise UserError(f"No row begins with '{only}'; the rows are {', '.join(it.name for it in benchmarks())}.")
    rows = []
    with progress(len(chosen), "rows") as advance:
        for it in chosen:
            rows.append(_measure(it, peers))
            advance(1)
    if json:
        print_json({"rows": rows})
        return
    cells = [
        [it["name"], it["unit"], _figure(it["ours"]), it["peer"] or "", _figure(it["theirs"]), _figure(it["ratio"])]
        for it in rows
    ]
    print_table(["", "unit", "ours", "peer", "theirs", "ratio"], cells)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _measure(it: Benchmark, peers: bool) -> dict[str, Any]:
    ours = it.prepare()
    theirs = it.prepare_peer() if peers and it.prepare_peer is not None else None
    ours()  # compiles and warms up
    best_ours = best_theirs = 0.0
    for _ in range(it.turns):
        best_ours = max(best_ours, _rate(ours))
        if theirs is not None:
            best_theirs = max(best_theirs, _rate(theirs))
    return {
        "name": it.name,
        "unit": it.unit,
        "ours": best_ours,
        "peer": it.peer if theirs is not None else None,
        "theirs": best_theirs if theirs is not None else None,
        "ratio": best_ours / best_theirs if theirs is not None else None,
    }


def _rate(work: Work) -> float:
    """Units a second over one turn."""
    units = 0.0
    began = time.perf_counter()
    while (elapsed := time.perf_counter() - began) < _SECONDS_A_TURN:
        units += work()
    return units / elapsed
