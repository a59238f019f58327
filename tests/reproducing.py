"""The parts of a report that stay the same however often it is interrupted: everything but times."""

import re
from typing import Any

from randori.experiments.report import Report

_SECONDS = re.compile(r"[\d.,]+ CPU seconds")


def without_times(report: Report | dict[str, Any]) -> dict[str, Any]:
    """The summary of a report; figures that are CPU times have no value, and sentences about them no number."""
    plain = report.summary() if isinstance(report, Report) else report
    tables = [
        {
            **it,
            "note": _SECONDS.sub("CPU seconds", it["note"]),
            "figures": [_figure(figure) for figure in it["figures"]],
        }
        for it in plain["tables"]
    ]
    return {**plain, "tables": tables, "cpu_seconds": None}


def _figure(figure: dict[str, Any]) -> dict[str, Any]:
    return {**figure, "ours": None, "interval": None} if "CPU" in figure["what"] else figure
