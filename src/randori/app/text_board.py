"""A board of letters in the terminal."""

from randori.app.service.thinking import choose
from randori.core.game import DRAW
from randori.core.game_so_far import GameSoFar
from randori.core.notation import action_of, board_text
from randori.errors import UserError
from randori.players import game_for, player


def play_in_terminal(game_name: str | None, opponent: str, follow: bool) -> None:
    """Until the game is over, or the person has had enough (`quit`, or the end of the input)."""
    game = game_for([opponent], game_name)
    other, board, persons_turn = player(opponent, game), GameSoFar(game), not follow
    print(
        f"{game.title} against {other.name}. Type a move such as {game.move_names[game.n_actions // 2]}, undo, or quit."
    )
    while not board.is_over:
        if persons_turn:
            print(board_text(game, board.state, len(board.history)))
            if not _persons_move(board):
                return
        else:
            action = choose(other, board)
            board.play(action)
            print(f"{other.name} plays {game.move_names[action]}.")
        persons_turn = (len(board.history) % 2 == 0) != follow
    print(board_text(game, board.state, len(board.history)))
    outcome = int(game.outcome(board.state)[0])
    if outcome == DRAW:
        print("A draw.")
    else:
        print("You win." if (outcome > 0) == persons_turn else f"{other.name} wins.")


def _persons_move(board: GameSoFar) -> bool:
    """Asks until a move is played or taken back; False if the person leaves."""
    while True:
        try:
            word = input("pass (Enter)> " if board.must_pass else "> ").strip().lower()
        except EOFError:
            return False
        if word == "quit":
            return False
        if word == "undo":
            for _ in range(min(2, len(board.history))):
                board.undo()
            return True
        action = action_of(board.game, word or ("pass" if board.must_pass else ""))
        try:
            if action is None:
                raise UserError(f"'{word}' is not a move of {board.game.title}.")
            board.play(action)
            return True
        except ValueError:
            legal = [board.game.move_names[it] for it in board.legal.nonzero()[0]]
            print(f"That move is not legal; these are: {', '.join(legal)}.")
