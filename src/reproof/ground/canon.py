"""One byte form for every JSON value, and its digest."""

import hashlib
import json
from typing import Any


def to_bytes(value: Any) -> bytes:
    """Canonical JSON: sorted keys, no spaces, UTF-8; NaN and infinities are refused.

    Raises ValueError on a value that JSON cannot hold.
    """
    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return text.encode()


def sha256_of(value: Any) -> str:
    """SHA-256 of the canonical bytes, as hex."""
    return hashlib.sha256(to_bytes(value)).hexdigest()
