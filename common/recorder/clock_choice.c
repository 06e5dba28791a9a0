#include "common/recorder/clock_choice.h"

#include "common/process/diag.h"
#include "common/process/text.h"
#include "common/recorder/clock.h"

#include <stdlib.h>
#include <string.h>

#define CALLS 10 /* enough to see what one costs */

static const char *why = "nobody chose";

/*
 * True if the kernel itself lets programs compute its clock from the counter, on any processor: then clock_gettime is
 * no system call. So it is with the clock sources tsc, kvm-clock (as the host promises) and Hyper-V's page.
 */
static bool kernel_trusts_counter(void)
{
  return clock_price(CLOCK_BY_CLOCK, CLOCK_READINGS) * CALLS * 3 <
         clock_price(CLOCK_BY_CALL, CALLS) * CLOCK_READINGS * 2;
}

/* The verdict of `heddle record` counts on its own machine, and not where a launcher starts the program. */
static bool is_verdict(const char *asked, const char *verdict)
{
  char id[64];
  size_t length = strlen(verdict);
  if (!asked || strncmp(asked, verdict, length) != 0)
    return false;
  ssize_t n = file_read("/proc/sys/kernel/random/boot_id", id, sizeof id);
  size_t used = n > 0 ? strcspn(id, "\n") : 0;
  return used > 0 && strlen(asked + length) == used && memcmp(asked + length, id, used) == 0;
}

static const char *reason(const char *asked, bool *tsc)
{
  const char *fault = clock_counter_fault();
  bool must = asked && strcmp(asked, "tsc") == 0;
  *tsc = false;
  if (asked && strcmp(asked, "monotonic") == 0)
    return "HEDDLE_CLOCK asks for it";
  if (fault && must)
    diag_say("HEDDLE_CLOCK=tsc is not possible: ", fault, "; using CLOCK_MONOTONIC", NULL);
  if (fault)
    return fault;
  if (is_verdict(asked, CLOCK_DIFFER))
    return "the processors' counters differ";
  *tsc = true;
  if (must)
    return "HEDDLE_CLOCK asks for it";
  if (is_verdict(asked, CLOCK_AGREE))
    return "the processors' counters agree";
  if (kernel_trusts_counter())
    return "the kernel's clock uses the counter, too";
  *tsc = false;
  return "the kernel's clock does not use the counter";
}

static bool is_known(const char *asked)
{
  return !asked || !*asked || strcmp(asked, "tsc") == 0 || strcmp(asked, "monotonic") == 0 ||
         strncmp(asked, CLOCK_AGREE, sizeof CLOCK_AGREE - 1) == 0 ||
         strncmp(asked, CLOCK_DIFFER, sizeof CLOCK_DIFFER - 1) == 0;
}

void clock_choose(void)
{
  static bool chosen; /* for good: threads may read the clock when another recording begins */
  const char *asked = secure_getenv("HEDDLE_CLOCK");
  bool tsc;
  if (chosen)
    return;
  chosen = true;
  if (!is_known(asked)) {
    diag_say("HEDDLE_CLOCK=", asked, " is neither tsc nor monotonic; Heddle chooses", NULL);
    asked = NULL;
  }
  why = reason(asked, &tsc);
  clock_use(tsc);
  clock_shift();
}

const char *clock_why(void)
{
  return why;
}
