/*
 * Forks beside threads that load and unload a library and look through the loaded ones: ./forks COUNT LIBRARY. Most of
 * the time some thread has the loader's lock, so a child that needs it waits for ever. A child that is not done in
 * SECONDS is killed and counted.
 */
#include "tests/programs/program.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 20 };

static atomic_bool over;

static int stay_a_while(struct dl_phdr_info *info, size_t size, void *context)
{
  (void)info, (void)size, (void)context;
  struct timespec moment = {.tv_nsec = 50000};
  nanosleep(&moment, NULL);
  return 1;
}

static void *look(void *unused)
{
  while (!atomic_load(&over))
    dl_iterate_phdr(stay_a_while, NULL);
  return unused;
}

static void *load(void *path)
{
  while (!atomic_load(&over)) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library)
      dlclose(library);
  }
  return NULL;
}

/* Records something, without threads: libgomp's region of more would hang in such a child without us, too. */
static void record(void)
{
#pragma omp critical
  atomic_load(&over);
}

int main(int argc, char **argv)
{
  pthread_t threads[2];
  long hung = 0, wrong = 0;
  if (argc < 3)
    return 2;
  record();
  pthread_create(&threads[0], NULL, look, NULL);
  pthread_create(&threads[1], NULL, load, argv[2]);
  for (long n = strtol(argv[1], NULL, 10); n > 0 && hung < 3; n--) {
    pid_t pid = fork();
    if (pid == 0) {
      alarm(SECONDS);
      record();
      _exit(7);
    }
    int status = 0;
    wrong += waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 7;
    hung += WIFSIGNALED(status);
  }
  atomic_store(&over, true);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  truth("hung", hung);
  return finish(wrong == 0);
}
