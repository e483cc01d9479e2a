"""One way to open a search, wherever its tree is."""

from functools import partial
from typing import Any

from ...hw.soc.mcts.config import MCTSConfig
from ..core.backends import OWN_LINK, PAIR, open_backend, options_at, parse_backend, require_link
from ..core.environments.board_environment import BoardEnvironment
from ..core.hardware import resolve_hardware
from ..device.search_tree import MCTSDevice
from ..device.search_tree_backends import DeviceTree
from .device_search import DeviceSearch
from .lockstep_search import LockstepSearch
from .position_evaluator import PositionEvaluator
from .reference_search import ReferenceSearch
from .remembering_evaluator import RememberingEvaluator
from .search_config import SearchConfig
from .tree_of_search import require_tree, roomy_tree
from .tree_search import TreeSearch

__all__ = ["HOST", "open_search"]

HOST, SYNCHRONOUS = "host", "synchronous"


def open_search(
    backend: str,
    environment: BoardEnvironment,
    evaluator: PositionEvaluator,
    config: SearchConfig,
    *,
    hardware: Any = None,
    scheme: str = "synchronous",
    **options: Any,
) -> TreeSearch:
    """Open a search.

    Parameters
    ----------
    backend : str
        ``"reference"``: plain Python. ``"host"``: C++. ``"rtl"``, ``"uart:PORT"``, ``"transport"``: the tree
        accelerator in the simulator, on a board, behind a link of one's own. ``"lockstep"``: host and RTL, every batch
        and every result compared; ``"lockstep:A,B"``: A and what has to be the same.
    environment : BoardEnvironment
    evaluator : PositionEvaluator
        It stays open.
    config : SearchConfig
    hardware : MCTSConfig, str, mapping or None
        The tree accelerator, the name of its preset, a YAML file, or its fields; its policy has to be ``"puct_visits"``
        and its levels those of ``config``. None: :func:`.roomy_tree`.
    scheme : str
        Scheme of ``"host"``, as :class:`.HostSearch` takes it.
    **options
        Options of :func:`..device.open.open_device`; ``transport`` is the link of backend ``"transport"``.

    Raises
    ------
    ValueError
        There is no such backend or scheme, or a link without its backend; what cannot be searched there; two that are
        compared, one of which has threads whose order decides what is found.
    DeviceError
        There is no such device, or one that was built for something else.
    """
    where = parse_backend(f"{PAIR}:{HOST},rtl" if backend == PAIR else backend, exact=(HOST,))
    require_link(backend, options.get(OWN_LINK))
    sides = where.pair or (where,)
    if hardware is not None and not any(side.place for side in sides):
        raise ValueError(f"hardware= is for a device: the backend must have one, such as rtl, not {backend!r}")
    if scheme != SYNCHRONOUS and HOST not in [side.name for side in sides]:
        raise ValueError(f"Scheme {scheme!r} is for the host: the backend must be {HOST}, not {backend!r}")
    if scheme != SYNCHRONOUS and where.pair and config.workers > 1:
        raise ValueError(
            f"Scheme must be {SYNCHRONOUS} in lockstep, not {scheme}: what {config.workers} workers with threads find "
            "depends on who comes first"
        )
    remembering = RememberingEvaluator(evaluator)
    asked = remembering if where.pair else evaluator

    def host() -> TreeSearch:
        from .host_search import HostSearch

        # Remembered positions are not evaluated, so that they could not be compared.
        remembered = {"cached": 0} if where.pair else {}
        return HostSearch(environment, asked, config, scheme=scheme, **remembered)

    def device(place: str) -> TreeSearch:
        if hardware is None:
            tree = MCTSConfig(**vars(roomy_tree(environment, config)))
        else:
            tree = resolve_hardware(hardware, "mcts")
            # A simulator takes minutes to be built.
            require_tree(environment, config, tree)
        opened = MCTSDevice(DeviceTree(tree, place, **options_at(place, options)))
        try:
            return DeviceSearch(environment, asked, config, opened)
        except BaseException:
            opened.close()
            raise

    found: TreeSearch = open_backend(
        where,
        partial(ReferenceSearch, environment, asked, config),
        device,
        partial(LockstepSearch, evaluator=remembering),
        {HOST: host},
    )
    return found
