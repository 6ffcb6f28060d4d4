"""Prints the folder for PYTHONPATH."""

from . import FOLDER

print(FOLDER)
