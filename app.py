"""The server: `streamlit run app.py`, or `uvicorn app:app` from this folder."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SECURITY_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
]


class SecurityHeaders:
    """Add the headers that keep a browser from guessing types and from telling other sites the link."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *SECURITY_HEADERS]
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


@asynccontextmanager
async def warm(_app: object) -> AsyncIterator[None]:
    """Import what every page needs before the first visitor, then exempt it from garbage collection.

    The process for long work ends with the server; it starts when somebody opens a view that offers some.
    """
    import torch

    from dashboard import runs, warm_up

    torch.set_num_threads(1)
    warm_up.run()
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        runs.runner().close()


app = st.App(
    Path(__file__).parent / "dashboard" / "main.py", lifespan=warm, middleware=[Middleware(SecurityHeaders)]
)

if __name__ == "__main__":
    app.run()
