"""The event loop of a client, its tasks and its listeners."""
