#include "jvmti-agent/core/notes.h"

#include "common/budget/omitted_counts.h"
#include "common/recorder/recorder.h"
#include "jvmti-agent/core/threads.h"

bool note_is_taken(enum raw_note note, uint64_t code)
{
  struct budget_row *row =
      budget_is_on() ? budget_row(code & (RAW_CODE_PLACE - 1), BUDGET_MUTEXES, OMITTED_NOTE | note, 1) : NULL;
  uint32_t weight = row ? budget_take(row) : 1;
  omitted_emit_weight(RAW_JAVA_NOTE, weight);
  return weight > 0;
}

void note_unpark(JNIEnv *jni, jobject thread)
{
  if (note_is_taken(RAW_NOTE_UNPARK, 0))
    recorder_emit3(RAW_JAVA_NOTE, RAW_NOTE_UNPARK, 0, thread_id_of(jni, thread));
}
