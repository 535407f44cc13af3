"""What compile returns: a model that runs, is profiled, hands out requests, and says how exact it is."""
