"""The memory as an MCP server, for assistants: a thin skin over Memory, with few tools (extra `mcp`).

opening.py and http.py are the transports, protocol.py joins them to the tools, tools.py lists these, desk.py keeps the memory.
Nothing here loads the MCP library, or the memory, before it must: a client that starts the server is answered at once.
"""
