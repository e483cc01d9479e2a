"""Asynchronous advantage actor-critic: engines that many agents share, and the parameters of all of them."""
