"""A Gomocup brain that drops what comes while it takes itself to be thinking: `drowsy_brain.py LOST_RESTARTS`.

For 20 ms after it has printed a move it still does. Strong brains are seen to behave so. It also loses every
LOST_RESTARTS-th RESTART whenever that comes, 0 for none.
"""

import queue
import sys
import threading
import time

DROWSY_SECONDS = 0.02

lost_restarts = int(sys.argv[1])
awake = 0.0
lines: "queue.Queue[str | None]" = queue.Queue()


def listen() -> None:
    n_restarts = 0
    for line in sys.stdin:
        if time.monotonic() < awake:
            continue
        if line.startswith("RESTART"):
            n_restarts += 1
            if lost_restarts and n_restarts % lost_restarts == 0:
                continue
        lines.put(line.strip())
    lines.put(None)


def move(stones: set[tuple[int, int]], size: int) -> tuple[int, int]:
    """The empty square nearest to the centre."""
    squares = [(x, y) for x in range(size) for y in range(size) if (x, y) not in stones]
    return min(squares, key=lambda it: (it[0] - size // 2) ** 2 + (it[1] - size // 2) ** 2)


def main() -> None:
    global awake
    size, stones, setting_up = 0, set[tuple[int, int]](), False
    while (line := lines.get()) is not None:
        command, _, rest = line.partition(" ")
        if command == "START":
            size, stones = int(rest), set()
            print("OK", flush=True)
        elif command == "RESTART":
            stones = set()
            print("OK", flush=True)
        elif command == "BOARD":
            setting_up = True
        elif command == "END":
            return
        elif command in ("BEGIN", "DONE"):
            setting_up = False
            awake = float("inf")
            chosen = move(stones, size)
            stones.add(chosen)
            print(f"{chosen[0]},{chosen[1]}", flush=True)
            awake = time.monotonic() + DROWSY_SECONDS
        elif setting_up:
            x, y, _ = line.split(",")
            stones.add((int(x), int(y)))


threading.Thread(target=listen, daemon=True).start()
main()
