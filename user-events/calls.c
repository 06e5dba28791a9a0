#include "user-events/calls.h"

#include "common/fork_lock.h"
#include "common/interruption.h"
#include "common/left_out.h"
#include "common/profile.h"
#include "common/recording.h"
#include "common/session.h"
#include "fortran-shim/heddle.h"
#include "user-events/names.h"

#include <pthread.h>
#include <string.h>

static struct fork_lock beginning_process;
static atomic_bool begun;
static pthread_key_t thread_key;
static atomic_bool closed; /* there is no session, and won't be */

/*
 * The end of a thread that no runtime reports. A runtime's own destructor may have something to record still: so this
 * one lets the others go first.
 */
static void end_thread(void *round)
{
  static char second;
  if (round != &second && pthread_setspecific(thread_key, &second) == 0)
    return;
  if (session_profiles())
    profile_thread_end();
  else {
    budget_end_thread(left_out_tell);
    recorder_thread_end();
  }
}

static void begin_process(void)
{
  recorder_thread_begin(0); /* in the child of a recorded process this opens the child's own session */
  if (!session_open("user", "") || pthread_key_create(&thread_key, end_thread) != 0)
    atomic_store(&closed, true);
  else if (!session_profiles())
    left_out_begin();
}

/* Not pthread_once(): a child of _Fork would wait for a thread of its parent's that was at it. */
static void begin_process_once(void)
{
  if (atomic_load(&begun) || !fork_lock_take(&beginning_process))
    return;
  if (!atomic_load(&begun))
    begin_process();
  atomic_store(&begun, true);
  fork_lock_give_back(&beginning_process);
}

static inline bool is_known(void)
{
  return (uintptr_t)recorder_self > (uintptr_t)RECORDER_NONE;
}

static void begin_thread(void)
{
  static char first;
  begin_process_once();
  if (recorder_self || atomic_load(&closed))
    return;
  recorder_thread_begin(0);
  if (is_known())
    pthread_setspecific(thread_key, &first);
}

bool calls_ready(void)
{
  /* A signal handler that interrupts the beginning must not wait for its end. */
  static __thread bool beginning __attribute__((tls_model("initial-exec")));
  if (is_known() && recording_is_ours())
    return true;
  if (is_known()) /* a child without fork handlers: the state is the parent's */
    recorder_self = NULL;
  if (beginning || recorder_self == RECORDER_NONE) {
    recording_lose_event();
    return false;
  }
  if (atomic_load_explicit(&closed, memory_order_relaxed))
    return false;
  interruption_hold(); /* a thread that is cancelled in there would leave others waiting */
  beginning = true;
  atomic_signal_fence(memory_order_seq_cst);
  begin_thread();
  atomic_signal_fence(memory_order_seq_cst);
  beginning = false;
  interruption_release();
  return is_known();
}

bool calls_name(const char *text, size_t length, uint32_t *number)
{
  *number = names_find(text, length);
  if (__builtin_expect(*number != 0, 1))
    return is_known() || calls_ready();
  if (!calls_ready())
    return false;
  *number = names_add(text, length);
  return true;
}

/* Whether a region that the thread enters is recorded: what it stands for; 0: it is left out. */
static uint32_t weigh(const char *name, uint32_t number)
{
  struct budget_row *row = budget_is_on() ? budget_row(number, BUDGET_USER, RAW_USER_ENTER, 2) : NULL;
  if (!row)
    return 1;
  uint32_t weight = budget_take(row);
  struct budget *self = budget_self;
  if (self->depth >= BUDGET_REGIONS) {
    self->depth++;
    return weight > 0 ? weight : budget_take_anyway(row);
  }
  self->regions[self->depth++] = (struct budget_region){name, number, weight == 0};
  return weight;
}

/* Whether the region that the thread leaves was left out. */
static bool was_left_out(uint32_t number)
{
  struct budget *self = budget_self;
  if (!self || self->depth == 0)
    return false;
  if (self->depth > BUDGET_REGIONS) {
    self->depth--;
    return false;
  }
  uint32_t i = self->depth;
  while (i-- > 0) {
    struct budget_region region = self->regions[i];
    if (region.number != number)
      continue;
    for (self->depth--; i < self->depth; i++)
      self->regions[i] = self->regions[i + 1];
    return region.left_out;
  }
  return false;
}

/* The same without a search for the name, where it is the innermost one's. */
static bool was_surely_left_out(const char *name, size_t length)
{
  struct budget *self = budget_self;
  if (!self || self->depth == 0 || self->depth > BUDGET_REGIONS)
    return false;
  struct budget_region region = self->regions[self->depth - 1];
  if (!region.left_out || region.name != name || !names_is(region.number, name, length))
    return false;
  self->depth--;
  return true;
}

/* name: NULL: it has no address */
static void emit_enter(const char *name, uint32_t number)
{
  uint32_t weight = weigh(name, number);
  if (weight == 0)
    return;
  left_out_emit_weight(RAW_USER_ENTER, weight);
  recorder_emit(RAW_USER_ENTER, 0, number);
}

static void enter(const char *name, size_t length)
{
  uint32_t number;
  if (!calls_name(name, length, &number))
    return;
  if (session_profiles())
    profile_user_enter(number);
  else
    emit_enter(name, number);
}

void calls_enter(uint32_t number)
{
  if (calls_ready())
    emit_enter(NULL, number);
}

void calls_leave(uint32_t number)
{
  if (calls_ready() && !was_left_out(number))
    recorder_emit(RAW_USER_LEAVE, 0, number);
}

static void leave(const char *name, size_t length)
{
  uint32_t number;
  if (was_surely_left_out(name, length) || !calls_name(name, length, &number))
    return;
  if (session_profiles())
    profile_user_leave(number);
  else if (!was_left_out(number))
    recorder_emit(RAW_USER_LEAVE, 0, number);
}

static void phase(const char *name, size_t length)
{
  uint32_t number = 0;
  if (session_profiles()) /* phases and events have no sums */
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

/* Whether an event is left out; else its weight is told. */
static bool is_left_out(uint32_t number)
{
  struct budget_row *row = budget_is_on() ? budget_row(number, BUDGET_USER, RAW_USER_EVENT, 1) : NULL;
  uint32_t weight = row ? budget_take(row) : 1;
  left_out_emit_weight(RAW_USER_EVENT, weight);
  return weight == 0;
}

void calls_event(uint32_t number, unsigned n, const uint64_t (*elements)[RAW_EXTRA])
{
  if (calls_ready() && !is_left_out(number))
    recorder_emit_list(RAW_USER_EVENT, number, n, elements);
}

/* In the window itself: the caller may have little stack left. */
static bool emit_event(const char *name, size_t length, unsigned n, const struct heddle_attribute *attributes)
{
  uint32_t number = names_find(name, length);
  if (number != 0 && is_left_out(number))
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

static void event(const char *name, size_t length, size_t count, const struct heddle_attribute *attributes)
{
  unsigned n = count < RECORDER_MOST ? (unsigned)count : RECORDER_MOST;
  if (session_profiles() || (!is_known() && !calls_ready()) || emit_event(name, length, n, attributes))
    return;
  /* In a handler that interrupts the noting down of a name no other one can be noted down. */
  if (name_event(name, length, n, attributes) && !emit_event(name, length, n, attributes))
    recording_lose_event();
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

/* What the program's stub looks up. The number in the name is that of the interface: heddle.h says how it may grow. */
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
