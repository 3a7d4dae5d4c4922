"""The scaling lesson: what the width does to scores, weights and gradients, and what a divisor does about it."""
