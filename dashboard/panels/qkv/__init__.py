"""The QKV lesson: its values, its numbers and its fragments."""
