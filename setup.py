"""A wheel that ships compiled kernels is for one version of Python on one platform; without them it is for all."""

from pathlib import Path

from setuptools import Distribution, setup

SHIPPED = Path(__file__).parent / "src" / "randori" / "shipped"


class RandoriDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return SHIPPED.is_dir()


setup(distclass=RandoriDistribution)
