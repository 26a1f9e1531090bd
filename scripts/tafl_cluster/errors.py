"""Errors that a user reads: one line, and perhaps one line of advice."""


class ClusterError(Exception):
    """What is wrong, in the user's words."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message

    def lines(self) -> str:
        """Returns what is printed."""
        return f"error: {self.message}" + (f"\nhint: {self.hint}" if self.hint else "")


def reason(error: BaseException) -> str:
    """Returns the first line of an error that another library raised."""
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
