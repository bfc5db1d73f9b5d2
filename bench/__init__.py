"""What Longhaul costs: `make bench`. Each figure is a ratio within one run, its samples interleaved."""
