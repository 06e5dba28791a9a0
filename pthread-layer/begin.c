/* The recorder is loaded, and the layer begins to record. */
#include "pthread-layer/layer.h"
#include "pthread-layer/thread_self.h"
#include "pthread-layer/waiting.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

/* libheddle.so: the one that is loaded already, or the one beside this library. NULL: there is none. */
static void *find_recorder(void)
{
  static const char name[] = "libheddle.so";
  char path[PATH_MAX];
  Dl_info info;
  void *library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
  if (library || !dladdr((void *)&layer_state, &info) || strlen(info.dli_fname) + sizeof name > sizeof path)
    return library;
  const char *slash = strrchr(info.dli_fname, '/');
  size_t directory = slash ? (size_t)(slash + 1 - info.dli_fname) : 0;
  memcpy(path, info.dli_fname, directory);
  memcpy(path + directory, name, sizeof name);
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void fork_in_child(void)
{
  waiting_forget();
  thread_self_forget();
}

static bool begin(void)
{
  static const struct heddle_pthread_endings endings = {thread_self_end, thread_self_end_all};
  void *library = find_recorder();
  heddle_pthread_1_t *recorder = library ? (heddle_pthread_1_t *)dlsym(library, "heddle_pthread_1") : NULL;
  if (recorder && thread_self_begin())
    layer_calls = recorder(&endings);
  if (layer_calls)
    pthread_atfork(NULL, NULL, fork_in_child);
  return layer_calls != NULL;
}

bool layer_begin(void)
{
  int idle = LAYER_IDLE, kept = errno;
  if (!atomic_compare_exchange_strong(&layer_state, &idle, LAYER_BEGINNING))
    return idle == LAYER_RECORDS;
  bool good = begin();
  atomic_store(&layer_state, good ? LAYER_RECORDS : LAYER_OFF);
  errno = kept;
  return good;
}
