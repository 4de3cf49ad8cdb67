"""Fifty kinds of secret, made from pieces by a seed: none of them stands in any file.

Each kind is a text in which somebody would leave it, and the part that must not come out.
"""

import base64
import json
import random
import string
from collections.abc import Callable

_ALNUM = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"

Made = tuple[str, str]


def corpus(seed: int) -> dict[str, Made]:
    """Kind → (text, secret); equal seeds give equal secrets."""
    draw = random.Random(f"secrets/{seed}")

    def of(signs: str, count: int) -> str:
        # some digit, and a sign at the end that belongs to it
        last = draw.choice("abcdef" if "a" in signs else "ABCDEF" if "A" in signs else "123456")
        return "".join(draw.choices(signs, k=count - 2)) + "7" + last

    return {name: make(of) for name, make in _KINDS.items()}


Draw = Callable[[str, int], str]


def _shaped(prefix: str, signs: str, count: int) -> Callable[[Draw], Made]:
    """A token that is known by its first signs, standing alone."""

    def make(of: Draw) -> Made:
        token = prefix + of(signs, count)
        return token, token

    return make


def _in(
    before: str, after: str = "", signs: str = _ALNUM, count: int = 24
) -> Callable[[Draw], Made]:
    """A shapeless secret that is known by what it stands in."""

    def make(of: Draw) -> Made:
        secret = of(signs, count)
        return before + secret + after, secret

    return make


def _jwt(of: Draw) -> Made:
    head, body = ({"alg": "HS256", "typ": "JWT"}, {"sub": of(_ALNUM, 8), "exp": 1})
    parts = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
        for part in (head, body)
    ]
    token = ".".join([*parts, of(_ALNUM, 43)])
    return token, token


def _private_key(kind: str) -> Callable[[Draw], Made]:
    def make(of: Draw) -> Made:
        body = "\n".join(of(_ALNUM + "+/", 64) for _ in range(3))
        name = f"{kind}PRIVATE KEY"
        return f"-----BEGIN {name}-----\n{body}\n-----END {name}-----", body.split("\n")[1]

    return make


_KINDS: dict[str, Callable[[Draw], Made]] = {
    "hugging face": _shaped("hf" + "_", _ALNUM, 34),
    "github classic": _shaped("gh" + "p_", _ALNUM, 36),
    "github app": _shaped("gh" + "s_", _ALNUM, 36),
    "github fine-grained": _shaped("github" + "_pat_", _ALNUM, 60),
    "gitlab": _shaped("gl" + "pat-", _ALNUM, 20),
    "aws key id": _shaped("AK" + "IA", string.ascii_uppercase + string.digits, 16),
    "openai": _shaped("s" + "k-", _ALNUM, 48),
    "openai project": _shaped("s" + "k-proj-", _ALNUM + "-_", 60),
    "anthropic": _shaped("s" + "k-ant-api03-", _ALNUM + "-_", 60),
    "stripe": _shaped("s" + "k_live_", _ALNUM, 24),
    "slack bot": _shaped("xo" + "xb-", string.digits + "-", 40),
    "slack app": _shaped("xa" + "pp-1-", _ALNUM, 40),
    "slack webhook": _shaped("https://hooks." + "slack.com/services/", _ALNUM + "/", 44),
    "discord webhook": _shaped("https://discord.com/api/" + "webhooks/", _ALNUM + "/", 60),
    "telegram bot": _shaped("123456789:" + "AA", _ALNUM, 33),
    "google api key": _shaped("AI" + "za", _ALNUM, 35),
    "google access token": _shaped("ya" + "29.", _ALNUM, 50),
    "google client secret": _shaped("GOC" + "SPX-", _ALNUM, 28),
    "npm": _shaped("np" + "m_", _ALNUM, 36),
    "pypi": _shaped("py" + "pi-AgE", _ALNUM, 80),
    "rubygems": _shaped("ruby" + "gems_", _HEX, 48),
    "docker hub": _shaped("dck" + "r_pat_", _ALNUM, 27),
    "digitalocean": _shaped("do" + "p_v1_", _HEX, 64),
    "vault": _shaped("hv" + "s.", _ALNUM, 60),
    "databricks": _shaped("da" + "pi", _HEX, 32),
    "replicate": _shaped("r" + "8_", _ALNUM, 37),
    "nvidia": _shaped("nv" + "api-", _ALNUM, 60),
    "sendgrid": lambda of: (token := "S" + f"G.{of(_ALNUM, 22)}.{of(_ALNUM, 43)}", token),
    "mailgun": _shaped("ke" + "y-", _HEX, 32),
    "shopify": _shaped("shp" + "at_", _HEX, 32),
    "notion": _shaped("nt" + "n_", _ALNUM, 46),
    "atlassian": _shaped("ATA" + "TT3", _ALNUM, 60),
    "jwt": _jwt,
    "rsa key": _private_key("RSA "),
    "openssh key": _private_key("OPENSSH "),
    "pkcs8 key": _private_key(""),
    "url with user": _in("https://me:", "@host.example/team/run.git"),
    "url with token": _in("https://", "@host.example/team/run.git"),
    "url query": _in("https://host.example/data?access_token=", "&page=2"),
    "signed url": _in("https://b.example/o?X-Amz-Date=1&X-Amz-Signature=", "", _HEX, 64),
    "azure sas": _in("https://a.blob.example/c?sv=2022&sig=", "&se=2030"),
    "azure storage": _in("DefaultEndpointsProtocol=https;AccountName=a;Account" + "Key=", "=="),
    "sql connection": _in("Server=db;Database=x;User Id=sa;Pwd=", ";Encrypt=yes"),
    "aws secret": _in("AWS_SECRET_ACCESS_KEY=", "", _ALNUM + "+", 40),
    "bearer header": _in("curl -H 'Authorization: Bearer ", "' host"),
    "basic auth": _in("curl -H 'Authorization: Basic ", "==' host"),
    "curl user": _in("curl -s -u me:", " https://host.example"),
    "wandb key": _in("WANDB_API_KEY=", "", _HEX, 40),
    "password in yaml": _in("db_password: ", ""),
    "password flag": _in("python x.py --password ", " --steps 3"),
    "token flag": _in("python x.py --hf-token=", " --steps 3"),
    "api key in code": _in('API_KEY = "', '"'),
    "api key in json": _in('{"apiKey": "', '", "steps": 3}'),
    "netrc": _in("machine host.example login me password ", ""),
    "cookie": _in("Cookie: session=", ""),
    "password hash": _in("root:$6$" + "saltsalt$", ":19000", _ALNUM, 60),
}
