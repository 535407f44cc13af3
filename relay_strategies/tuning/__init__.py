"""Tuning: the knob spaces of the algorithms searched by measurement, on TVM's MetaSchedule."""
