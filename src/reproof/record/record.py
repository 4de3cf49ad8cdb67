"""RunRecord: what went into a run, what surrounded it and what came out, as one value.

A record is computed from what is on disk, never from what code remembered to log.
Every fact has a value or an Unknown that says why there is none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reproof.ground.canon import sha256_of
from reproof.ground.errors import InputError
from reproof.ground.files import read_json
from reproof.ground.unknown import Unknown
from reproof.record import codec, identity
from reproof.record.agreement import Guards
from reproof.record.pipeline import Pipeline
from reproof.record.results import ModelResult, RecordedFile, RecordedWeights
from reproof.record.world import Environment, GitState

SCHEMA_VERSION = 1
_UNGUARDED = Unknown("recorded before stages were guarded")


@dataclass(frozen=True, slots=True)
class Masked:
    """How many secrets were taken out of the facts, and the ids of the facts as they were.

    `ids` holds those ids that cannot be computed from what is shown. `shown` is the SHA-256 of
    what is shown instead, so that an edit of the file is seen all the same.
    """

    count: int
    ids: Mapping[str, str]
    shown: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """Everything known about one run.

    `created` is when the record was written (ISO 8601, UTC). `weights` is keyed by
    path, `checkpoints`, `signals` and `results` by model. `sources` says for each
    kind of fact where it was read. `masked` is None where nothing had to be. The three
    digests are computed from the facts and cannot be set; `identity` defines what each covers.
    """

    created: str
    reproof_version: str | Unknown
    git: GitState | Unknown
    pipeline: Pipeline | Unknown
    params: Mapping[str, Any] | Unknown
    seeds: Mapping[str, Any] | Unknown
    environment: Environment
    inputs: RecordedFile | Unknown
    dedup: RecordedFile | Unknown
    weights: Mapping[str, RecordedWeights | Unknown]
    checkpoints: Mapping[str, RecordedFile | Unknown]
    signals: Mapping[str, RecordedFile | Unknown]
    results: Mapping[str, ModelResult | Unknown]
    comparison: RecordedFile | Unknown
    mlflow: Mapping[str, Any] | Unknown
    sources: Mapping[str, str]
    guards: Guards | Unknown = _UNGUARDED
    masked: Masked | None = None

    def inputs_facts(self) -> dict[str, Any] | Unknown:
        """What `inputs_id` is the digest of."""
        return identity.inputs_facts(self.pipeline, self.environment.packages.lock_path)

    def environment_facts(self) -> dict[str, Any] | Unknown:
        """What `environment_id` is the digest of."""
        return identity.environment_facts(self.environment)

    def outputs_facts(self) -> dict[str, Any] | Unknown:
        """What `outputs_id` is the digest of."""
        return identity.outputs_facts(self.pipeline, self.weights, self.dedup, self.results)

    @property
    def inputs_id(self) -> str | Unknown:
        """SHA-256 of the canonical JSON of `inputs_facts`: given data, code, params, commands."""
        return self._id("inputs")

    @property
    def environment_id(self) -> str | Unknown:
        """SHA-256 of the canonical JSON of `environment_facts`: packages, Python, CPU, threads."""
        return self._id("environment")

    @property
    def outputs_id(self) -> str | Unknown:
        """SHA-256 of the canonical JSON of `outputs_facts`: weights, pairs, episodes, metrics."""
        return self._id("outputs")

    def _id(self, kind: str) -> str | Unknown:
        computed = _digest(getattr(self, f"{kind}_facts")())
        return self.masked.ids.get(f"{kind}_id", computed) if self.masked else computed

    def shown_ids(self) -> dict[str, str | Unknown]:
        """The digests of the facts that are shown: the ids, unless a fact of theirs is masked."""
        kinds = ("inputs", "environment", "outputs")
        return {f"{kind}_id": _digest(getattr(self, f"{kind}_facts")()) for kind in kinds}

    def to_json(self) -> dict[str, Any]:
        """The content of run_info.json; `from_json` gives the record back."""
        head = {"schema_version": SCHEMA_VERSION, "ids": codec.to_json(self._ids())}
        return head | codec.to_json(self)  # type: ignore[no-any-return]

    @classmethod
    def from_json(cls, value: Any, where: str = "run_info.json") -> "RunRecord":
        """Parse what `to_json` gave. InputError when a fact is amiss or an id does not fit."""
        if not isinstance(value, dict) or type(value.get("schema_version")) is not int:
            raise InputError(where, "is no run record", "give the path of a run_info.json")
        if value["schema_version"] != SCHEMA_VERSION:
            rule = f"has schema version {value['schema_version']}, this reproof reads 1"
            raise InputError(where, rule, "use a newer reproof")
        facts = {key: item for key, item in value.items() if key not in ("schema_version", "ids")}
        record: RunRecord = codec.from_json(cls, facts, where)
        if value.get("ids") != codec.to_json(record._ids()) or not record._shows_what_it_showed():
            rule = "its ids are not those of its facts: somebody edited the file"
            raise InputError(where, rule, "write it again with `reproof record`")
        return record

    def _shows_what_it_showed(self) -> bool:
        now = self.shown_ids()
        return self.masked is None or all(now[n] == id_ for n, id_ in self.masked.shown.items())

    def _ids(self) -> dict[str, Any]:
        return {
            "inputs_id": self.inputs_id,
            "environment_id": self.environment_id,
            "outputs_id": self.outputs_id,
        }


def read_record(path: Path) -> RunRecord:
    """Read a run_info.json of any released schema."""
    return RunRecord.from_json(read_json(path), str(path))


def _digest(facts: dict[str, Any] | Unknown) -> str | Unknown:
    return facts if isinstance(facts, Unknown) else sha256_of(facts)
