"""Requests for the second half of a stage's service, and what it is to do with each of them."""

from rewardware.hw.cores.tree.memoization import Part
from rewardware.hw.cores.tree.records import edge_record, node_record, request_arguments
from rewardware.hw.cores.tree.requests import RequestKind, Status
from rewardware.hw.cores.tree.stage_layouts import CommandKind, selection_layout
from rewardware.sim.cocotb.codec import codec_of

from ..stimulus import noise
from .values import values

NONE, NEW, EDGE, END = (part.value for part in (Part.NONE, Part.NEW, Part.EDGE, Part.END))
LINKS = ("in_flight", "child", "bank", "row")
LARGEST_REWARD = (1 << 15) - 1
MOST_VISITS = (1 << 16) - 1


class PlainNodes:
    """Nodes with their edges, and what each request does to them."""

    def __init__(self, config, random):
        self.config = config
        self.statistics = ("visits", "total") + (() if config.policy == "uct" else ("prior",))
        self.nodes, self.edges = [], []
        for _ in range(config.slots):
            is_pending = random.random() < 0.4
            node = values(node_record(config), random)
            edges = [values(edge_record(config), random) for _ in range(config.fanout)]
            if is_pending:
                node |= {"evaluated": 0, "terminal": 0, "visits": 0}
                for edge in edges:
                    edge |= dict.fromkeys((*LINKS, "visits", "total", "value"), 0)
            else:
                # One visit is left to the greatest count.
                node |= {"evaluated": 1, "visits": min(node["visits"], MOST_VISITS - 1)}
                for edge in edges:
                    visits = min(edge["visits"], MOST_VISITS - 1)
                    edge |= {"visits": visits, "total": max(-visits << 15, min(edge["total"], visits << 15))}
            self.nodes.append(node)
            self.edges.append(edges)

    def backup(self, slot, action, reward):
        edge = self.edges[slot][action]
        edge["in_flight"] -= 1
        edge["visits"] += 1
        edge["total"] += reward
        self.nodes[slot]["visits"] += 1


class Request:
    """A request as it comes from the first half, and everything that is expected of it.

    In the request that goes on, ``selection`` is the body as fields, None if the body stays as it was; ``status`` is
    None if it counts for nothing yet.
    """

    def __init__(self, chosen):
        self.chosen = chosen
        self.effects, self.selection = {}, None
        self.status = chosen["queued"]["request"]["status"]
        # The row for its new node, None if there is none; whether it asks for one.
        self.row, self.asks_row = None, False

    def forward(self, got, selection):
        """The request to be passed on, and the fields of the passed one that must be the same."""
        expected = dict(self.chosen["queued"]["request"])
        if self.selection is not None:
            expected["body"] = self.selection
            got = got | {"body": selection.unpack(got["body"] & (1 << selection.width) - 1)}
        expected["status"] = got["status"] if self.status is None else self.status
        return expected, got


