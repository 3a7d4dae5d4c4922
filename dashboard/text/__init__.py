"""Words in both languages, side by side: data without Streamlit."""

import re
from dataclasses import dataclass
from typing import Literal

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = ("zh", "en")

_FIELD = re.compile(r"%\((\w+)\)[-+ 0#]*\d*(?:\.\d+)?[sdfg]")


@dataclass(frozen=True)
class Text:
    """One sentence or label in Chinese and English. Fields are `%(name)s`; a bare percent sign is `%%`.

    Raises:
        ValueError: a language is empty, or the two name different fields.
    """

    zh: str
    en: str

    def __post_init__(self) -> None:
        if not self.zh.strip() or not self.en.strip():
            raise ValueError(f"a text needs both languages, got zh={self.zh!r} and en={self.en!r}")
        if self.fields("zh") != self.fields("en"):
            raise ValueError(f"zh names the fields {self.fields('zh')}, en {self.fields('en')}: {self.en!r}")

    def fields(self, language: Language) -> frozenset[str]:
        """Name the fields that this text takes."""
        return frozenset(_FIELD.findall(getattr(self, language)))

    def say(self, language: Language, **fields: object) -> str:
        """Write the text in one language with its fields filled in.

        Example:
            >>> Text(zh="%(n)d 个词元", en="%(n)d tokens").say("zh", n=3)
            '3 个词元'
        """
        return getattr(self, language) % fields
