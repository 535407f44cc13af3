"""The analytical model: what a schedule is estimated to take, and the blocks and knobs it has."""
