"""One library of operators for all ways in: functions of Relax expressions and plain Python values.

A frontend is a table from a format's operators and attributes to these functions. What an operator computes
and refuses is said here once; how a format names it, and what its defaults are, is said there. A file per
family of operators.
"""
