/* What the program says on its outputs, and what it tells Heddle. */
#include "tests/soak/soak.h"

#include "fortran-shim/heddle.h"
#include "tests/soak/counts.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static __thread bool told_before; /* a handler may tell only where the thread has told something */

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

/* An event says of which process it is, and which one of it: so none can be in another's trace, missing, or there
 * twice. */
static void begin_to_tell(void)
{
  int64_t serial = counts_begin(TOLD);
  heddle_event("told", heddle_integer("process", counts_process()), heddle_integer("serial", serial));
}

void tell(void)
{
  begin_to_tell();
  counts_done(TOLD);
  told_before = true;
}

void tell_often(unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    tell();
}

void tell_slowly(void)
{
  static __thread unsigned n;
  tell();
  for (volatile unsigned i = 0; i < 1000; i++)
    ;
  if (++n % 16 == 0) /* whoever is to interrupt this gets a processor, however many others want one */
    sched_yield();
}

void tell_from_handler(void)
{
  int kept = errno;
  if (told_before) {
    begin_to_tell();
    counts_done_by_handler(TOLD);
  }
  if (errno != kept) {
    complain("errno is changed\n");
    errno = kept;
  }
}

void tell_in_region(const char *name, unsigned events)
{
  counts_begin(ENTERED);
  heddle_enter(name);
  counts_done(ENTERED);
  tell_often(events);
  counts_begin(LEFT);
  heddle_leave(name);
  counts_done(LEFT);
}
