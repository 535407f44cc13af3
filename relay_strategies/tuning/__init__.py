"""Tuning: the knob spaces of the algorithms searched by measurement: on CPUs by TVM's
MetaSchedule, on GPUs by points drawn at random and by the model's rank."""
