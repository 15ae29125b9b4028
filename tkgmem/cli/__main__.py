"""`python -m tkgmem.cli`: the command line where no script is installed."""

from tkgmem.cli import main

main()
