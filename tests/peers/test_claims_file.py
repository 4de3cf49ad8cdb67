import shutil
from pathlib import Path

import pytest

from reproof.ground.errors import InputError
from reproof.peers.card import read_card
from reproof.peers.claims_file import SHIPPED, find_claims, read_claims

CARD = Path(__file__).parents[2] / "docs" / "examples" / "dpo-4b-mobilegym.txt"
HEAD = """schema: reproof.claims/1
values:
  base: {row: Qwen3-VL-4B base}
  ep1: {row: iter_68 (epoch 1)}
"""


def refused(folder: Path, text: str) -> str:
    path = folder / "claims.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_claims(path, read_card(CARD, "card"))
    return str(caught.value)


def test_the_shipped_claims_are_found_for_the_card_s_very_bytes(tmp_path: Path) -> None:
    copy = tmp_path / "card.txt"
    shutil.copy(CARD, copy)
    assert find_claims(read_card(copy), copy) == SHIPPED / "dpo-4b-mobilegym.yaml"

    copy.write_text(CARD.read_text() + "\n")
    assert find_claims(read_card(copy), copy) is None


def test_claims_beside_the_card_come_first(tmp_path: Path) -> None:
    copy = tmp_path / "card.txt"
    shutil.copy(CARD, copy)
    (tmp_path / "card.claims.yaml").write_text("schema: reproof.claims/1\nclaims: []\n")

    assert find_claims(read_card(copy), copy) == tmp_path / "card.claims.yaml"


def test_every_shipped_claim_quotes_the_card_with_its_line() -> None:
    card = read_card(CARD, "card")
    lines = card.text.splitlines()
    claims = read_claims(SHIPPED / "dpo-4b-mobilegym.yaml", card)

    assert len(claims) == 10
    for quote in (quote for claim in claims for quote in claim.quotes):
        assert quote.text.split()[0] in lines[quote.place.line - 1]


def test_a_sentence_that_the_card_does_not_say_is_refused(tmp_path: Path) -> None:
    text = f"{HEAD}claims:\n- {{claim: x, says: It is the best of all., rule: arithmetic}}\n"

    assert "the card does not say 'It is the best of all.'" in refused(tmp_path, text)


def test_a_number_that_the_quotation_does_not_hold_is_refused(tmp_path: Path) -> None:
    text = """schema: reproof.claims/1
values:
  earlier: {quote: produced an iter_68 scoring 0.3793 / 72 successes, mean_return: 0.3893}
claims: []
"""
    assert "claims.yaml:3: 0.3893 does not stand in the quotation" in refused(tmp_path, text)


@pytest.mark.parametrize(
    ("claim", "rule"),
    [
        ("{claim: x, rule: arithmetic}", "lacks 'says'"),
        ("{claim: x, says: Usage, rule: vibes}", "'vibes' is no rule"),
        ("{claim: x, says: Usage, rule: greater}", "greater needs what to compare"),
        ("{claim: x, says: Usage, rule: greater, better: [ep9], than: [base]}", "'ep9' is not"),
        ("{claim: x, says: Usage, rule: differ, better: [ep1], metrics: [fun]}", "'fun' is no me"),
        (
            "{claim: x, says: Usage, rule: beyond-noise, better: ep1, than: base, repeats: ep1}",
            "must name two runs",
        ),
        ("{claim: x, says: Usage, rule: arithmetic, mood: good}", "'mood' does not belong here"),
    ],
)
def test_a_bad_claim_is_refused_with_its_line(tmp_path: Path, claim: str, rule: str) -> None:
    said = refused(tmp_path, f"{HEAD}claims:\n- {claim}\n")

    assert rule in said
    assert "claims.yaml:6" in said


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ("{row: no such row}", "the card has 0 rows named 'no such row'"),
        ("{n: 3}", "must name either a row or a quote"),
        ("{row: Qwen3-VL-4B (on-policy), column: ep9}", "there is no column 'ep9'"),
        ("{row: Qwen3-VL-4B (on-policy), column: ep1, metric: fun}", "'fun' is no metric"),
    ],
)
def test_a_bad_value_is_refused(tmp_path: Path, value: str, rule: str) -> None:
    text = f"schema: reproof.claims/1\nvalues:\n  x: {value}\nclaims: []\n"

    assert rule in refused(tmp_path, text)


def test_another_schema_is_refused(tmp_path: Path) -> None:
    assert "must be reproof.claims/1" in refused(tmp_path, "schema: x\nclaims: []\n")
