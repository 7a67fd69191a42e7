"""Finds prompts, keeps them current and renders them."""
