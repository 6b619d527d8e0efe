"""Prices, counts and value secured: aggregates only."""
