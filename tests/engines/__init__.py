"""Tests of the embedded MongoDB, the relay, and what is known of their faults."""
