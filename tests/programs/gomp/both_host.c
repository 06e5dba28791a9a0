/* A program with OpenMP of its own that also loads a library with OpenMP of another runtime: ./both_host LIBRARY */
#include "tests/programs/program.h"
#include <dlfcn.h>

int main(int argc, char **argv)
{
  int sum = 0;
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) {
    fprintf(stderr, "both_host: %s\n", argc == 2 ? dlerror() : "give a library");
    return 2;
  }
  int (*work)(int);
  *(void **)&work = dlsym(library, "plugin_work");
  bool right = true;
  for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
      sum++;
    }
    right = right && work && work(2) == 190;
  }
  /* What its own runtime has, and the library's. */
  truth("own_parallel", 3);
  truth("librarys_parallel", 3);
  return finish(right && sum == 6);
}
