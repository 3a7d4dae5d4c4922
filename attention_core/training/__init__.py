"""Small models that learn in seconds: tasks, the model, and the loop that yields one record a step."""
