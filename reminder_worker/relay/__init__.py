"""The gas-sponsored relay and auto-renew: authorizations, nonces, signed bytes, budgets."""
