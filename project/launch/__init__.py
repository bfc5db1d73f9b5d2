"""`make run`: every process of Longhaul on one machine, started in order, watched, and ended in order."""
