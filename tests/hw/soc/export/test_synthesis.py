"""Resources of units, with ceilings: a change that makes one larger or slower shows here."""

from rewardware.hw.cores.float.config import BINARY32
from rewardware.hw.cores.verilog.emit import emit
from rewardware.hw.soc.export.catalogue import find_design
from rewardware.hw.soc.export.synthesis import kept_modules, modules_of
from rewardware.sw.measurement.tool_cache import place_once, synthesise_once


def unit(name, **settings):
    design = find_design(name)
    return emit(design.create(design.configure(settings=settings)), name)


def within(resources, **ceilings):
    over = {name: getattr(resources, name) for name, most in ceilings.items() if getattr(resources, name) > most}
    assert not over, f"over the ceilings {ceilings}: {over}"


def test_a_processing_element_on_xcup():
    total = synthesise_once(unit("processing_element"), "processing_element", "xcup", depth=0).result.total
    within(total, lut=120, ff=230, dsp=4, bram=0)


def test_a_rescaler_on_ecp5_and_its_clock():
    synthesised = synthesise_once(unit("rescaler"), "rescaler", "ecp5", depth=0, netlist=True)
    within(synthesised.result.total, lut=1250, ff=1000, dsp=8, bram=0)
    placed = place_once(synthesised, frequency=100.0).result
    assert placed.frequency >= 95
    assert placed.utilization["MULT18X18D"][0] == synthesised.result.total.dsp
    assert placed.critical_path.levels > 0


def test_a_choice_goes_into_the_adder_behind_it():
    """Two tables a bit of the sums for choice and addition, not three; the other one is the choice of a buffer."""
    verilog = unit("accumulator_bank", lanes=2, accumulator_depth=16)
    within(synthesise_once(verilog, "accumulator_bank", "xcup", depth=0).result.total, lut=800, ff=700, dsp=0)


def test_a_product_of_binary32_takes_three_multipliers_on_ecp5():
    """24 by 24 bits are four parts, of which the smallest, six by six, goes into tables."""
    verilog = unit("float_multiplier", format=BINARY32)
    within(synthesise_once(verilog, "float_multiplier", "ecp5", depth=0).result.total, lut=620, ff=210, dsp=3)


def test_a_replicated_unit_is_counted_once_for_each_instance():
    verilog = unit("array_core", lanes=2, accumulator_depth=8)
    result = synthesise_once(verilog, "array_core", "generic", depth=0).result
    flat = {block.name: block for block in result.blocks}
    assert flat["processing_element"].instances == 4
    assert result.total.ff == sum(block.resources.ff * block.instances for block in result.blocks)


def test_boundaries_are_kept_at_units_and_to_the_depth():
    modules = ["top_memory_8x4", "top_memory_8x4_1", "top_unit", "top_unit.part", "top", "top.a", "top.a.b"]
    assert kept_modules(modules, "top", 0) == ["top_unit"]
    assert kept_modules(modules, "top", 1) == ["top_unit", "top.a"]
    assert kept_modules(modules, "top", 2) == ["top_unit", "top.a", "top.a.b"]
    assert kept_modules(modules, "top", None) == []


def test_a_flat_design_is_one_block():
    # This family has multipliers: four elements without them take a minute.
    verilog = unit("array_core", lanes=2, accumulator_depth=8)
    (block,) = synthesise_once(verilog, "array_core", "xcup", depth=None).result.blocks
    assert block.name == "array_core" and block.instances == 1
    assert block.resources.ff >= 4 * 100


def test_names_of_modules():
    assert modules_of("module a(x);\nendmodule\nmodule \\a.b (x);\nendmodule\n") == ["a", "a.b"]
