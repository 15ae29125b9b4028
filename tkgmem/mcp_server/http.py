"""The server over streamable HTTP, for this machine alone: the socket is bound to loopback, and Host and Origin are checked."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tkgmem.mcp_server.wire import LONGEST

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

HOST = "127.0.0.1"


def bound(port: int) -> socket.socket:
    """A loopback socket at this port, 0 for any that is free. OSError where it is taken."""
    listening = socket.socket()
    try:
        if os.name == "posix":  # elsewhere it would let two servers have one port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise OSError(error.errno, error.strerror, f"port {port}") from error
    return listening


def serve(server: Server[Any], listening: socket.socket, ready: Callable[[str], object]) -> None:
    """Serve until SIGTERM or SIGINT. ready: told the address once requests are taken."""
    import uvicorn

    app = server.streamable_http_app(host=HOST, max_request_body_size=LONGEST)
    config = uvicorn.Config(app, access_log=False, log_config=None, lifespan="on", timeout_graceful_shutdown=3)
    ready(f"http://{HOST}:{listening.getsockname()[1]}/mcp")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # raised again once the server has ended
    uvicorn.Server(config).run(sockets=[listening])
