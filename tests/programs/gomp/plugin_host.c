/* Loads libraries that use OpenMP, each with its own symbols only, and calls them: ./plugin_host LIBRARY... */
#include "tests/programs/program.h"
#include <dlfcn.h>

int main(int argc, char **argv)
{
  bool right = argc > 1;
  for (int i = 1; i < argc; i++) {
    void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      fprintf(stderr, "plugin_host: %s\n", dlerror());
      return 2;
    }
    int (*work)(int);
    *(void **)&work = dlsym(library, "plugin_work");
    right = right && work && work(2) == 190;
  }
  truth("parallel", argc - 1);
  truth("members", 2 * (argc - 1));
  truth("loops", 2 * (argc - 1));
  truth("iterations", 20 * (argc - 1));
  truth("criticals", 20 * (argc - 1));
  return finish(right);
}
