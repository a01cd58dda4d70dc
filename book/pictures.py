"""One picture of each congestion control and queue policy at work, and one of each congestion
control's rate under packet loss. The scenarios are the same for all, so that pages can be
compared.
"""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path

# the queue that a congestion control needs at the bottleneck, if not DropTail
QUEUE_OF = {"dctcp": "step", "prague": "dualpi2", "xcp": "xcp", "vcp": "vcp"}
# the congestion control that shows what a queue policy is for
LAWS_OF = {"step": ("dctcp", "dctcp"), "dualpi2": ("prague", "cubic"), "xcp": ("xcp", "xcp"), "vcp": ("vcp", "vcp")}

DUMBBELL = """\
[dumbbell]
rate = "50Mbit"
delay = "18ms"
queue = {{ policy = "{queue}", limit = "{limit}" }}
access = {{ rate = "1Gbit", delay = "1ms" }}
"""

AT_WORK = (
    """\
title = "{title}"
profile = "linux"
duration = "60s"

"""
    + DUMBBELL
    + """
[[flows]]
name = "first"
cc = "{first}"{ecn}

[[flows]]
name = "second"
cc = "{second}"{ecn}
start = "20s"

[trace]
interval = "50ms"
links = "bottleneck"
"""
)

LOSSY = """\
title = "{title}"
profile = "linux"
duration = "100s"

[dumbbell]
rate = "50Mbit"
delay = "48ms"
queue = {{ policy = "{queue}", limit = "1bdp" }}
access = {{ rate = "1Gbit", delay = "1ms" }}
loss = 1e-4

[[flows]]
name = "flow"
cc = "{first}"
"""


LOSSES = "dumbbell.loss=1e-5..1e-2:7:log"


@dataclass
class Picture:
    """A picture as SVG, and how to make it."""

    place: str  # in the book
    scenario: str
    commands: list[list[str]]  # after `tusker`; the last one draws
    printed: str = ""  # by the first command

    def shown(self) -> str:
        """The scenario and the commands as a reader would type them."""
        typed = "\n".join("tusker " + " ".join(command) for command in self.commands)
        return f"```toml\n# at-work.toml\n{self.scenario}```\n\n```sh\n{typed}\n```\n"


def at_work(kind: str, name: str) -> Picture:
    if kind == "cc":
        queue, limit, laws, figure = QUEUE_OF.get(name, "droptail"), "1bdp", (name, name), "time"
        title = f"Two flows of {name}"
    else:
        queue, limit, figure = name, "2bdp", "time.queue"
        laws = LAWS_OF.get(name, ("cubic", "cubic"))
        title = f"Two flows behind {name}"
    ecn = "\ntcp = { ecn = true }" if name == "dualpi2" else ""
    first, second = laws
    text = AT_WORK.format(title=title, queue=queue, limit=limit, first=first, second=second, ecn="")
    if ecn:  # prague sets its own
        text = text.replace(f'cc = "{second}"', f'cc = "{second}"{ecn}')
    commands = [
        ["run", "at-work.toml", "--out", "at-work"],
        ["report", "at-work", "--figure", figure, "--svg", "at-work.svg"],
    ]
    return Picture(f"{kind}/{name}", text, commands)


def over_losses(name: str) -> Picture:
    text = LOSSY.format(title=f"{name} under packet loss", queue=QUEUE_OF.get(name, "droptail"), first=name)
    over = name if name == "reno" or name in QUEUE_OF else f"reno,{name}"
    commands = [
        ["sweep", "lossy.toml", "--over", f"cc={over}", "--over", LOSSES, "--replicates", "3", "--out", "lossy"],
        ["report", "lossy", "--figure", "goodput-bps-dumbbell-loss", "--svg", "lossy.svg"],
    ]
    return Picture(f"loss/{name}", text, commands)


def make(picture: Picture, tusker: Path, folder: Path) -> None:
    """Runs a picture's commands in a separate folder; keeps the output of the first."""
    here = folder / picture.place
    here.mkdir(parents=True, exist_ok=True)
    first = picture.commands[0]
    (here / first[1]).write_text(picture.scenario, encoding="utf-8")
    again = ["--force"] if first[0] == "run" else []
    for number, command in enumerate(picture.commands):
        more = ["--quiet", "--jobs", "1", *again] if number == 0 else []
        done = subprocess.run(
            [str(tusker), *command, *more], cwd=here, capture_output=True, text=True, check=False, timeout=300
        )
        if done.returncode != 0:
            raise RuntimeError(f"in {here}: tusker {' '.join(command)}\n{done.stderr}")
        if number == 0:
            picture.printed = done.stdout


def make_all(pictures: list[Picture], tusker: Path, folder: Path) -> None:
    with ThreadPoolExecutor(cpu_count()) as pool:
        for _ in pool.map(lambda picture: make(picture, tusker, folder), pictures):
            pass
