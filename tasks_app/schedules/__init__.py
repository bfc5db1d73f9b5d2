"""When schedules are due, and what a firing makes."""
