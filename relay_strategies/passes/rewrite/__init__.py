"""What exporters write in many ways, in the few that later passes know."""
