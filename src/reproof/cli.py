"""The command line: each verb calls one flow, and errors become exit codes here and nowhere else.

To add a verb, write its two functions (what it takes, what it does) and name them
in VERBS. Heavy imports stay inside, so that `reproof --help` answers at once.
"""

import argparse
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from reproof.arguments import control, folder
from reproof.ground.errors import ReproofError

_QUIET = {
    "DO_NOT_TRACK": "1",
    "DVC_NO_ANALYTICS": "1",
    "GIT_PYTHON_REFRESH": "quiet",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
}
_INVALID = 2
_INTERRUPTED = 130
_BROKEN_PIPE = 141
_FAULT = 70
"""EX_SOFTWARE of sysexits.h."""
_EXITS = """exit codes: 0 identical, reproduced or consistent; 1 drifted; 2 invalid input or usage;
3 inconclusive (with --strict consistent too); 4 not comparable; 70 a fault of reproof"""


class Answer(NamedTuple):
    """What a verb has to say, as text and as JSON, and the exit code."""

    text: str
    value: Any
    code: int = 0


class Verb(NamedTuple):
    """A word of the command line."""

    name: str
    purpose: str
    example: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], Answer]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code. Without `argv` this is the program, and it ends here."""
    os.environ.update(_QUIET)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may know ASCII alone
    arguments = _parser().parse_args(argv)
    code = _answer(arguments)
    if argv is None:
        # Arrow's threads may abort a process that is being torn down (apache/arrow#34314), and
        # exit code 134 is no verdict: everything is said, so leave without tearing down
        if sys.stderr is not None:
            sys.stderr.flush()
        os._exit(code)
    return code


def _answer(arguments: argparse.Namespace) -> int:
    """Run the verb and print what it says; every error ends here."""
    try:
        answer: Answer = arguments.run(arguments)
        print(_shown(answer, arguments.json), end="", flush=True)
    except ReproofError as error:
        _complain(error, arguments.json)
        return _INVALID
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # the reader has gone; keep Python from complaining when it closes stdout
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except Exception as error:  # a fault of ours must not look like a verdict: 1 is "drifted"
        if "REPROOF_TRACEBACK" in os.environ:
            raise
        kind = f"{type(error).__name__}: {' '.join(str(error).split())}"
        print(f"reproof: gave up ({kind}); REPROOF_TRACEBACK=1 shows where", file=sys.stderr)
        return _FAULT
    return answer.code


def _record_arguments(parser: argparse.ArgumentParser) -> None:
    _add_root(parser)


def _record(arguments: argparse.Namespace) -> Answer:
    from datetime import UTC, datetime

    from reproof.flow.record import FOLDER, record
    from reproof.record.codec import to_json

    run = record(arguments.root, datetime.now(UTC))
    ids = {"inputs_id": run.inputs_id, "environment_id": run.environment_id}
    ids = to_json(ids | {"outputs_id": run.outputs_id})
    path = arguments.root / FOLDER
    lines = [f"wrote {path / 'run_info.json'} and {path / 'run_info.txt'}"]
    lines += [f"  {name:<15} {value}" for name, value in ids.items()]
    return Answer("\n".join(lines) + "\n", ids)


def _check_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("run_path", metavar="RUN", nargs="?", type=Path, default=Path(),
        help="a folder with a record in it, or a run_info.json (default: this folder)")  # fmt: skip
    add("--baseline", required=True, metavar="NAME|FILE", help="what to hold it against")
    add("--model", help="the run's model to look at (default: the one the baseline names)")
    add("--tol", type=float, default=0.010, help="tolerance on mean_return (default: %(default)s)")
    add("--tol-success", type=int, default=4, help="tolerance on successes (default: %(default)s)")
    add("--alpha", type=float, default=0.05, help="level of the tests (default: %(default)s)")
    add("--negative-control", metavar="MEAN/SUCCESS", type=control,
        help="a wrong answer that must not pass, as in 0.3656/67")  # fmt: skip
    add("--allow-blind", action="store_true", help="go on although the wrong answer would pass")
    add("--strict", action="store_true", help="exit 3 when consistent, as it is not proven")
    add("--one-sided", action="store_true", help="exit 0 when drifted up")
    add("--format", choices=("text", "json"), default="text", help="json is the same as --json")


def _check(arguments: argparse.Namespace) -> Answer:
    from reproof.flow.check import check
    from reproof.render.verdict import verdict_text
    from reproof.verdict.baseline import Control
    from reproof.verdict.verdict import Tolerance

    wrong = arguments.negative_control
    verdict = check(
        arguments.run_path,
        arguments.baseline,
        Tolerance(arguments.tol, arguments.tol_success, arguments.alpha),
        arguments.model,
        Control("the given one", *wrong) if wrong else None,
        arguments.allow_blind,
    )
    arguments.json = arguments.json or arguments.format == "json"
    code = verdict.exit_code(arguments.strict, arguments.one_sided)
    return Answer(verdict_text(verdict), verdict.to_json() | {"exit_code": code}, code)


def _compare_arguments(parser: argparse.ArgumentParser) -> None:
    _add_root(parser)


def _compare(arguments: argparse.Namespace) -> Answer:
    from reproof.flow.compare import read_entries
    from reproof.ground.params import read_params
    from reproof.render.comparison import comparison_markdown
    from reproof.scores.comparison import compare_models
    from reproof.scores.pairing import Settings

    params = read_params(arguments.root / "params.yaml").compare
    settings = Settings(params.alpha, params.sign_flips, params.sign_flip_seed)
    comparison = compare_models(read_entries(arguments.root), settings)
    return Answer(comparison_markdown(comparison), comparison.to_json())


def _baseline_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("set",), help="make a baseline of the recorded run")
    parser.add_argument("name", metavar="NAME", help="its name: a file in run_info/baselines")
    parser.add_argument("--model", help="default: the one that the comparison recommends")
    parser.add_argument("--about", default="", help="why this run is one to hold others against")
    parser.add_argument("--force", action="store_true", help="replace a baseline of that name")
    _add_root(parser)


def _baseline(arguments: argparse.Namespace) -> Answer:
    from reproof.flow.baseline import set_baseline

    path = set_baseline(
        arguments.root, arguments.name, arguments.model, arguments.about, arguments.force
    )
    return Answer(f"wrote {path}\n", {"path": str(path)})


def _audit_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("card", metavar="CARD", type=Path, help="a model card, or a run_N.json of cua-lite")
    add("--claims", metavar="FILE", type=Path,
        help="its claims in testable form (default: CARD.claims.yaml, or shipped)")  # fmt: skip
    add("--earlier", metavar="LOG", type=Path,
        help="an earlier log of the same environment: has the metric changed?")  # fmt: skip
    add("--negatives", metavar="ARM=FOLDER", type=_arm, action="append",
        help="a finished run of ours to show beside the card's arm, as in 4b=.")  # fmt: skip
    add("--format", choices=("text", "json", "markdown"), default="text",
        help="json is the same as --json")  # fmt: skip


def _audit(arguments: argparse.Namespace) -> Answer:
    from reproof.flow.audit import Asked, audit_as

    arguments.json = arguments.json or arguments.format == "json"
    is_markdown = arguments.format == "markdown"
    asked = Asked(arguments.claims, arguments.earlier, dict(arguments.negatives or ()))
    return Answer(*audit_as(arguments.card, asked, is_markdown))


def _arm(text: str) -> tuple[str, Path]:
    name, equals, folder = text.partition("=")
    if not (name and equals and folder):
        raise argparse.ArgumentTypeError(f"{text!r} is not ARM=FOLDER")
    return name, Path(folder)


VERBS = (
    Verb(
        "record",
        "write run_info/run_info.json and run_info.txt from what is on disk",
        "reproof record",
        _record_arguments,
        _record,
    ),
    Verb(
        "check",
        "is this run the one that the baseline is? " + _EXITS,
        "reproof check --baseline tiny",
        _check_arguments,
        _check,
    ),
    Verb(
        "compare",
        "the evaluated models side by side, computed again from data/eval",
        "reproof compare",
        _compare_arguments,
        _compare,
    ),
    Verb(
        "baseline",
        "make a baseline of a finished and recorded run",
        "reproof baseline set tiny --model epoch-1",
        _baseline_arguments,
        _baseline,
    ),
    Verb(
        "audit",
        "compute a published table again: do its numbers and claims hold? "
        "exit codes: 0 nothing is contradicted; 1 something is; 2 invalid input or usage",
        "reproof audit docs/examples/dpo-4b-mobilegym.txt",
        _audit_arguments,
        _audit,
    ),
)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="reproof",
        description="Is this the run they reported, what went into it, did it come out the same?",
    )
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    for verb in VERBS:
        purpose = verb.purpose.partition("exit codes:")
        own = verbs.add_parser(
            verb.name,
            help=purpose[0].strip(),
            description=verb.purpose,
            epilog=f"example: {verb.example}",
        )
        own.add_argument("--json", action="store_true", help="answer in JSON")
        verb.add_arguments(own)
        own.set_defaults(run=verb.run)
    return parser


def _add_root(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-C",
        "--root",
        type=folder,
        default=Path(),
        help="the project's folder (default: this one)",
    )


def _shown(answer: Answer, as_json: bool) -> str:
    if as_json:
        return json.dumps(answer.value, indent=2, sort_keys=True, allow_nan=False) + "\n"
    return answer.text


def _complain(error: ReproofError, as_json: bool) -> None:
    """One line for people on stderr; for programs the same in JSON on stdout."""
    if as_json:
        parts = {"where": error.where, "rule": error.rule, "way_out": error.way_out}
        print(json.dumps({"error": parts}, indent=2, sort_keys=True), flush=True)
    print(f"reproof: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
