"""Cards that are data: our own YAML form, and the `model-index` of Hugging Face cards."""

from collections.abc import Iterator, Mapping

from reproof.ground.unknown import Unknown
from reproof.peers.card_cells import Column, column, parse_cell
from reproof.peers.marked import Branch, Leaf, Marked, branch, rows, text_of, whole
from reproof.verdict.claims import Cell, ClaimedRow, ClaimedTable, Place

SCHEMA = "reproof.card/1"
_NO_N = Unknown("the card does not say how many tasks were run")


def own_tables(card: Marked) -> list[ClaimedTable]:
    """Tables of a card in our form: `{schema, title, tables: [{title, n, rows: [...]}]}`."""
    top = branch(card, ("schema", "title", "text", "tables"), ("schema", "tables"))
    return [_own_table(table) for table in rows(top.items["tables"])]


def _own_table(value: Marked) -> ClaimedTable:
    table = branch(value, ("title", "n", "rows"), ("title", "rows"))
    n = whole(table.items["n"]) if "n" in table.items else _NO_N
    made = tuple(_own_row(row) for row in rows(table.items["rows"]))
    names = tuple(dict.fromkeys(name for row in made for name in row.cells))
    return ClaimedTable(text_of(table.items["title"]), names, made, n, table.place)


def _own_row(value: Marked) -> ClaimedRow:
    row = branch(value, (), ("name",))
    cells: dict[str, Cell] = {}
    conditions: dict[str, str] = {}
    for name, item in row.items.items():
        kind = column(name)
        if kind.is_condition:
            conditions[kind.name] = text_of(item)
        elif name != "name":
            cells[kind.name] = _cell(item, kind)
    return ClaimedRow(text_of(row.items["name"]), cells, row.place, conditions)


def index_tables(front_matter: Marked) -> Iterator[ClaimedTable]:
    """One table a data set: its rows are the models that report results on it."""
    top = branch(front_matter)
    tables: dict[str, list[ClaimedRow]] = {}
    for model in rows(top.items["model-index"]):
        named = branch(model, (), ("name", "results"))
        for result in rows(named.items["results"]):
            title, row = _index_row(text_of(named.items["name"]), branch(result, (), ("metrics",)))
            tables.setdefault(title, []).append(row)
    for title, made in tables.items():
        names = tuple(dict.fromkeys(name for row in made for name in row.cells))
        yield ClaimedTable(title, names, tuple(made), _NO_N, made[0].place)


def _index_row(model: str, result: Branch) -> tuple[str, ClaimedRow]:
    dataset = result.items.get("dataset")
    facts: Mapping[str, Marked] = branch(dataset).items if dataset else {}
    title = text_of(facts["name"]) if "name" in facts else "results"
    conditions = {"split": text_of(facts["split"])} if "split" in facts else {}
    arguments = facts.get("args")
    if isinstance(arguments, Branch):
        for name, item in arguments.items.items():
            if column(name).is_condition and isinstance(item, Leaf):
                conditions[column(name).name] = item.text
    cells = dict(_metric(metric) for metric in rows(result.items["metrics"]))
    return title, ClaimedRow(model, cells, result.place, conditions)


def _metric(value: Marked) -> tuple[str, Cell]:
    metric = branch(value, (), ("type", "value"))
    kind = column(text_of(metric.items["type"]))
    if not kind.is_metric and "name" in metric.items:
        named = column(text_of(metric.items["name"]))
        kind = named if named.is_metric else kind
    return kind.name, _cell(metric.items["value"], kind)


def _cell(item: Marked, kind: Column) -> Cell:
    if isinstance(item, Leaf) and (item.is_null or not item.text):
        return Unknown("the card leaves it out")
    place: Place = item.place
    return parse_cell(text_of(item), kind, place)[0]
