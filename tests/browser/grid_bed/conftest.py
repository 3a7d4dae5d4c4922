"""The bed is a Streamlit script: a server runs it, pytest does not import it."""

collect_ignore = ["bed.py"]
