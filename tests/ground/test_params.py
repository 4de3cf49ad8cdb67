"""params.yaml is read strictly, and says everything that is wrong with it at once."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from reproof.ground.errors import InputError, ParamsError
from reproof.ground.params import Params, TrainParams, read_params

COMMITTED = Path(__file__).parents[2] / "params.yaml"
VALID: dict[str, Any] = yaml.safe_load(COMMITTED.read_text())


def changed(key: str, value: object) -> dict[str, Any]:
    """The committed values with one of them, `section.name` or `name`, another."""
    section, _, name = key.rpartition(".")
    if not section:
        return VALID | {name: value}
    return VALID | {section: VALID[section] | {name: value}}


def read(values: object, folder: Path) -> Params:
    path = folder / "params.yaml"
    path.write_text(yaml.safe_dump(values))
    return read_params(path)


def complaint(values: object, folder: Path) -> str:
    with pytest.raises(ParamsError) as caught:
        read(values, folder)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{folder / 'params.yaml'}: ")
    return str(caught.value)


def test_the_committed_file_is_read_value_for_value() -> None:
    assert dataclasses.asdict(read_params(COMMITTED)) == VALID


def test_the_values_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        read_params(COMMITTED).train.epochs = 2  # type: ignore[misc]  # that it is forbidden is the test


@settings(max_examples=50, deadline=None)
@given(
    epochs=st.integers(1, 3),
    beta=st.floats(1e-6, 1e3),
    warmup=st.floats(0, 1, exclude_max=True),
    rate=st.floats(1e-12, 1),
    scheduler=st.sampled_from(["cosine", "linear", "constant_with_warmup"]),
)
def test_what_the_rules_allow_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory,
    epochs: int,
    beta: float,
    warmup: float,
    rate: float,
    scheduler: str,
) -> None:
    train = VALID["train"] | {
        "epochs": epochs,
        "beta": beta,
        "warmup_ratio": warmup,
        "learning_rate": rate,
        "lr_scheduler_type": scheduler,
    }
    params = read(VALID | {"train": train}, tmp_path_factory.getbasetemp())
    assert params.train == TrainParams(**train)


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("negatives", "3b", "negatives is '3b', must be one of 4b, 2b"),
        ("negatives", 4, "negatives is 4, must be a text, one of 4b, 2b"),
        ("scale", "huge", "scale is 'huge', must be one of tiny, paper"),
        ("seed", -1, "seed is -1, must be from 0 to 4294967295"),
        ("seed", True, "seed is True, must be a whole number, from 0 to 4294967295"),
        ("seed", 1.0, "seed is 1.0, must be a whole number, from 0 to 4294967295"),
        ("seed", None, "seed is empty, must be a whole number"),
        ("train.epochs", 4, "train.epochs is 4, must be from 1 to 3, as train-epoch@1..3 write"),
        ("train.epochs", 0, "train.epochs is 0, must be from 1 to 3"),
        ("train.pairs_per_step", 0, "train.pairs_per_step is 0, must be 1 or more"),
        ("train.learning_rate", 0, "train.learning_rate is 0, must be above 0"),
        ("train.learning_rate", -1e-5, "train.learning_rate is -1e-05, must be above 0"),
        (
            "train.learning_rate",
            float("nan"),
            "train.learning_rate is nan, must be a finite number",
        ),
        (
            "train.learning_rate",
            float("inf"),
            "train.learning_rate is inf, must be a finite number",
        ),
        ("train.beta", 10**400, "must be a finite number, above 0"),
        ("train.beta", "high", "train.beta is 'high', must be a number, above 0"),
        ("train.beta", False, "train.beta is False, must be a number, above 0"),
        ("train.warmup_ratio", 1, "train.warmup_ratio is 1, must be 0 or more and below 1"),
        ("train.lr_scheduler_type", "step", "must be one of cosine, linear, constant_with_warmup"),
        ("train", 3, "train is 3, must be a section of keys"),
        ("evaluate.split", "exam", "evaluate.split is 'exam', must be one of train, dev, test"),
        ("evaluate.tasks", 0, "evaluate.tasks is 0, must be 1 or more"),
        ("evaluate.temperature", -0.1, "evaluate.temperature is -0.1, must be 0 or more"),
        ("compare.alpha", 1, "compare.alpha is 1, must be above 0 and below 1"),
        ("compare.alpha", 0.0, "compare.alpha is 0.0, must be above 0 and below 1"),
        ("compare.saturation_tau", 0, "compare.saturation_tau is 0, must be above 0"),
    ],
)
def test_a_value_against_its_rule_is_named(
    tmp_path: Path, key: str, value: object, says: str
) -> None:
    assert says in complaint(changed(key, value), tmp_path)


def test_a_misspelt_key_is_answered_with_the_nearest_one(tmp_path: Path) -> None:
    values = VALID | {"train": VALID["train"] | {"lerning_rate": 1e-5}}
    assert "train.lerning_rate is no known key, did you mean train.learning_rate?" in complaint(
        values, tmp_path
    )


def test_a_key_like_no_other_is_only_called_unknown(tmp_path: Path) -> None:
    assert "zzz is no known key; correct" in complaint(VALID | {"zzz": 1}, tmp_path)


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    values = VALID | {"compare": {k: v for k, v in VALID["compare"].items() if k != "alpha"}}
    assert "compare.alpha is missing" in complaint(values, tmp_path)


def test_all_problems_come_in_one_message(tmp_path: Path) -> None:
    values = changed("train.epochs", 9) | {"negatives": "8b", "extra": 1}
    text = complaint(values, tmp_path)
    assert "3 problems: " in text
    assert all(name in text for name in ("train.epochs", "negatives", "extra"))


def test_a_whole_number_serves_as_a_float(tmp_path: Path) -> None:
    beta = read(changed("train.beta", 1), tmp_path).train.beta
    assert (beta, type(beta)) == (1.0, float)


@pytest.mark.parametrize("text", ["2e-5", "2e-05", "2.0e-5", "2.0E-5", "0.00002"])
def test_every_way_to_write_a_small_number_is_read(tmp_path: Path, text: str) -> None:
    """`dvc exp run -S` writes 2e-05, which PyYAML alone takes for text."""
    path = tmp_path / "params.yaml"
    path.write_text(
        COMMITTED.read_text().replace("learning_rate: 4.0e-5", f"learning_rate: {text}")
    )
    assert read_params(path).train.learning_rate == 2e-5


def test_a_quoted_number_is_still_text(tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_text(COMMITTED.read_text().replace("rate: 4.0e-5", 'rate: "2e-5"'))
    with pytest.raises(ParamsError, match=r"train\.learning_rate is '2e-5', must be a number"):
        read_params(path)


def test_a_key_given_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_text(COMMITTED.read_text() + "seed: 1\n")
    with pytest.raises(ParamsError, match="seed is given twice"):
        read_params(path)


@pytest.mark.parametrize("text", ["", "[]", "tiny", "- a"])
def test_a_file_without_keys_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "params.yaml"
    path.write_text(text)
    with pytest.raises(ParamsError, match="must be a section of keys"):
        read_params(path)


@pytest.mark.parametrize(
    "text", ["a: [", "a: b: c", "seed: !!python/name:os.system", "s: 2024-99-99"]
)
def test_a_file_that_is_not_yaml_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "params.yaml"
    path.write_text(text)
    with pytest.raises(ParamsError, match="is not YAML") as caught:
        read_params(path)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"params\.yaml: does not exist"):
        read_params(tmp_path / "params.yaml")
