"""What holds for all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# How long one example takes, or the making of it, tells how busy the machine is. What must be fast is measured by tests
# of its own, in CPU time.
settings.register_profile("lrdoc", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("lrdoc")
