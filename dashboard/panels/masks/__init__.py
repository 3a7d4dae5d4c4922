"""The mask lesson's parts."""
