"""The complexity lesson: its fields, its settings and its views."""
