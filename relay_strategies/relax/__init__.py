"""Reading and rebuilding Relax functions: what frontends and passes stand on."""
