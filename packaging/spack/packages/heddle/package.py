from spack.package import *


class Heddle(CMakePackage):
    """Shows what every thread of an OpenMP, POSIX-thread or Java program did, why the parallel part is slow, and what to change."""

    # The tarball of a release has the pages and manual pages: ci/release makes it. Put it into a mirror, or give its address here.
    license("BSD-3-Clause")

    version("0.1.0")

    variant("java", default=False, description="Record programs in Java")

    depends_on("c", type="build")
    depends_on("cmake@3.18:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("bison@3.6:", type="build")
    depends_on("flex@2.6:", type="build")
    depends_on("llvm-openmp", type="build")  # omp-tools.h
    depends_on("openjdk@17:", type="build", when="+java")
    depends_on("otf2@2.3:")
    depends_on("hwloc@2:")
    depends_on("elfutils")
    depends_on("jansson")
    depends_on("libmicrohttpd")
    depends_on("ncurses")
    depends_on("zlib-api")
    depends_on("kissfft datatype=float")  # of this repository: Spack has none

    def cmake_args(self):
        return [
            self.define("HEDDLE_TESTS", False),
            self.define("HEDDLE_HARDEN", True),
            self.define_from_variant("HEDDLE_JAVA", "java"),
            self.define("OMP_TOOLS_INCLUDE_DIR", self.spec["llvm-openmp"].prefix.include),
        ]
