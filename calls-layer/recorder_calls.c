/* The recorder's side of the layer, in libheddle.so. */
#include "calls-layer/recorder_calls.h"

#include "common/process/codes.h"
#include "common/process/diag.h"
#include "common/process/process_dir.h"
#include "common/process/session.h"
#include "common/recorder/clock_choice.h"
#include "common/recorder/preloaded.h"
#include "common/recorder/recording.h"
#include "common/recorder/thread_ready.h"

#include <errno.h>
#include <sys/mman.h>

static struct thread_ready_tool tool = {.name = "calls"};

static bool thread(uint32_t *number)
{
  if (!thread_ready(&tool))
    return false;
  *number = recorder_self->thread;
  return true;
}

/* A page that is not on disk could end the program later, when the disk is full. */
static void *map(size_t size)
{
  uint64_t offset;
  int error, kept = errno, fd = recording_limit_allows(size) ? process_dir_calls(size, &offset, &error) : -1;
  void *at = MAP_FAILED;
  if (fd >= 0 && process_dir_allocate(fd, offset, size) == 0)
    at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, (off_t)offset);
  if (at != MAP_FAILED)
    madvise(at, size, MADV_DONTFORK);
  errno = kept;
  return at == MAP_FAILED ? NULL : at;
}

static uint64_t trace(unsigned kind, uintptr_t function)
{
  recorder_emit_slowly(raw_head(kind, 0, function + 1), 0);
  return clock_ticks();
}

static uint64_t trace_quickly(unsigned kind, uintptr_t function)
{
  struct recorder *self = recorder_ready();
  if (__builtin_expect(!self, 0))
    return 0;
  uint64_t now = clock_tsc();
  bool is_usual = __builtin_expect(now < self->due, 1);
  if (is_usual)
    recorder_put_at(self, 2, raw_head(kind, 0, function + 1), 0, now);
  recorder_leave(self);
  return is_usual ? now : 0;
}

static void code(uintptr_t address)
{
  if ((address & RAW_CODE_PLACE) == 0)
    codes_of(address);
}

static void say(const char *text)
{
  diag_say(text, NULL);
}

static void returns(const struct returns *exchanged)
{
  atomic_store(&codes_returns, exchanged);
}

__attribute__((visibility("default"))) heddle_calls_1_t heddle_calls_1;

const struct heddle_calls_recorder *heddle_calls_1(const struct heddle_calls_layer *layer)
{
  static struct heddle_calls_recorder calls = {thread, map, trace_quickly, trace, code, say, returns, false};
  static struct waits_watcher watcher;
  if (session_is_off() || session_profiles())
    return NULL;
  clock_choose();
  calls.counter = clock_is_tsc;
  recorder_at_thread_end(layer->thread);
  session_at_end(layer->process);
  watcher = (struct waits_watcher){layer->wait, layer->waited};
  atomic_store(&waits_watcher, &watcher);
  atomic_store(&java_calls, layer->java);
  return &calls;
}
