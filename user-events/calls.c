#include "user-events/calls.h"

#include "common/budget/omitted_counts.h"
#include "common/process/session.h"
#include "common/profile/profile.h"
#include "common/recorder/measured_groups.h"
#include "common/recorder/recording.h"
#include "common/recorder/thread_ready.h"
#include "user-events/include/heddle.h"
#include "user-events/names.h"

#include <string.h>

static struct thread_ready_tool tool = {.name = "user"};

bool calls_ready(void)
{
  return thread_ready(&tool);
}

bool calls_name(const char *text, size_t length, uint32_t *number)
{
  *number = names_find(text, length);
  if (__builtin_expect(*number != 0, 1))
    return thread_ready_is_known() || calls_ready();
  if (!calls_ready())
    return false;
  *number = names_add(text, length);
  return true;
}

/* name: NULL: it has no address */
static void emit_enter(const char *name, uint32_t number)
{
  if (session_profiles()) {
    profile_user_enter(number);
    return;
  }
  uint32_t weight =
      names_weigh_region(name, number); /* which keeps account of the region also where it is not recorded */
  if (weight == 0 || needs_may_omit(LIVE_NEED_USER))
    return;
  omitted_emit_weight(RAW_USER_ENTER, weight);
  recorder_emit(RAW_USER_ENTER, 0, number);
}

static void emit_leave(uint32_t number)
{
  if (session_profiles()) {
    profile_user_leave(number);
    return;
  }
  uint32_t ends = names_leave_region(number);
  if (needs_may_omit(LIVE_NEED_USER))
    return;
  if (ends != 0 || number == 0) /* which has no budget */
    recorder_emit(RAW_USER_LEAVE, 0, ends);
}

void calls_enter(uint32_t number)
{
  if (calls_ready())
    emit_enter(NULL, number);
}

void calls_leave(uint32_t number)
{
  if (calls_ready())
    emit_leave(number);
}

/* An omitted call takes a few instructions only: no register is saved for the rest. */
#define SLOWLY __attribute__((noinline))

SLOWLY static void enter_slowly(const char *name, size_t length)
{
  uint32_t number;
  if (calls_name(name, length, &number))
    emit_enter(name, number);
}

static void enter(const char *name, size_t length)
{
  if (!names_omit_quickly(name, length, RAW_USER_ENTER))
    enter_slowly(name, length);
}

SLOWLY static void leave_slowly(const char *name, size_t length)
{
  uint32_t number;
  if (calls_name(name, length, &number))
    emit_leave(number);
}

static void leave(const char *name, size_t length)
{
  if (!names_leave_omitted(name, length))
    leave_slowly(name, length);
}

static void phase(const char *name, size_t length)
{
  uint32_t number = 0;
  if (session_profiles()) /* phases have no sums */
    return;
  if (length == 0 ? calls_ready() : calls_name(name, length, &number))
    recorder_emit(RAW_USER_PHASE, 0, number);
}

/* Gives numbers to all names of an event. False: the process is not recorded. */
static bool name_event(const char *name, size_t length, unsigned n, const struct heddle_attribute *attributes)
{
  uint32_t number;
  for (unsigned i = 0; i < n; i++)
    if (!calls_name(attributes[i].name, attributes[i].length, &number))
      return false;
  return calls_name(name, length, &number);
}

/* Makes the attributes' elements. False: one has a new name. */
static bool list_attributes(uint64_t (*elements)[RAW_EXTRA], unsigned n, const struct heddle_attribute *attributes)
{
  uint64_t number = 1;
  for (unsigned i = 0; i < n && number != 0; i++) {
    number = names_find(attributes[i].name, attributes[i].length);
    elements[i][0] = (uint64_t)attributes[i].type << 48 | number;
    memcpy(&elements[i][1], &attributes[i].value, sizeof elements[i][1]);
  }
  return number != 0;
}

/* True if an event is omitted; otherwise its weight is recorded. */
static bool is_omitted(const char *name, uint32_t number)
{
  uint32_t weight = names_weigh_event(name, number);
  omitted_emit_weight(RAW_USER_EVENT, weight);
  return weight == 0;
}

