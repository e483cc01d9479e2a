"""What holds for all tests."""

from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is, not whether what is tested is right.
settings.register_profile("busy machines", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy machines")
