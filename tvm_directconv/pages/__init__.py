"""Reports and profiles as pages for a browser, each one file that needs nothing beside it."""
