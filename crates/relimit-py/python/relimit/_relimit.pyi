from collections.abc import Callable
from os import PathLike

import numpy as np
from numpy.typing import NDArray

_F = NDArray[np.float64]
_Table = tuple[list[_F], list[str], str]
_Given = tuple[_F, _F, _F, _F, list[str] | None, str | None, str]
_Parts = tuple[_F, _F, _F, _F, list[str] | None, str | None]

__all__ = [
    "COMMANDS",
    "__version__",
    "ask",
    "read_network",
    "save_network",
    "study_page",
    "sweep",
    "sweep_rows",
    "sweep_unit",
]
__version__: str
COMMANDS: list[str]

def ask(
    command: str,
    words: str,
    table: _Table | None,
    network: _Given | None,
    wants_network: bool,
    progress: Callable[[int, int | None], object] | None = None,
) -> tuple[dict[str, object], _Parts | None]: ...
def read_network(path: str | PathLike[str]) -> tuple[_Parts, list[str]]: ...
def save_network(path: str | PathLike[str], network: _Given) -> None: ...
def study_page(answer: str) -> str: ...
def sweep(
    name: str,
    text: str,
    folder: str | PathLike[str],
    out: str | PathLike[str],
    threads: int | None,
    keep: tuple[bool, bool],
    unit: int | None,
    progress: Callable[[int, int | None], object] | None,
) -> tuple[int, int, int, int, int]: ...
def sweep_unit(out: str | PathLike[str], index: int, threads: int) -> tuple[bool, str | None]: ...
def sweep_rows(out: str | PathLike[str]) -> tuple[dict[str, list[object]], list[str]]: ...
