from spack.package import *


class Kissfft(CMakePackage):
    """A Fast Fourier Transform that is simple; one type of numbers a library."""

    homepage = "https://github.com/mborgerding/kissfft"
    git = "https://github.com/mborgerding/kissfft.git"

    license("BSD-3-Clause")

    version("131.1.0", tag="131.1.0")

    variant("datatype", default="float", values=("float", "double"), multi=False, description="Type of numbers")

    depends_on("c", type="build")
    depends_on("cmake@3.6:", type="build")

    def cmake_args(self):
        return [self.define_from_variant("KISSFFT_DATATYPE", "datatype"), self.define("KISSFFT_TEST", False), self.define("KISSFFT_TOOLS", False)]
