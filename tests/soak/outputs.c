/* What the program prints, and its events for Heddle. */
#include "tests/soak/soak.h"

#include "tests/soak/counts.h"
#include "user-events/include/heddle.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static __thread bool emitted_before; /* a handler may emit only if the thread has emitted something */

static void print(int descriptor, const char *format, va_list arguments)
{
  char line[512];
  int length = vsnprintf(line, sizeof line, format, arguments);
  if (length > 0 && write(descriptor, line, (size_t)length) < 0) {
    /* Some actions close their outputs, and then both runs write nothing. */
  }
}

void say(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print(STDOUT_FILENO, format, arguments);
  va_end(arguments);
}

void complain(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print(STDERR_FILENO, format, arguments);
  va_end(arguments);
}

/* An event has its process and its number: so none can be in another's trace, missing, or there
 * twice. */
static void begin_event(void)
{
  int64_t serial = counts_begin(EVENT);
  heddle_event("event", heddle_integer("process", counts_process()), heddle_integer("serial", serial));
}

void emit_event(void)
{
  begin_event();
  counts_done(EVENT);
  emitted_before = true;
}

void emit_events(unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    emit_event();
}

void emit_slowly(void)
{
  static __thread unsigned n;
  emit_event();
  for (volatile unsigned i = 0; i < 1000; i++)
    ;
  if (++n % 16 == 0) /* a thread that is to interrupt this gets a processor, however many others want one */
    sched_yield();
}

void emit_from_handler(void)
{
  int kept = errno;
  if (emitted_before) {
    begin_event();
    counts_done_by_handler(EVENT);
  }
  if (errno != kept) {
    complain("errno is changed\n");
    errno = kept;
  }
}

void emit_in_region(const char *name, unsigned events)
{
  counts_begin(ENTERED);
  heddle_enter(name);
  counts_done(ENTERED);
  emit_events(events);
  counts_begin(LEFT);
  heddle_leave(name);
  counts_done(LEFT);
}
