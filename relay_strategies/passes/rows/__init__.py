"""Networks by blocks of rows: which runs of operators go by rows, in what order, and where rows lie."""
