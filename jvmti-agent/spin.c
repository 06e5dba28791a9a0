#include "jvmti-agent/spin.h"

#include "jvmti-agent/blocks.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/places.h"

#define WORDS     4
#define MOST_GAP  100 /* us from one yield to the next of a burst */
#define WORTH_ONE 16  /* yields: from then on a burst is worth the look at the stack */

/* The burst that is the newest record of the thread: where it is, and in which chunk of which thread. */
static __thread struct {
  uint64_t *record;
  uint32_t thread, sequence;
} burst __attribute__((tls_model("initial-exec")));

static bool is_newest(const struct recorder *self)
{
  return burst.record && self->cursor == burst.record + WORDS && self->thread == burst.thread &&
         self->sequence == burst.sequence;
}

void spin_forget(void)
{
  burst.record = NULL;
}

static void start(struct recorder *self, uint64_t begin)
{
  uint64_t *record = self->cursor;
  record[1] = clock_ticks();
  record[2] = begin;
  record[3] = 1;
  burst.record = record;
  burst.thread = self->thread;
  burst.sequence = self->sequence;
  recorder_publish(self, WORDS, raw_head(RAW_SPIN, 0, 0));
}

static void set_place(uint64_t code)
{
  struct recorder *self = recorder_enter();
  if (!self)
    return;
  if (is_newest(self))
    __atomic_store_n(burst.record, raw_head(RAW_SPIN, 0, code), __ATOMIC_RELEASE);
  recorder_leave(self);
}

void spin_add(JNIEnv *jni, uint64_t begin)
{
  struct recorder *self = recorder_enter();
  if (!self)
    return;
  if (!is_newest(self) || begin - burst.record[1] > MOST_GAP * agent.ticks_per_us) {
    start(self, begin);
    return;
  }
  burst.record[1] = clock_ticks();
  uint64_t count = ++burst.record[3];
  recorder_leave(self);
  if (count == WORTH_ONE)
    set_place(place_here(agent.jvmti, jni, 0));
}
