"""The design of the target: which entity lives where, under which names."""
