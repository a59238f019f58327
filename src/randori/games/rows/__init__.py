"""What games of stones in a row share: Tic-Tac-Toe, Connect Four, Gomoku."""
