"""A record without secrets: what is written out. Digests are of the facts as they were."""

from dataclasses import replace

from reproof.ground.secrets import clean
from reproof.record import codec
from reproof.record.record import Masked, RunRecord


def without_secrets(run: RunRecord) -> RunRecord:
    """The record with every secret masked, and with how many there were.

    Its ids stay those of the unmasked facts; where they cannot be computed from what is shown,
    the record holds them, with the digest of what is shown beside each. Without secrets the
    record comes back as it is.
    """
    shown, count = clean(codec.to_json(run))
    if not count:
        return run
    public: RunRecord = codec.from_json(RunRecord, shown, "the record without secrets")
    public = replace(public, masked=None)
    seen = public.shown_ids()
    real = {"inputs_id": run.inputs_id, "environment_id": run.environment_id}
    real["outputs_id"] = run.outputs_id
    hidden = [name for name, digest in real.items() if digest != seen[name]]
    ids = {name: digest for name in hidden if isinstance(digest := real[name], str)}
    before = run.masked.count if run.masked else 0
    shown_ids = {name: digest for name in ids if isinstance(digest := seen[name], str)}
    return replace(public, masked=Masked(count + before, ids, shown_ids))
