"""Prompts in memory and on disk."""
