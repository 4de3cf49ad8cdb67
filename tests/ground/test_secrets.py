import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.ground.secrets import MASK, clean, clean_text, is_secret_name, without_secrets
from tests.secret_corpus import corpus

CORPUS = corpus(1)
ROOT = Path(__file__).parents[2]
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def test_there_are_fifty_kinds_and_more() -> None:
    assert len(CORPUS) >= 50


@pytest.mark.parametrize("kind", CORPUS)
def test_each_kind_is_found_wherever_it_stands(kind: str) -> None:
    text, secret = CORPUS[kind]
    for place in (text, f"before {text} after", f"+{text}\n unrelated", f"('{text}', 1)"):
        shown, found = clean_text(place)
        assert secret not in shown, place
        assert found >= 1


@pytest.mark.parametrize("kind", CORPUS)
def test_what_stands_around_it_stays(kind: str) -> None:
    shown = without_secrets(f"steps = 300\n{CORPUS[kind][0]}\nseed = 1234")
    assert shown.startswith("steps = 300\n")
    if not kind.endswith(" key") or "key-" in CORPUS[kind][0]:
        assert shown.endswith("\nseed = 1234")


@given(st.integers(0, 2**32), st.sampled_from(sorted(CORPUS)))
def test_the_kinds_are_found_whatever_their_letters(seed: int, kind: str) -> None:
    text, secret = corpus(seed)[kind]
    assert secret not in without_secrets(text)


@given(st.text())
def test_masking_again_finds_nothing_more(text: str) -> None:
    once = without_secrets(text)
    assert clean_text(once) == (once, 0)


@pytest.mark.parametrize("kind", CORPUS)
def test_masking_a_secret_again_finds_nothing_more(kind: str) -> None:
    once = without_secrets(f"x {CORPUS[kind][0]} y")
    assert clean_text(once) == (once, 0)


@given(PLAIN)
def test_values_keep_their_structure_and_numbers(value: object) -> None:
    shown, found = clean(value)
    assert type(shown) is type(value)
    if not found:
        assert shown == value


@pytest.mark.parametrize(
    "text",
    [
        "a" * 40,
        "0123456789abcdef" * 4,
        "max_new_tokens=32",
        "--max-new-tokens 32",
        "pad_token='<pad>'",
        "eos_token = '<|im_end|>'",
        "eos_token_id: 2",
        "tokenizer = load(path)",
        "token = next(stream)",
        "password: str",
        "password = getpass()",
        "password=$DB_PASSWORD",
        "def login(token: str | None) -> None:",
        "python stages/train_epoch.py 1",
        "https://github.com/team/run.git",
        "git@github.com:team/run.git",
        "models/epoch-1/model.safetensors",
        "basic usage of the tokens of this model",
        "the task-completion-rate-of-all-models",
        "sk-learn-compatible-estimators-of-all-kinds",
        "sha256:" + "0" * 64,
        "every key that is `seed` or ends in `_seed`",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert clean_text(text) == (text, 0)


@pytest.mark.parametrize("file", ["dvc.yaml", "params.yaml", "pyproject.toml", "requirements.lock"])
def test_nothing_is_found_in_our_own_files(file: str) -> None:
    assert clean_text((ROOT / file).read_text())[1] == 0


def test_code_that_passes_secrets_on_is_left_alone() -> None:
    for path in sorted((ROOT / "src/reproof").rglob("*.py")):
        if "secret" not in path.name:
            shown, _ = clean_text(path.read_text())
            assert shown == path.read_text(), path


def test_what_stands_under_a_secret_name_is_masked_whatever_it_is() -> None:
    value = {"db": {"password": "x", "pin_password": 1234, "user": "me"}, "credentials": ["a", "b"]}
    shown, found = clean(value)
    assert shown == {
        "db": {"password": MASK, "pin_password": MASK, "user": "me"},
        "credentials": [MASK, MASK],
    }
    assert found == 4


def test_an_argv_is_read_as_one() -> None:
    argv = ["python", "x.py", "--api-key", "plainword", "--steps", "3"]
    assert clean(argv) == (["python", "x.py", "--api-key", MASK, "--steps", "3"], 1)


def test_names_are_masked_and_two_that_look_alike_then_stay_two() -> None:
    one, two = corpus(1)["github classic"][0], corpus(2)["github classic"][0]
    assert clean({one: 1, two: 2}) == ({MASK: 1, f"{MASK}'": 2}, 2)


@pytest.mark.parametrize("name", ["DB_PASSWORD", "apiKey", "api-key", "HF_TOKEN", "clientSecret"])
def test_secret_names(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["max_new_tokens", "pad_token", "key", "pass_rate", "tokenizer"])
def test_names_that_are_none(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize("sign", ["a", "=", "a=", "://", "-", ".", "eyJ", "-----BEGIN ", "token="])
def test_no_text_takes_long(sign: str) -> None:
    text = sign * (200_000 // len(sign))
    begun = time.perf_counter()
    clean_text(text)
    assert time.perf_counter() - begun < 5
