"""The beds are Streamlit scripts: a server runs them, pytest does not import them."""

collect_ignore = ["bed.py", "bench_bed.py"]
