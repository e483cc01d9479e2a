"""Requests that enter at random times, against a list of all that entered."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.tree.search_counters import SearchCounters
from rewardware.sim.cocotb import clock_and_reset, compare, parameters, rng

from ..side_by_side import Ports


class Log:
    """All requests with their cycles, and all cycles in which none waited."""

    def __init__(self):
        self.entered, self.starved, self.assigning = [], set(), 0

    def intervals(self, kind):
        """Cycles between neighbours that are both of the kind, if from the first one on there was always another."""
        return [
            later - earlier
            for (earlier, before), (later, after) in zip(self.entered, self.entered[1:], strict=False)
            if before == after == kind and self.starved.isdisjoint(range(earlier, later))
        ]

    def counters(self):
        selections, backups = self.intervals("selects"), self.intervals("backs_up")
        return {
            "selections": sum(kind == "selects" for _, kind in self.entered),
            "intervals": len(selections),
            "interval_cycles": sum(selections),
            "backup_intervals": len(backups),
            "backup_interval_cycles": sum(backups),
            "assigning_cycles": self.assigning,
        }


@cocotb.test()
async def counts_what_entered(dut):
    record = parameters()["record"]
    ports, random, log = Ports(dut, SearchCounters(record)), rng(), Log()
    await clock_and_reset(dut)
    cycle = 0
    for enters, starves, stays, kind in parameters()["phases"]:
        for _ in range(150):
            # Runs of a kind; `other` is an error, or a request of the manager's.
            if random.random() > stays:
                kind = str(random.choice(["selects", "backs_up", "other"]))
            inputs = {
                "enters": int(random.random() < enters),
                "selects": int(kind == "selects"),
                "backs_up": int(kind == "backs_up"),
                "starved": int(random.random() < starves),
                "assigning": int(random.random() < 0.5),
            }
            ports.set(**inputs)
            got = await ports.outputs()
            # The whole log is gone through each time, so not in every cycle.
            if cycle % 7 == 0:
                counted = log.counters()
                expected = {field.name: counted[field.name] % (1 << field.width) for field in record.fields}
                compare(expected, got["counters"], "counters in cycle", cycle)
            await RisingEdge(dut.clk)
            if inputs["enters"]:
                log.entered.append((cycle, kind))
            if inputs["starved"]:
                log.starved.add(cycle)
            log.assigning += inputs["assigning"]
            cycle += 1
    assert min(log.counters().values()) > 128