class Source:
    """Random requests; what they do is done to the nodes at once."""

    def __init__(self, config, random, codec, nodes, level, alternate):
        self.config, self.random, self.codec, self.plain = config, random, codec, nodes
        self.level, self.negates = level, alternate and level % 2
        self.selection = codec_of(selection_layout(config))
        self.body_width = field_of(codec, "queued", "request", "body").width
        self.arguments = request_arguments(config)
        self.last_slot = 0

    def pack(self, codec, body):
        """The body of a request, with noise in the bits above."""
        above = int(self.random.integers(1 << 8)) << codec.width
        return codec.pack(body) | above & (1 << self.body_width) - 1

    def slot_with(self, condition):
        """Often the one of the request before."""
        slots = [slot for slot, node in enumerate(self.plain.nodes) if condition(node)]
        if not slots:
            return None
        if self.last_slot not in slots or self.random.random() < 0.4:
            self.last_slot = int(self.random.choice(slots))
        return self.last_slot

    def action_with(self, slot, condition):
        actions = [action for action, edge in enumerate(self.plain.edges[slot]) if condition(edge)]
        # Mostly the first, so that requests meet.
        return None if not actions else actions[0] if self.random.random() < 0.5 else int(self.random.choice(actions))

    def next(self):
        """One request, or the two turns of a prior."""
        kinds = [self.descends, self.descends, self.ends, self.passes, self.backs_up, self.backs_up, self.evaluates]
        if self.config.policy != "uct":
            kinds += [self.sets_prior, self.sets_prior]
        while True:
            requests = kinds[self.random.integers(len(kinds))]()
            if requests:
                return requests

    def request(self, kind, part, slot=0, action=0, **fields):
        chosen = noise(self.codec, self.random)
        queued = chosen["queued"]
        queued |= {"part": part, "slot": slot, "action": action}
        queued["request"] |= {"kind": int(kind), "accepted": 1}
        place = self.place(slot, action)
        return Request(chosen | {"place": place, "exists": 1, "chooses": 0, "is_last": 1} | fields)

    def place(self, slot, action):
        flit, lane = divmod(action, self.config.lanes)
        return {"slot": slot, "action": action, "flit": flit, "lane": lane}

    def select(self, part, **fields):
        """A selection with what it has found so far; and that."""
        request = self.request(RequestKind.SELECT, part, **fields)
        selection = noise(self.selection, self.random)
        selection |= {"descends": int(part in (EDGE, NEW)), "inserted": int(part == NEW)}
        request.chosen["queued"]["request"]["body"] = self.pack(self.selection, selection)
        return request, selection

    def remember(self, request, part):
        """The entry of a selection that is to be remembered."""
        queued = request.chosen["queued"]
        memory = {"part": part}
        if part != NONE:
            memory["node"] = queued["node"]
        if part == EDGE:
            memory["action"] = request.chosen["place"]["action"]
        # The port has the bits that a worker of the tree needs.
        worker = queued["request"]["worker"] % (1 << max(1, (self.config.workers - 1).bit_length()))
        request.effects["remember"] = {"worker": worker, "memory": memory}

    def write(self, request, *parts, is_late=0):
        """The parts that are written to the buffer, and the command that writes them to the bank."""
        plain, place, queued = self.plain, request.chosen["place"], request.chosen["queued"]
        edge = plain.edges[place["slot"]][place["action"]]
        fields = {"links": LINKS, "statistics": plain.statistics, "mean": ("value", "factor")}
        written = {name: edge[name] for part in parts if part != "node" for name in fields[part]}
        effects = {"write": sorted(parts), "slot": place["slot"]}
        body = {"kind": CommandKind.WRITE.value, "row": queued["node"]["row"]}
        if written:
            effects |= {"place": place, "new_edge": written}
            body |= {"action": place["action"], "edge": dict(edge)}
            for name in ("value", "factor") if is_late else ():
                del body["edge"][name]
            if not edge["child"]:
                for name in ("bank", "row"):
                    del body["edge"][name]
                    written.pop(name, None)
        if "node" in parts:
            effects["new_node"] = body["node"] = dict(plain.nodes[place["slot"]])
        effects["command"] = {"bank": queued["node"]["bank"], "body": body, "is_late": is_late}
        request.effects |= effects

    def release(self, request):
        request.effects |= {"release": 1, "slot": request.chosen["place"]["slot"]}

    def descends(self):
        """Goes on by an edge: to its child, to a new one, or to none."""
        random, plain = self.random, self.plain
        slot = self.slot_with(lambda node: node["evaluated"])
        action = None if slot is None else self.action_with(slot, lambda edge: edge["in_flight"] < 255)
        if action is None:
            return []
        request, selection = self.select(EDGE, slot=slot, action=action, chooses=1)
        edge = plain.edges[slot][action]
        edge["in_flight"] += 1
        status, is_new = Status.FULL, 0
        if not edge["child"] and selection["may_insert"]:
            request.asks_row = True
            if random.random() < 0.7:
                row = {"bank": int(random.integers(self.config.banks)), "row": int(random.integers(self.config.rows))}
                request.row = {"node": row, "is_first": int(random.integers(2)), "asks": int(random.integers(2))}
                edge |= {"child": 1, **row}
                status, is_new = Status.INSERTED, 1
                request.effects["take"] = 1
        known = request.row or {"is_first": 0, "asks": 0}
        child = {"bank": edge["bank"], "row": edge["row"]} if edge["child"] else {"bank": 0, "row": 0}
        after = {
            "may_insert": selection["may_insert"],
            "level": self.level + 1,
            "action": action,
            "parent": request.chosen["queued"]["node"],
            "descends": edge["child"],
            "inserted": is_new,
            "node": child,
            "is_first": known["is_first"],
            "asks": known["asks"],
        }
        # The status of a request that goes on to an existing node is decided further down.
        request.status = status if is_new or not edge["child"] else None
        request.selection = after
        self.write(request, "links")
        self.remember(request, EDGE)
        self.release(request)
        return [request]

    def ends(self):
        """Comes to a node that is pending, terminal or on the last level."""
        slot = self.slot_with(lambda node: True)
        status = Status(int(self.random.choice([Status.PENDING, Status.TERMINAL, Status.HEIGHT_LIMIT])))
        request, selection = self.select(EDGE, slot=slot, status=status)
        request.status, request.selection = status, selection | {"descends": 0}
        self.remember(request, END)
        self.release(request)
        return [request]

    def passes(self):
        """Has no node here, or a new one; or was refused."""
        kind = self.random.integers(4)
        if kind == 0:
            # The rest of an error, after its header, is noise.
            request = self.request(int(self.random.integers(8)), NONE)
            request.chosen["queued"]["request"]["accepted"] = 0
        elif kind == 1:
            request = self.request(RequestKind.BACKUP, NONE)
        elif kind == 2:
            request, _ = self.select(NONE)
            self.remember(request, NONE)
        else:
            request, selection = self.select(NEW)
            request.selection = selection | {"descends": 0}
            self.remember(request, END)
        return [request]

    def backup(self, part, slot, action=0):
        request = self.request(RequestKind.BACKUP, part, slot=slot, action=action)
        record = self.arguments[RequestKind.BACKUP]
        body = values(record, self.random)
        request.chosen["queued"]["request"]["body"] = self.pack(record, body)
        return request, body

    def backs_up(self):
        slot = self.slot_with(lambda node: node["evaluated"] and node["visits"] < MOST_VISITS)
        action = None if slot is None else self.action_with(slot, can_be_backed_up)
        if action is None:
            return []
        request, body = self.backup(EDGE, slot, action)
        self.plain.backup(slot, action, min(-body["reward"], LARGEST_REWARD) if self.negates else body["reward"])
        self.write(request, "links", "statistics", "node", is_late=1)
        request.effects["start"] = {"has_edge": 1}
        self.release(request)
        return [request]

    def evaluates(self):
        """A backup in the last node of its selection, which may be evaluated already."""
        slot = self.slot_with(lambda node: True)
        request, body = self.backup(END, slot)
        node = self.plain.nodes[slot]
        if not node["evaluated"]:
            node |= {"evaluated": 1, "terminal": body["terminal"], "legal": body["legal"]}
        self.write(request, "node")
        request.effects["start"] = {"has_edge": 0}
        self.release(request)
        return [request]

    def sets_prior(self):
        """Two turns of one request, for an action each if there are so many; of a node that may be evaluated."""
        slot = self.slot_with(lambda node: True)
        record = self.arguments[RequestKind.PRIOR]
        body = values(record, self.random) | {"group": int(self.random.integers((self.config.fanout + 2) // 2))}
        chosen = self.request(RequestKind.PRIOR, END, slot=slot).chosen
        chosen["queued"]["request"]["body"] = self.pack(record, body)
        turns = []
        for turn, prior in enumerate((body["even_prior"], body["odd_prior"])):
            action = 2 * body["group"] + turn
            exists = action < self.config.fanout
            # The number of an action that does not exist is cut off.
            place = self.place(slot, action % (1 << (self.config.fanout - 1).bit_length()))
            request = Request(chosen | {"place": place, "exists": int(exists), "is_last": turn})
            if exists and not self.plain.nodes[slot]["evaluated"]:
                self.plain.edges[slot][action] |= {"prior": prior, "factor": prior}
                self.write(request, "statistics", "mean")
            if turn:
                self.release(request)
            turns.append(request)
        return turns


def can_be_backed_up(edge):
    return edge["in_flight"] and edge["visits"] < MOST_VISITS


def field_of(codec, *names):
    """The codec of a field of a field."""
    for wanted in names:
        codec = next(part for name, _, part in codec.fields if name == wanted)
    return codec
