/* The recorder is loaded, and the layer begins to record. */
#include "common/recorder/preloaded.h"
#include "pthread-layer/layer.h"
#include "pthread-layer/objects.h"
#include "pthread-layer/thread_self.h"

#include <errno.h>

static void fork_in_child(void)
{
  waiting_forget();
  thread_self_forget();
}

static bool begin(void)
{
  static const struct heddle_pthread_endings endings = {thread_self_end, thread_self_end_all};
  void *library = recorder_library((void *)&layer_state);
  heddle_pthread_1_t *recorder = library ? (heddle_pthread_1_t *)dlsym(library, "heddle_pthread_1") : NULL;
  if (recorder && thread_self_begin())
    layer_calls = recorder(&endings);
  heddle_returns_1_t *exchanged = (heddle_returns_1_t *)dlsym(RTLD_DEFAULT, "heddle_returns_1");
  layer_returns = exchanged ? exchanged() : NULL;
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
