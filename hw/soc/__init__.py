"""Everything that makes engines a device: host link, shell, sequencer, accelerators, board tops, export."""
