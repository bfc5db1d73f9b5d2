"""What all workers together ask of one model endpoint: how much at once, how much in a minute, and nothing in vain.

Redis holds what they share, by its own clock; each question and each answer is one script, so that nobody acts on what
another has changed meanwhile. With Redis away each process keeps to its own share.

| verdict | the caller |
|---|---|
| granted | has a permit until the call ends; a process that dies renews it no more, and it is free again in seconds |
| in line | asks again after a while; whoever came first is granted first |
| down | the endpoint fails for everyone: sends nothing, unless it is its turn to try |
"""
