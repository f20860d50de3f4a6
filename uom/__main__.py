"""`python -m uom`."""

from uom.cli import main

main()
