"""Tiny ONNX models written as protocol buffers by hand: real graphs that onnxruntime runs, without a library to build them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

FLOAT, INT64 = 1, 7


def varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def field(number: int, value: int | str | bytes) -> bytes:
    """One member of a protocol buffer message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def tensor(name: str, kind: int, shape: Sequence[str] = ("batch", "seq")) -> bytes:
    """The declaration of an input or output."""
    axes = b"".join(field(1, field(2, axis)) for axis in shape)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, axes)))


def node(operator: str, inputs: str, output: str, **whole: int) -> bytes:
    """One operation. inputs: names apart by spaces. whole: its attributes."""
    attributes = b"".join(field(5, field(1, name) + field(3, value) + field(20, 2)) for name, value in whole.items())
    return b"".join(field(1, name) for name in inputs.split()) + field(2, output) + field(4, operator) + attributes


def model(nodes: Sequence[bytes], inputs: Sequence[str], output: bytes, axes: Mapping[str, int] | None = None) -> bytes:
    """A model over int64 inputs of shape (batch, seq). axes: names of constant lists of one whole number."""
    constants = (field(1, 1) + field(2, INT64) + field(7, varint(axis)) + field(8, name) for name, axis in (axes or {}).items())
    graph = b"".join(field(1, one) for one in nodes) + field(2, "g") + b"".join(field(5, one) for one in constants)
    graph += b"".join(field(11, tensor(name, INT64)) for name in inputs) + field(12, output)
    return field(1, 8) + field(7, graph) + field(8, field(2, 17))
