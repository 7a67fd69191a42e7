"""Reports of model calls."""
