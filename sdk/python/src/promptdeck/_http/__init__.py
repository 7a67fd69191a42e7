"""Requests to the service."""
