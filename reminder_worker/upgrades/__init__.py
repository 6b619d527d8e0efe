"""The upgrade queue of the protocol's contracts: what is scheduled on the UpgradeTimelock, told to operators."""
