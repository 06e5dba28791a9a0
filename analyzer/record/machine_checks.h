/*
 * Table of what a recording needs from the machine and the installation: how it is tested, and the remedy if it is
 * missing. `heddle doctor` prints all of it; `heddle record` takes its remedies from it. For one thread.
 */
#ifndef HEDDLE_ANALYZER_RECORD_MACHINE_CHECKS_H
#define HEDDLE_ANALYZER_RECORD_MACHINE_CHECKS_H

#include <stddef.h>

enum machine_check {
  MACHINE_INSTALLATION,
  MACHINE_DESCRIPTORS,
  MACHINE_SPACE,
  MACHINE_CLOCK,
  MACHINE_PERF_EVENTS,
  MACHINE_COUNTERS,
  MACHINE_PTRACE,
  MACHINE_LIBOMP,
  MACHINE_LIBGOMP,
  MACHINE_JDK,
  MACHINE_CHECKS
};

/* MACHINE_LESS: recordings have less in them. MACHINE_NOTHING: nothing can be recorded. */
enum machine_state { MACHINE_GOOD, MACHINE_LESS, MACHINE_NOTHING };

#define MACHINE_FOUND_SIZE  512u
#define MACHINE_LEAST_FILES 16u /* the recorder leaves as many to the program (common/process/kept_file.c) */

/* Tests one, in some ms. `found` gets what was found, a phrase. */
enum machine_state machine_check(enum machine_check check, char found[MACHINE_FOUND_SIZE]);

/* The subject, as a name for tables; what recordings have with it; what to do without it: clauses without a full
 * stop. All are static. */
const char *machine_check_name(enum machine_check check);
const char *machine_check_use(enum machine_check check);
const char *machine_check_remedy(enum machine_check check);

#endif
