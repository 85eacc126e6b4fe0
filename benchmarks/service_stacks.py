"""The stacks that the service could be made of, each with one route that decodes JSON and sends it back.

python -m benchmarks.service_stacks NAME PORT
"""

from __future__ import annotations

import sys
from typing import Any

import msgspec


class Asked(msgspec.Struct):
    """What every stack decodes and checks."""

    text: str


_DECODER, _ENCODER = msgspec.json.Decoder(Asked), msgspec.json.Encoder()
_JSON = [(b"content-type", b"application/json")]


async def asgi(_scope: Any, receive: Any, send: Any) -> None:
    body = (await receive())["body"]
    answer = _ENCODER.encode(_DECODER.decode(body))
    headers = [*_JSON, (b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


async def rsgi(_scope: Any, protocol: Any) -> None:
    body = await protocol()
    headers = [("content-type", "application/json")]
    protocol.response_bytes(200, headers, _ENCODER.encode(_DECODER.decode(body)))


def starlette() -> Any:
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Route

    async def echo(request: Any) -> Any:
        return Response(_ENCODER.encode(_DECODER.decode(await request.body())), media_type="application/json")

    return Starlette(routes=[Route("/echo", echo, methods=["POST"])])


def fastapi() -> Any:
    from fastapi import FastAPI
    from pydantic import BaseModel

    class Model(BaseModel):
        text: str

    app = FastAPI()

    async def echo(asked: Model) -> Model:
        return asked

    echo.__annotations__ = {"asked": Model, "return": Model}
    app.post("/echo")(echo)
    return app


def litestar() -> Any:
    from litestar import Litestar, post

    async def echo(data: Asked) -> Asked:
        return data

    echo.__annotations__ = {"data": Asked, "return": Asked}
    return Litestar([post("/echo", status_code=200)(echo)], openapi_config=None)


def with_uvicorn(app: Any, port: int) -> None:
    import uvicorn

    uvicorn.run(app, port=port, http="httptools", loop="uvloop", lifespan="off", log_level="critical")


def with_granian(name: str, port: int) -> None:
    from granian import Granian
    from granian.constants import Interfaces, Loops

    kind = Interfaces.RSGI if name == "rsgi" else Interfaces.ASGINL
    target = f"benchmarks.service_stacks:{name}"
    Granian(target, port=port, interface=kind, loop=Loops.uvloop, websockets=False, log_enabled=False).serve()


def lindy_echo(port: int) -> None:
    """Answer with the service's own guard, routes, types and limits."""
    from lindy.web import messages as m
    from lindy.web.application import Application
    from lindy.web.http.guards import Guard
    from lindy.web.http.request_limits import Limits
    from lindy.web.http.requests import json_response
    from lindy.web.http.routes import Route, Routes
    from lindy.web.monitoring import Monitor
    from lindy.web.server import Worker, listen

    async def echo(_request: Any, asked: Any) -> Any:
        return json_response(asked)

    limits, monitor = Limits(), Monitor()
    routes = Routes([Route("POST", "/echo", echo, "Echo.", m.PredictRequest, m.PredictRequest)])
    monitor.begin(routes.routes, [])
    application = Application(routes, Guard("127.0.0.1"), limits, monitor.watch)
    Worker(application, limits, lambda: None, lambda: None).run([listen("127.0.0.1", port)])


STACKS = {
    "uvicorn, bare ASGI, msgspec": lambda port: with_uvicorn(asgi, port),
    "granian, bare ASGI, msgspec": lambda port: with_granian("asgi", port),
    "granian, bare RSGI, msgspec": lambda port: with_granian("rsgi", port),
    "uvicorn, Starlette, msgspec": lambda port: with_uvicorn(starlette(), port),
    "uvicorn, Litestar, msgspec": lambda port: with_uvicorn(litestar(), port),
    "uvicorn, FastAPI, pydantic": lambda port: with_uvicorn(fastapi(), port),
    "lindy's own (the first, with guard and limits)": lindy_echo,
}

if __name__ == "__main__":
    STACKS[sys.argv[1]](int(sys.argv[2]))
