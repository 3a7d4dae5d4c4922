"""The heads lesson: its fields, its settings and its views."""
