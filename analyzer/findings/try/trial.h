/* Single runs of the program under test: the trial, recordings, and runs with settings. Private to try/. */
#ifndef HEDDLE_ANALYZER_FINDINGS_TRY_TRIAL_H
#define HEDDLE_ANALYZER_FINDINGS_TRY_TRIAL_H

#include "analyzer/findings/try/program_run.h"
#include "analyzer/findings/try/try.h"

struct trial {
  const struct try_plan *plan;
  struct scratch scratch;
  double began;         /* CLOCK_MONOTONIC, s */
  double first;         /* s, of the trial run */
  double longest;       /* s, of all unchanged runs */
  char *wanted, *other; /* files: the trial's output, and another run's */
};

/* Makes the scratch directory and the trial run. False: the program is refused, or an error; trial_end() also then. */
bool trial_begin(struct trial *trial, const struct try_plan *plan, struct error *error);
void trial_end(struct trial *trial);

/* Seconds that are left of the plan's time. */
double trial_left(const struct trial *trial);

/* Records a run with a setting (NULL: none), and reads the archive. False: an error. */
bool trial_record(const struct trial *trial, char *setting, struct evidence *evidence, struct error *error);

/* One run with the experiment's change (NULL: none). *same: its output is the trial's. False: an error. */
bool trial_run(struct trial *trial, const struct experiment *experiment, struct program_end *end, bool *same,
               struct error *error);

/* Runs a command of the shell in a directory. `what` is for the message if it fails: "the build". False: an error. */
bool trial_shell(const struct trial *trial, const char *command, const char *directory, const char *what,
                 struct error *error);

/* Adds an experiment for each patch of the plan: a copy of the working directory, patched and built. False: an error.
 */
bool trial_patch(const struct trial *trial, const struct evidence *evidence, struct experiments *experiments,
                 struct error *error);

#endif
