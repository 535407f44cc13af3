"""Passes that bring what exporters write in many ways to the few that later passes know."""
