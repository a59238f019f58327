"""The page in the browser: play, ladder, learning, papers. Each view is a file; they share `frame` and `parts`."""
