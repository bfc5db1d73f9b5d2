"""Many tasks. Each database has another planner and other statistics, and its own test of plans."""

from django.db import connection

collect_ignore = ["test_partial_indexes.py" if connection.vendor == "postgresql" else "test_plans.py"]
