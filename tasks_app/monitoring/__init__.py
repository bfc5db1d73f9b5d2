"""How far behind the queues are, who is told, and what it all looks like from outside."""
