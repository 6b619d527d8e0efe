"""Off-chain helper of a legacy protocol: everything the processes of the service share."""

__version__ = "0.1.0"  # the only place: the package, the command, the API and the metrics take it from here
