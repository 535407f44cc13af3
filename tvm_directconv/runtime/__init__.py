"""Compiled networks run, without TVM: numpy and the standard library are all that is imported here.

``loading.py`` opens a library, ``network.py`` calls it, ``teams.py`` has its threads. ``model.py`` is what
all compiled models are, those that TVM runs among them (``relay_strategies/compiler/model``)."""
