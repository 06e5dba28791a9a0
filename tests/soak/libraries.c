/* Libraries that are loaded and unloaded, with OpenMP in them: what they did must be shown as theirs. */
#include "tests/soak/soak.h"

#include "tests/soak/counts.h"
#include "tests/soak/plugin.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* plugin_a.so or plugin_b.so beside the program: its path, in the caller's memory. */
static void plugin_path(char *path, size_t size, unsigned which)
{
  const char *slash = strrchr(program_path, '/');
  snprintf(path, size, "%.*s/plugin_%c.so", (int)(slash - program_path), program_path, 'a' + which);
}

static void *opened(unsigned which)
{
  char path[4096 + 32];
  plugin_path(path, sizeof path, which);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    say("dlopen: %s\n", dlerror());
  return library;
}

/* Both plug-ins have the same layout, so that one that is loaded where the other one was has its code at its addresses.
 */
static void used(void *library, unsigned which, unsigned regions)
{
  plugin_work_t *work = (plugin_work_t *)dlsym(library, "plugin_work");
  unsigned long sum = 0;
  for (unsigned i = 0; i < regions; i++) {
    counts_begin(which ? PLUGIN_B : PLUGIN_A);
    sum += work(i);
    counts_done(which ? PLUGIN_B : PLUGIN_A);
  }
  say("plug-in %c: %lu\n", 'a' + which, sum);
}

struct plugins {
  struct draw *draw;
};

static void *comes_and_goes(void *plugins)
{
  struct draw *draw = ((struct plugins *)plugins)->draw;
  for (unsigned n = draw_between(draw, 1, 4); n > 0; n--) {
    unsigned which = draw_below(draw, 2);
    void *library = opened(which);
    if (!library)
      return NULL;
    used(library, which, draw_between(draw, 1, 20));
    dlclose(library);
  }
  return NULL;
}

/* In a thread where a region's own threads would be missing (openmp.c). */
static void in_thread_if_forked(void *(*body)(void *), struct draw *draw)
{
  struct plugins plugins = {draw};
  pthread_t thread;
  if (!openmp_needs_thread())
    body(&plugins);
  else if (begin_thread(&thread, 0, body, &plugins))
    pthread_join(thread, NULL);
  conditions |= IS_OPENMP;
}

void act_plugins(struct draw *draw)
{
  in_thread_if_forked(comes_and_goes, draw);
}

static void *in_turn(void *plugins)
{
  struct draw *draw = ((struct plugins *)plugins)->draw;
  unsigned n = draw_between(draw, 2, 12);
  for (unsigned i = 0; i < n; i++) {
    void *library = opened(i % 2);
    if (!library)
      return NULL;
    used(library, i % 2, 2);
    emit_events(draw_below(draw, 200));
    dlclose(library);
  }
  return NULL;
}

void act_plugins_in_turn(struct draw *draw)
{
  in_thread_if_forked(in_turn, draw);
}

static atomic_bool over;

static void *opens_and_closes(void *which)
{
  while (!atomic_load(&over)) {
    void *library = opened((unsigned)(uintptr_t)which);
    emit_event();
    if (library)
      dlclose(library);
  }
  return NULL;
}

static void emits(struct draw *draw)
{
  emit_events(draw_below(draw, 400));
}

/* Forks beside threads that open and close libraries: the loader's lock may be taken in the child, for ever. */
void act_plugin_threads(struct draw *draw)
{
  pthread_t thread[2];
  bool begun[2];
  atomic_store(&over, false);
  for (unsigned i = 0; i < 2; i++)
    begun[i] = begin_thread(&thread[i], 0, opens_and_closes, (void *)(uintptr_t)i);
  for (unsigned n = draw_between(draw, 1, 20); n > 0; n--) {
    struct draw own = draw_split(draw, n);
    pid_t pid = fork();
    if (pid == 0) {
      child_begins(BY_FORK);
      conditions |= IS_AWAY;
      emits(&own);
      _exit(7);
    }
    child_ended("beside dlopen", pid);
  }
  atomic_store(&over, true);
  for (unsigned i = 0; i < 2; i++)
    if (begun[i])
      pthread_join(thread[i], NULL);
}
