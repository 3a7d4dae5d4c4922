"""The layers lesson: what blocks on one another make of words, and what can be read from them."""
