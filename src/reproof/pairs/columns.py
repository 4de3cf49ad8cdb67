"""The columns of a pairs file, and how another file's columns differ from them."""

import pyarrow as pa

_STEP = pa.struct(
    [
        ("prompt", pa.string()),
        ("image_indices", pa.list_(pa.int64())),
        ("response", pa.string()),
        ("response_tokens", pa.list_(pa.int64())),
        ("reward", pa.float64()),
        ("status", pa.string()),
        ("prompt_tokens", pa.list_(pa.int64())),
    ]
)
SCHEMA = pa.schema(
    [
        ("task_id", pa.string()),
        ("margin", pa.float64()),
        ("pos_return", pa.float64()),
        ("neg_return", pa.float64()),
        ("processed_images", pa.large_list(pa.large_binary())),
        ("steps", pa.list_(_STEP)),
        ("n_chosen_steps", pa.int64()),
        ("chosen_metadata", pa.string()),
        ("rejected_metadata", pa.string()),
    ]
)
"""The columns of the public DPO data sets, in the types that we write."""


def schema_problems(theirs: pa.Schema) -> list[str]:
    """Each column that is missing, unknown or of another kind; empty if `theirs` will do.

    Only kinds count: a list may be a large list, a text a large or dictionary text, a
    whole number of any width. The order of columns is free.
    """
    ours = pa.struct(list(SCHEMA))
    return list(_struct_problems(ours, pa.struct(list(theirs)), ""))


def _struct_problems(ours: pa.DataType, theirs: pa.DataType, prefix: str) -> list[str]:
    wanted = {field.name: field.type for field in ours}
    found = {field.name: field.type for field in theirs}
    missing = [f"column {prefix}{name} is missing" for name in wanted if name not in found]
    unknown = [f"column {prefix}{name} is unknown" for name in found if name not in wanted]
    both = [name for name in wanted if name in found]
    return (
        missing
        + unknown
        + [
            problem
            for name in both
            for problem in _type_problems(wanted[name], found[name], f"{prefix}{name}")
        ]
    )


def _type_problems(ours: pa.DataType, theirs: pa.DataType, name: str) -> list[str]:
    """How one column's type differs; a writer with no prompt tokens at all types them null."""
    if name == "steps.prompt_tokens" and pa.types.is_null(theirs):
        return []
    if _is_list(ours) and _is_list(theirs):
        return _type_problems(ours.value_type, theirs.value_type, name)
    if pa.types.is_struct(ours) and pa.types.is_struct(theirs):
        return _struct_problems(ours, theirs, f"{name}.")
    if _kind(ours) == _kind(theirs):
        return []
    return [f"column {name} is {theirs}, must be {_kind(ours)}"]


def _is_list(kind: pa.DataType) -> bool:
    return any(
        test(kind)
        for test in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    )


def _kind(kind: pa.DataType) -> str:
    """A type without its width or encoding."""
    if pa.types.is_dictionary(kind):
        return _kind(kind.value_type)
    if pa.types.is_integer(kind):
        return "whole number"
    if pa.types.is_floating(kind):
        return "number"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return "text"
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return "bytes"
    return "list" if _is_list(kind) else str(kind)
