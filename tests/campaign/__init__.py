"""Faults by the thousand from recorded seeds, and what has to hold after each life of a worker (`make prove`)."""
