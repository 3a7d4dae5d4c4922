"""The lesson on other attentions: its fields, its settings and its views."""
