"""Every error that reproof raises on purpose: what is wrong, which rule, and the way out."""


class ReproofError(Exception):
    """Root of all errors. The command line prints it in one line and exits with 2."""

    def __init__(self, where: str, rule: str, way_out: str) -> None:
        self.where, self.rule, self.way_out = where, rule, way_out
        super().__init__(f"{where}: {rule}; {way_out}")


class InputError(ReproofError):
    """A file, or a row in it, is not what it must be."""


class ParamsError(ReproofError):
    """A value in params.yaml, or on the command line, is not allowed."""


class StageError(ReproofError):
    """A stage cannot go on: something it depends on is not there or has changed."""


class DiskError(ReproofError):
    """The operating system would not read or write."""


class ToolError(ReproofError):
    """A program or package that is needed did not do its work."""
