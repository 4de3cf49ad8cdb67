"""Made-up records, and the parts they are made of."""

from typing import Any

from hypothesis import strategies as st

from reproof.ground.unknown import Unknown
from reproof.record.artifact import RecordedArtifact
from reproof.record.pipeline import Pipeline, RecordedStage
from reproof.record.record import RunRecord
from reproof.record.results import ModelResult, RecordedFile, RecordedWeights
from reproof.record.weights import FileDigest
from reproof.record.world import (
    Change,
    Environment,
    GitState,
    Gpu,
    Machine,
    PackageDifference,
    Packages,
    Setting,
)

texts = st.text(st.characters(codec="utf-8"), max_size=8)
counts = st.integers(0, 2**53)
unknowns = st.builds(Unknown, texts)
floats = st.floats(allow_nan=False, allow_infinity=False)
plain = st.recursive(
    st.none() | st.booleans() | counts | floats | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)


def fact(known: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A value, or the reason why there is none."""
    return known | unknowns


def rows(known: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A tuple of a few."""
    return st.lists(known, max_size=2).map(tuple)


def by_name(known: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A mapping of a few."""
    return st.dictionaries(texts, known, max_size=2)


mappings = by_name(plain).filter(lambda value: list(value) != ["unknown"])
artifacts = st.builds(
    RecordedArtifact,
    path=texts,
    md5=texts,
    size=st.none() | counts,
    nfiles=st.none() | counts,
    on_disk=st.sampled_from(["same", "changed", "missing"]),
    sha256=fact(texts),
)
stages = st.builds(
    RecordedStage,
    name=texts,
    cmd=texts,
    is_frozen=st.booleans(),
    deps=rows(artifacts),
    params=by_name(by_name(plain)),
    outs=rows(artifacts),
)
pipelines = st.builds(Pipeline, stages=rows(stages), not_run=rows(texts))
files = st.builds(RecordedFile, path=texts, sha256=texts, content=plain)
changes = st.builds(Change, path=texts, kind=texts)
git_states = st.builds(
    GitState,
    commit=fact(texts),
    branch=fact(texts),
    remote=fact(texts),
    changes=rows(changes),
    generated_changes=rows(changes),
)
machines = st.builds(
    Machine,
    system=texts,
    release=texts,
    architecture=texts,
    cpu_model=fact(texts),
    cpu_flags=fact(rows(texts)),
    cores=fact(counts),
    cores_present=fact(counts),
    memory_bytes=fact(counts),
    gpus=fact(rows(st.builds(Gpu, name=texts, driver=texts, memory_mib=counts))),
    container=fact(texts),
)
differing = st.builds(
    PackageDifference, name=texts, locked=st.none() | texts, installed=st.none() | texts
)
packages = st.builds(
    Packages,
    lock_path=texts,
    lock_sha256=fact(texts),
    installed=by_name(texts),
    differences=fact(rows(differing)),
)
settings = st.builds(
    Setting,
    pinned=st.none() | fact(texts),
    read_back=fact(texts | counts | st.booleans()),
)
environments = st.builds(
    Environment,
    python=texts,
    implementation=texts,
    packages=packages,
    machine=machines,
    threads=by_name(settings),
    switches=by_name(settings),
)
weights = st.builds(
    RecordedWeights,
    root=texts,
    n_tensors=counts,
    files=rows(st.builds(FileDigest, path=texts, sha256=texts, size=counts)),
)
results = st.builds(
    ModelResult,
    path=texts,
    sha256=texts,
    content=st.fixed_dictionaries({"model": texts, "metrics": by_name(floats)}),
    episodes_path=texts,
    episodes_sha256=fact(texts),
)
records = st.builds(
    RunRecord,
    created=texts,
    reproof_version=fact(texts),
    git=fact(git_states),
    pipeline=fact(pipelines),
    params=fact(mappings),
    seeds=fact(mappings),
    environment=environments,
    inputs=fact(files),
    dedup=fact(files),
    weights=by_name(fact(weights)),
    checkpoints=by_name(fact(files)),
    signals=by_name(fact(files)),
    results=by_name(fact(results)),
    comparison=fact(files),
    mlflow=fact(mappings),
    sources=by_name(texts),
)
