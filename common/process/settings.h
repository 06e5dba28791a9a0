/*
 * Settings of a traced process, from HEDDLE_* environment variables. They are documented only here.
 * `heddle record` has options for most:
 *
 *   HEDDLE: --off                     HEDDLE_VERBOSE: --verbose         HEDDLE_CLOCK: --clock
 *   HEDDLE_CONVERTER: --converter     HEDDLE_MAX_SIZE: --max-size       HEDDLE_RING: --ring
 *   HEDDLE_WINDOW: --window           HEDDLE_BUDGET: --budget           HEDDLE_KEEP: --keep
 *   HEDDLE_PROFILE: --profile, --profile-beside                         HEDDLE_LIVE: --live
 *   HEDDLE_PTHREAD: --no-pthread; all: --lock-order                     HEDDLE_COUNTERS: --counters
 *   HEDDLE_SWITCHES: --no-switches    HEDDLE_COMMAND: --no-command      HEDDLE_PAUSED: --paused
 *   HEDDLE_SAMPLE, HEDDLE_SAMPLE_TIMER: --sample                        HEDDLE_WAIT_STACKS: --wait-stacks
 *
 *   HEDDLE=on|off            off: the tool declines and the program runs as if it were not there           (on)
 *   HEDDLE_DIR=DIR           trace directory               (heddle-<program>-<start>-<pid> in the working directory)
 *   HEDDLE_CLOCK=tsc|monotonic  the clock of records: the processor's counter, or CLOCK_MONOTONIC  (the better one)
 *   HEDDLE_CLOCK_SHIFT=TICKS@NS  the counter jumps by TICKS when CLOCK_MONOTONIC is NS; for tests. clock.c reads it,
 *                            and clock_choice.c HEDDLE_CLOCK
 *   HEDDLE_CONVERT=0|1       1: the last process to end converts the raw trace to OTF2                     (1)
 *   HEDDLE_CONVERTER=FILE    the converter program               (heddle-convert as installed beside the tool)
 *   HEDDLE_MAX_SIZE=BYTES    a process records at most this much, then stops; 0: no limit                  (16G)
 *   HEDDLE_RING=BYTES        keep only the newest BYTES of each thread; 0: keep all                        (0)
 *   HEDDLE_WINDOW=BYTES      a thread's window: what it records between two writes, 16K to 16M             (128K)
 *                            with HEDDLE_PROFILE: its table                                             (416K)
 *   HEDDLE_BUDGET=5%|1/N|none  share of each thread's time for recording; more instances are omitted at random (5%).
 *                            1/N: one of N instances is recorded, whatever the cost; none: all are
 *   HEDDLE_KEEP=PLACE;... places whose instances are all recorded, whatever the budget; see common/budget/keep.h
 *   HEDDLE_SEED=N            of the random choice; 0: a new one each time                                  (0)
 *   HEDDLE_PRICE=NS          cost of a record, instead of the measured one; for tests
 *   HEDDLE_PROFILE=0|1|beside  1: record sums per construct, no events: a table of fixed size per thread      (0)
 *                            beside: events, and such a table beside them
 *   HEDDLE_LIVE=0|1          1: as `beside`, but no event is written until `heddle start` requests a trace   (0)
 *   HEDDLE_PTHREAD=0|1|all   0: libheddle-pthread.so records nothing; 1: it records in a JVM, too; all: also
 *                            uncontended acquisitions and their releases. It reads this itself
 *   HEDDLE_COUNTERS=LIST     counters that each thread reads at borders of constructs
 *                            (common/recorder/counters.h). The session reads this itself
 *   HEDDLE_SWITCHES=on|off   off: threads do not read how long they had no processor. They don't either if
 *                            `heddle record` asks the kernel for context switches                           (on)
 *   HEDDLE_COMMAND=on|off    off: the trace has the program's name, and not its command line                 (on)
 *   HEDDLE_SAMPLE=PERIOD|off  samples the calls of Java threads after each PERIOD of processor time: 100us to 1s,
 *                            or ns. libheddle-jvmti.so reads it itself                                      (off)
 *   HEDDLE_WAIT_STACKS=TIME|off  records the callers of waits of TIME or longer: 100us to 1s, as 10ms      (off)
 *   HEDDLE_SAMPLE_TIMER=TIME|off  samples each thread by timers after such a time on a processor           (off)
 *   HEDDLE_PAUSED=0|1        record nothing until omp_control_tool(omp_control_tool_start, ...), or
 *                            `heddle start`                                                                 (0)
 *   HEDDLE_VERBOSE=0|1       print the path of the trace, and what was recorded                            (0)
 *
 * BYTES may end in K, M or G (powers of 1024). A program with more rights than its caller
 * (set-user-ID, set-group-ID, capabilities: AT_SECURE) is not traced, whatever they say.
 */
#ifndef HEDDLE_COMMON_PROCESS_SETTINGS_H
#define HEDDLE_COMMON_PROCESS_SETTINGS_H

#include "common/budget/budget.h"

#include <stdbool.h>
#include <stdint.h>

struct settings {
  bool on;
  const char *directory; /* NULL: default; points into the environment, copy it at once */
  bool convert;
  const char *converter; /* NULL: default; points into the environment */
  uint64_t max_size;
  uint64_t ring;
  uint32_t window;
  struct budget_settings budget;
  const char *keep; /* NULL: nothing; points into the environment, copy it at once */
  bool profile;     /* sums only; tools feed them */
  bool beside;      /* sums and events */
  bool live;        /* likewise, and events are written only while a trace is requested */
  bool folded;      /* sums only, of records (session_fold_profiles) */
  bool switches;
  bool command;
  uint64_t wait_stacks;  /* ns; 0: none */
  uint64_t sample_timer; /* likewise */
  bool paused;
  bool verbose;
};

/* Reads the environment. An invalid value is reported in one line on stderr, and the default is used. */
struct settings settings_read(void);

/* Applies HEDDLE_LIVE=1: sums beside events, never sums only. */
void settings_set_live(struct settings *settings);

#endif
