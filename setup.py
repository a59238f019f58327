"""What a wheel has beside the sources: the docs that the page shows, and compiled kernels where these have been made.

With kernels it is for one version of Python on one platform; without them it is for all.
"""

from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
SHIPPED = ROOT / "src" / "randori" / "shipped"
DOCS = (
    "images/*.svg",
    "league/*.json",
    "league/*.md",
    "league/*.svg",
    "papers/**/*.json",
    "papers/**/*.md",
    "papers/**/*.svg",
)


class RandoriDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return SHIPPED.is_dir()


class BuildWithDocs(build_py):
    """A link to the docs among the sources would be a plain file in a checkout on Windows; so they are copied."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return  # the sources find them where they are
        for path in (it for pattern in DOCS for it in (ROOT / "docs").glob(pattern)):
            target = Path(self.build_lib) / "randori" / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            self.copy_file(str(path), str(target))


setup(distclass=RandoriDistribution, cmdclass={"build_py": BuildWithDocs})