void calls_event(uint32_t number, unsigned n, const uint64_t (*elements)[RAW_EXTRA])
{
  if (!calls_ready())
    return;
  if (needs_may_omit(LIVE_NEED_USER))
    return;
  if (session_profiles()) {
    profile_user_event(number);
    for (unsigned i = 0; i < n; i++)
      profile_user_value(number, elements[i]);
  } else if (!is_omitted(NULL, number))
    recorder_emit_list(RAW_USER_EVENT, number, n, elements);
}

/* In the window itself: the caller may have little stack left. */
static bool emit_event(const char *name, size_t length, unsigned n, const struct heddle_attribute *attributes)
{
  uint32_t number = names_find(name, length);
  if (number != 0 && is_omitted(name, number))
    return true;
  struct recorder *recorder = number != 0 ? recorder_enter_list(n) : NULL;
  if (!recorder)
    return number != 0; /* the recorder has counted it, where it had to */
  if (!list_attributes(recorder_list(recorder), n, attributes)) {
    recorder_leave(recorder);
    return false;
  }
  recorder_publish_list(recorder, RAW_USER_EVENT, number, n);
  return true;
}

/* Adds an event to the sums. False: one of its names is new. */
static bool sum_event(const char *name, size_t length, unsigned n, const struct heddle_attribute *attributes)
{
  uint32_t number = names_find(name, length);
  uint64_t element[RAW_EXTRA];
  bool known = number != 0;
  for (unsigned i = 0; known && i < n; i++)
    known = names_find(attributes[i].name, attributes[i].length) != 0;
  if (known)
    profile_user_event(number);
  for (unsigned i = 0; known && i < n; i++)
    if (list_attributes(&element, 1, &attributes[i]))
      profile_user_value(number, element);
  return known;
}

static bool put_event(const char *name, size_t length, unsigned n, const struct heddle_attribute *attributes)
{
  return session_profiles() ? sum_event(name, length, n, attributes) : emit_event(name, length, n, attributes);
}

SLOWLY static void event_slowly(const char *name, size_t length, size_t count,
                                const struct heddle_attribute *attributes)
{
  if (needs_may_omit(LIVE_NEED_USER))
    return;
  unsigned n = count < RECORDER_MOST ? (unsigned)count : RECORDER_MOST;
  if ((!thread_ready_is_known() && !calls_ready()) || put_event(name, length, n, attributes))
    return;
  /* In a handler that interrupts the noting down of a name no other one can be noted down. */
  if (name_event(name, length, n, attributes) && !put_event(name, length, n, attributes))
    recording_lose_event();
}

static void event(const char *name, size_t length, size_t count, const struct heddle_attribute *attributes)
{
  if (!names_omit_quickly(name, length, RAW_USER_EVENT))
    event_slowly(name, length, count, attributes);
}

void calls_name_thread(const char *name, size_t length)
{
  if (!calls_ready())
    return;
  length = names_cut(name, length);
  unsigned n = (unsigned)((length + sizeof(uint64_t[RAW_EXTRA]) - 1) / sizeof(uint64_t[RAW_EXTRA]));
  struct recorder *recorder = recorder_enter_list(n);
  if (!recorder)
    return;
  char *bytes = memset(recorder_list(recorder), 0, n * sizeof(uint64_t[RAW_EXTRA]));
  memcpy(bytes, name, length);
  recorder_publish_list(recorder, RAW_THREAD_TEXT, length | (uint64_t)RAW_TEXT_USER << 16, n);
}

void calls_measure(int on)
{
  if (!calls_ready())
    return;
  if (session_profiles()) {
    profile_measure(on != 0);
    return;
  }
  if (on)
    recording_resume();
  else
    recording_pause();
  /* On: what was not recorded ends here. Off: the record is refused, and so begins what is not. */
  recorder_emit(RAW_USER_CONTROL, on != 0, 0);
}

/* The function that the program's stub looks up. The number in the name is the interface's: heddle.h says how it may
 * grow. */
__attribute__((visibility("default"))) const struct heddle_user_calls *heddle_user_1(void);

const struct heddle_user_calls *heddle_user_1(void)
{
  static const struct heddle_user_calls calls = {.enter = enter,
                                                 .leave = leave,
                                                 .phase = phase,
                                                 .event = event,
                                                 .name_thread = calls_name_thread,
                                                 .measure = calls_measure};
  return session_is_off() ? NULL : &calls;
}
