"""The tools as the official MCP library serves them. Calls run in threads, since the memory is synchronous."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from tkgmem.mcp_server.opening import Identity
from tkgmem.mcp_server.tool import Tool
from tkgmem.mcp_server.tools import Refused, Toolset, UnknownTool

_AT_ONCE = 32
"""Calls that run at the same time; more wait."""


def server(identity: Identity, toolset: Toolset) -> Server[Any]:
    """A server of these tools, for any transport."""
    listed = [_described(tool) for tool in toolset.tools.values()]
    limiter: list[anyio.CapacityLimiter] = []

    async def list_tools(_: ServerRequestContext[Any], __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(_: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
        if not limiter:
            limiter.append(anyio.CapacityLimiter(_AT_ONCE))
        try:
            answer = await anyio.to_thread.run_sync(toolset.call, params.name, params.arguments or {}, limiter=limiter[0])
        except UnknownTool as error:
            raise MCPError(types.INVALID_PARAMS, str(error.args[0])) from error
        except Refused as error:
            return types.CallToolResult(content=[types.TextContent(type="text", text=str(error))], is_error=True)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=answer.text)], structured_content=dict(answer.fields)
        )

    return Server(
        identity.name,
        version=identity.version,
        title=identity.title,
        instructions=identity.instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.takes,
        output_schema=tool.gives,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.effect == "reads",
            destructive_hint=tool.effect in {"changes", "destroys"},
            idempotent_hint=tool.effect == "reads" or tool.again,
            open_world_hint=False,
        ),
    )
