"""One slider and one line of 51 points."""

import math

import altair as alt
import pandas as pd
import streamlit as st

frequency = st.slider("frequency", 0, 100, 50)
points = pd.DataFrame({"x": range(51), "y": [math.sin(frequency * x / 500) for x in range(51)]})
st.altair_chart(alt.Chart(points).mark_line().encode(alt.X("x:Q"), alt.Y("y:Q")))
