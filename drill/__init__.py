"""Drills: real processes are killed, frozen and starved, and what survived is counted. `make drill`."""
