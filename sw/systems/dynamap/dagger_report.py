"""Report of a run that learns from a rule."""

from typing import Any

from ...algorithms.step_report import StepReport

__all__ = ["DaggerReport"]


class DaggerReport(StepReport):
    """A :class:`.StepReport` that also knows the rule's return; parameters as there."""

    def summarize(self, records: list[dict[str, Any]]) -> dict[str, Any]:
        """The summary of any run, and the mean return of the rule, ``rule_return``."""
        rule = next((record["rule_mean"] for record in records if record["kind"] == "random"), None)
        return {**super().summarize(records), "rule_return": rule}
