"""Find secrets in texts and values, and put `***` in their place before anything is written out.

Three ways to know one: by its shape (`ghp_...`), by what it stands in (a URL, a header, a flag),
by its name (`db_password: ...`). A secret of no known shape under an innocent name is not found:
so environment variables are read by an allow-list, and this is the second fence, not the first.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from reproof.ground.secret_kinds import BLOCK, CONTEXTS, SHAPES, URL_QUERY, URL_USER

MASK = "***"

_STRONG = frozenset(
    {
        *("password", "passwd", "passphrase", "passcode", "pwd", "passwort"),
        *("secret", "credential", "credentials", "apikey", "authtoken", "accesskey"),
    }
)
_PAIRS = frozenset(
    {
        *(("api", "key"), ("access", "key"), ("private", "key"), ("account", "key")),
        *(("secret", "key"), ("signing", "key"), ("encryption", "key"), ("auth", "key")),
        *(("master", "key"), ("license", "key"), ("connection", "string"), ("session", "id")),
        *(("db", "pass"), ("user", "pass"), ("smtp", "pass"), ("mysql", "pass")),
        *(("shared", "key"), ("storage", "key"), ("service", "key"), ("deploy", "key")),
    }
)
_OF_A_MODEL = frozenset(
    {
        *("pad", "eos", "bos", "unk", "sep", "cls", "mask", "image", "video", "vision", "audio"),
        *("special", "next", "max", "min", "new", "num", "per", "first", "last", "end", "start"),
        *("stop", "decoder", "forced", "prefix", "suffix", "think", "tool"),
    }
)
"""`pad_token` and its like name words of a model, and are no secret."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NAME = r"[A-Za-z_][\w-]{0,80}"
_ASSIGNED = re.compile(
    rf"(?P<name>-{{0,2}}{_NAME})(?P<sep>[\"']?\s{{0,4}}(?:=>|:=|=|:)\s{{0,4}})"
    r"(?P<quote>[\"']?)(?P<secret>(?:(?<=[\"'])[^\"'\n]+|[^\s\"',;&)}\]]+))"
)
_FLAG = re.compile(
    rf"(?<![\w-])(?P<name>--?{_NAME})(?P<sep>[ \t]+)(?P<quote>[\"']?)(?P<secret>[^\s\"'-]\S*)"
)
_NO_SECRET = re.compile(
    r"\*+|<[^>]*>|\$.*|%.*|\{.*|None|null|true|false|True|False|str|int|bytes|bool|object|Any|"
    r"(?:os|self|params|args|config|settings|secrets|getpass)\..*|getenv.*|[\w.]+[(\[].*|",
    re.DOTALL,
)
_DIGEST = re.compile(r"(?:[0-9a-f]{32}(?:\.dir)?|[0-9a-f]{40}|[0-9a-f]{64})")


class Cleaned(NamedTuple):
    """A value without secrets, and how many were taken out."""

    value: Any
    found: int


def without_secrets(text: str) -> str:
    """A text whose secrets are masked; user and password are taken out of its URLs."""
    return str(clean_text(text).value)


def clean_text(text: str) -> Cleaned:
    """The same with the number of what was found. Doing it twice finds nothing more."""
    if len(text) < 6 or _DIGEST.fullmatch(text):
        return Cleaned(text, 0)
    count = 0

    def mask(match: re.Match[str]) -> str:
        nonlocal count
        whole, (start, end) = match[0], match.span("secret")
        if match["secret"].startswith(MASK):
            return whole
        count += 1
        return whole[: start - match.start()] + MASK + whole[end - match.start() :]

    def drop(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return match["scheme"]

    def named(match: re.Match[str]) -> str:
        return mask(match) if _is_named(match["name"], match["secret"]) else match[0]

    text = BLOCK.sub(mask, text)
    text = URL_USER.sub(drop, text)
    for pattern, how in _passes(mask, named):
        text = pattern.sub(how, text)
    return Cleaned(text, count)


def clean(value: Any) -> Cleaned:
    """A JSON value with every text in it masked, keys too, and what stands under a secret name.

    Numbers stand under names such as `max_new_tokens`, so they are masked only under names
    such as `password`. Digests and structure stay as they are.
    """
    return _clean(value, "")


def is_secret_name(name: str) -> bool:
    """Whether what stands under this name is meant for nobody: `DB_PASSWORD`, `apiKey`."""
    return _strength(name) > 0


def _passes(
    mask: Callable[[re.Match[str]], str], named: Callable[[re.Match[str]], str]
) -> Iterable[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]]:
    yield URL_QUERY, mask
    yield from ((context, mask) for context in CONTEXTS)
    yield SHAPES, mask
    yield _FLAG, named
    yield _ASSIGNED, named


def _is_named(name: str, value: str) -> bool:
    """Whether `name = value` gives a secret away; code that only passes one on does not."""
    strength = _strength(name)
    if not strength or _NO_SECRET.fullmatch(value):
        return False
    # a token may be a word of a model or a name in code; a real one is long, or in the environment
    is_plain = strength == 1 and not name.startswith("-") and not name.isupper()
    return not is_plain or (len(value) >= 8 and any(sign.isdigit() for sign in value))


def _strength(name: str) -> int:
    """2 for a name such as `password`, 1 for `token`, 0 for any other."""
    last = name.rpartition(".")[2]
    words = [word.lower() for word in _WORD.findall(last)]
    if _STRONG & set(words) or _PAIRS & set(itertools.pairwise(words)):
        return 2 if "/" not in name else 0
    if words[-1:] == ["token"] and not _OF_A_MODEL & set(words) and "/" not in name:
        return 1
    return 0


def _clean(value: Any, name: str) -> Cleaned:
    if isinstance(value, Mapping):
        return _clean_mapping(value, name)
    if isinstance(value, list | tuple):
        return _clean_list(value, name)
    strength = _strength(name)
    if isinstance(value, str):
        hidden = bool(strength) and not _NO_SECRET.fullmatch(value)
        return Cleaned(MASK, 1) if hidden else clean_text(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and strength == 2:
        return Cleaned(MASK, 1)
    return Cleaned(value, 0)


def _clean_mapping(value: Mapping[str, Any], name: str) -> Cleaned:
    shown: dict[str, Any] = {}
    total = 0
    for key, item in value.items():
        new_key, in_key = clean_text(key)
        while in_key and new_key in shown:
            new_key += "'"
        inner, in_item = _clean(item, key if not _strength(name) else name)
        shown[new_key] = inner
        total += in_key + in_item
    return Cleaned(shown, total)


def _clean_list(value: Iterable[Any], name: str) -> Cleaned:
    """Items by themselves; one that follows `--password`, as in an argv, by that name."""
    shown, total, flag = [], 0, ""
    for item in value:
        inner, count = _clean(item, flag or name)
        shown.append(inner)
        total += count
        is_flag = isinstance(item, str) and item.startswith("-") and "=" not in item
        flag = item if is_flag and is_secret_name(item) else ""
    return Cleaned(shown, total)
