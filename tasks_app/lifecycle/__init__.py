"""The verbs: the database and nothing else, and the only writer of Task.status."""
