"""The shapes of secrets: in each pattern the group `secret` is what must not be shown."""

import re

BLOCK = re.compile(
    r"(?P<secret>-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----.*?"
    r"(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\Z))",
    re.DOTALL,
)
"""A private key from its first line to its last, or to the end of the text."""

URL_USER = re.compile(
    r"(?P<scheme>\b[a-z][a-z0-9+.-]{0,30}://)[^/\s\"'<>?#]{1,500}@", re.IGNORECASE
)
"""User and password in a URL."""

URL_QUERY = re.compile(
    r"[?&;](?:[\w.-]{0,40}(?:token|passw(?:or)?d|secret|signature|credential)[\w.-]{0,40}"
    r"|[\w-]{0,20}api[_-]?key|key|sig|auth|code|pwd|pass|jwt|session)=(?P<secret>[^&\s\"'<>#]+)",
    re.IGNORECASE,
)
"""A secret in the query of a URL."""

CONTEXTS = (
    re.compile(
        r"\b(?:Bearer|Basic|Token)\s{1,4}(?=[^\s\"',]*[0-9=])(?P<secret>[A-Za-z0-9._~+/=-]{12,})"
    ),
    *(
        re.compile(pattern, re.IGNORECASE)
        for pattern in (
            # headers
            r"\bauthorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:[a-z]{1,20}\s{1,4})?"
            r"(?P<secret>[^\s\"',]+)",
            r"\b(?:set-)?cookie[\"']?\s{0,4}:\s{0,4}[\"']?(?P<secret>[^\"'\n]+)",
            r"\bx-[\w-]{0,30}(?:key|token|secret)[\"']?\s{0,4}:\s{0,4}[\"']?(?P<secret>[^\s\"',]+)",
            # connection strings
            r"\b(?:accountkey|sharedaccesskey|sharedaccesssignature)=(?P<secret>[^;\s\"']+)",
            r";\s{0,2}(?:password|pwd)=(?P<secret>[^;\"'\n]+)",
            # programs that take a password by a short flag
            r"\bcurl\b[^\n|;&]{0,400}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"']{0,200}:"
            r"(?P<secret>[^\s\"']+)",
            r"\bsshpass\s{1,4}-p\s{0,4}[\"']?(?P<secret>[^\s\"']+)",
            r"\bmysql\w{0,10}\b[^\n|;&]{0,400}?\s-p(?P<secret>[^\s\"']+)",
            r"\bmachine\s{1,9}\S{1,200}\s{1,9}login\s{1,9}\S{1,200}\s{1,9}password\s{1,9}"
            r"(?P<secret>\S+)",
            # files of passwords
            r"(?<![\w$])(?P<secret>\$(?:1|2[aby]|5|6|y|apr1|argon2id?)\$[\w./$=,+-]{20,200})",
            r"[\"']auth[\"']\s{0,4}:\s{0,4}[\"'](?P<secret>[a-z0-9+/=]{12,})",
        )
    ),
)
"""What says that a secret follows."""

_HOOKS = (
    r"https://hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[^\s\"'<>]+",
    r"https://(?:\w{1,10}\.)?discord(?:app)?\.com/api/webhooks/[^\s\"'<>]+",
    r"https://[\w.-]{1,100}\.webhook\.office\.com/[^\s\"'<>]+",
    r"https://api\.telegram\.org/bot[^\s\"'<>/]+",
)
_PREFIXED = (
    r"hf_[A-Za-z0-9]{20,}|api_org_[A-Za-z0-9]{20,}",
    r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}",
    r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt)-[\w-]{16,}",
    r"(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    r"AIza[\w-]{30,}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|1//0[\w-]{20,}",
    r"sk-(?=[\w-]*[0-9])[\w-]{20,}|[srp]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[\w+/=]{16,}",
    r"xox[abeoprs](?:\.xox[abp])?-[\w-]{10,}|xapp-[\w-]{10,}",
    r"SG\.[\w-]{16,}\.[\w-]{16,}|key-[0-9a-f]{32}|SK[0-9a-f]{32}",
    r"npm_[A-Za-z0-9]{30,}|pypi-AgE[\w-]{16,}|rubygems_[0-9a-f]{40,}|cio[A-Za-z0-9]{32}",
    r"do[opr]_v1_[0-9a-f]{40,}|hv[sbr]\.[\w-]{20,}|dckr_pat_[\w-]{20,}|shp(?:at|ss|ca|pa)_[0-9a-fA-F]{32}",
    r"NRAK-[A-Z0-9]{20,}|dapi[0-9a-f]{32}|r8_[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{20,}",
    r"nvapi-[\w-]{20,}|pplx-[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|wandb_v1_\w{20,}",
    r"lin_api_[A-Za-z0-9]{20,}|ntn_[A-Za-z0-9]{20,}|figd_[\w-]{20,}|PMAK-[0-9a-f-]{24,}",
    r"sntry[su]_[\w+/=.-]{20,}|glsa_\w{20,}|ATATT3[\w=-]{20,}|dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9]{20,}",
    r"pul-[0-9a-f]{40}|sq0(?:atp|csp)-[\w-]{20,}|tskey-[\w-]{16,}|AGE-SECRET-KEY-1[A-Z0-9]{40,}",
    r"eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|[0-9]{8,10}:AA[\w-]{30,}",
)
SHAPES = re.compile(rf"(?P<secret>{'|'.join(_HOOKS)}|(?<![A-Za-z0-9])(?:{'|'.join(_PREFIXED)}))")
"""Secrets that are known by their first signs."""
