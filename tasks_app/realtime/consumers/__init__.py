"""WebSockets: who may listen, what wakes a socket, what it reads, and how it is sent."""
