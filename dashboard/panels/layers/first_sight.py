"""What the lesson shows at first, made before a visitor asks for it."""

from dashboard.panels.layers.fields import layer_fields
from dashboard.panels.layers.model import laid_out, own_stack
from dashboard.panels.layers.rollout_said import checks_of, silence_of
from dashboard.panels.layers.smoothing_said import measured
from dashboard.text import LANGUAGES


def measure_defaults() -> None:
    """Dress, measure and replace words with the defaults of both languages."""
    for language in LANGUAGES:
        values = {name: field.default for name, field in layer_fields(language).items()}
        laid_out(own_stack(values))
        measured(values, values["norm"])
        checks_of(values)
        checks_of(values, silence_of(values))
