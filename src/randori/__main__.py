"""`python -m randori`."""

from randori.app.cli import main

main()
