"""The start page."""

from dashboard.frame import open_lesson
from dashboard.text import qkv as words

state = open_lesson("", words.TITLE, words.CLAIM, lambda language: {})
