"""The order in which the pages of congestion controls and queue policies are shown.

A name that is in no family is shown under "Others".
"""

LAWS = {
    "The window grows until a packet is lost": """
        reno hstcp scalable htcp bic cubic cubic-linux cubic2005 westwood hybla""",
    "Losses, and the trend of delays before them": """
        ghstcp ghstcp-refined hcc illinois compound yeah""",
    "Delay only": "vegas fast eefast copa swift",
    "A rate that is measured or probed": "bbr1 bbr3 c4 vivace udt",
    "For transfers that can wait": "lp ledbat++",
    "Marks instead of losses (ECN, L4S)": "dctcp prague scream",
    "Routers tell senders how much to send": "xcp vcp",
}

QUEUES = {
    "Only a limit": "droptail",
    "The average queue length decides": "red ared gared",
    "The waiting time decides": "codel pie",
    "A queue for each flow": "fq_codel cake",
    "Marks for scalable congestion controls": "step dualpi2",
    "Routers that compute for the sender": "xcp vcp",
}


def sorted_by_family(names: list[str], families: dict[str, str]) -> dict[str, list[str]]:
    """The names of each family that exist, and the others."""
    found = {family: [name for name in listed.split() if name in names] for family, listed in families.items()}
    shown = {name for listed in found.values() for name in listed}
    found["Others"] = [name for name in names if name not in shown]
    return {family: listed for family, listed in found.items() if listed}
