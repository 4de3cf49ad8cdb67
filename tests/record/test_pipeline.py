from reproof.record.artifact import RecordedArtifact
from reproof.record.pipeline import Pipeline, RecordedStage


def artifact(path: str) -> RecordedArtifact:
    return RecordedArtifact(path, "m", None, None, "same", f"sha of {path}")


def stage(name: str, deps: str, outs: str, is_frozen: bool = False) -> RecordedStage:
    both = [tuple(artifact(path) for path in paths.split()) for paths in (deps, outs)]
    return RecordedStage(name, "cmd", is_frozen, both[0], {}, both[1])


PIPELINE = Pipeline(
    (
        stage("inputs", "make.py", "models/init raw.parquet", is_frozen=True),
        stage("train", "train.py models/init/config.json raw.parquet", "models/epoch-1"),
        stage("evaluate", "eval.py models/epoch-1", "eval/e/result.json eval/e/rows.parquet"),
        stage("compare", "compare.py eval/e data", "table.json"),
        stage("record", "record.py table.json", ""),
    ),
    (),
)


def test_only_what_no_stage_makes_is_outside() -> None:
    # a file of a made folder and the folder of made files are both made
    assert set(PIPELINE.outside()) == {"train.py", "eval.py", "compare.py", "data"}


def test_frozen_stages_give_and_the_others_make() -> None:
    assert set(PIPELINE.given()) == {"models/init", "raw.parquet"}
    made = {"models/epoch-1", "eval/e/result.json", "eval/e/rows.parquet", "table.json"}
    assert set(PIPELINE.made()) == made
    assert [s.name for s in PIPELINE.makers()] == ["train", "evaluate", "compare"]


def test_a_name_that_only_begins_alike_is_another_path() -> None:
    alike = Pipeline((stage("s", "models/init-2 modelsx", "models/init"),), ())
    assert set(alike.outside()) == {"models/init-2", "modelsx"}
