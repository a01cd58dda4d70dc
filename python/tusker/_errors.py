"""Errors, with the text that the command line prints."""


class Error(Exception):
    """Something went wrong. The text is what `tusker` prints: the place, what was
    expected, and a remedy."""


class InputError(Error, ValueError):
    """The input is wrong: a scenario, an option, or a folder. The text says where."""


class Note(UserWarning):
    """A setting that works but seldom does what is expected."""
