#include "analyzer/findings/try/trial.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_TIMES 10  /* a change that makes a program so much slower is not waited for */
#define PATIENCE_MORE  1.0 /* s */
#define SAME_LIMIT     60. /* s, for the command that compares outputs */

static double trial_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double trial_left(const struct trial *trial)
{
  return trial->plan->time - (trial_clock() - trial->began);
}

/*
 * The trial's standard input has one line, which no other run has. Whether it was read is seen by the position in the
 * file, which the program shares.
 */
static int input_with_a_line(struct error *error)
{
  int input = memfd_create("heddle-input", MFD_CLOEXEC);
  if (input >= 0 && write(input, "\n", 1) == 1 && lseek(input, 0, SEEK_SET) == 0)
    return input;
  error_set(error, "a file in memory: %s", strerror(errno));
  if (input >= 0)
    close(input);
  return -1;
}

static bool first_run(struct trial *trial, struct error *error)
{
  const char *name = trial->plan->arguments[0], *failure;
  int input = input_with_a_line(error);
  struct program_run run = {.arguments = trial->plan->arguments,
                            .directory = trial->scratch.work,
                            .input = input,
                            .output = trial->wanted,
                            .errors = "/dev/null",
                            .limit = trial->plan->time};
  struct program_end end;
  bool good = input >= 0 && program_run(&run, &end, error), read = good && lseek(input, 0, SEEK_CUR) != 0;
  char text[64];
  if (input >= 0)
    close(input);
  if (!good)
    return false;
  if (read)
    return error_set(error, "%s: reads standard input, which no run gets: give it a file: sh -c '%s < FILE'", name,
                     name);
  if ((failure = program_failure(&end, text)))
    return error_set(error, "%s: it %s without any change: nothing to try", name, failure);
  if (end.seconds < TRY_LEAST_TIME)
    return error_set(error, "%s: takes %.3f s, too short to compare: give it more work, %g s or more", name,
                     end.seconds, TRY_LEAST_TIME);
  trial->first = trial->longest = end.seconds;
  return true;
}

bool trial_begin(struct trial *trial, const struct try_plan *plan, struct error *error)
{
  *trial = (struct trial){.plan = plan, .began = trial_clock()};
  program_hold_signals(); /* the scratch directory is removed in any case */
  if (!scratch_make(&trial->scratch, plan->in_place, error))
    return false;
  if (asprintf(&trial->wanted, "%s/first.out", trial->scratch.path) < 0)
    trial->wanted = NULL;
  if (asprintf(&trial->other, "%s/run.out", trial->scratch.path) < 0)
    trial->other = NULL;
  if (!trial->wanted || !trial->other)
    return error_set(error, "out of memory");
  return (!plan->build || trial_shell(trial, plan->build, trial->scratch.work, "the build", error)) &&
         first_run(trial, error);
}

void trial_end(struct trial *trial)
{
  scratch_remove(&trial->scratch);
  free(trial->wanted);
  free(trial->other);
}

static bool equal_files(const char *one, const char *two)
{
  FILE *files[] = {fopen(one, "re"), fopen(two, "re")};
  char pieces[2][4096];
  bool same = files[0] && files[1];
  for (size_t got = 1; same && got > 0;) {
    got = fread(pieces[0], 1, sizeof pieces[0], files[0]);
    same = fread(pieces[1], 1, sizeof pieces[1], files[1]) == got && memcmp(pieces[0], pieces[1], got) == 0;
  }
  for (unsigned i = 0; i < 2; i++)
    if (files[i])
      fclose(files[i]);
  return same;
}

/* The user's command, in the directory where the user is: it gets the names of two files. */
static bool compare_outputs(const struct trial *trial, bool *same, struct error *error)
{
  char script[] = "eval \"$0\"' \"$@\"'", shell[] = "sh", option[] = "-c", command[4096], text[64];
  const char *by = trial->plan->same;
  if (!by) {
    *same = equal_files(trial->wanted, trial->other);
    return true;
  }
  if (snprintf(command, sizeof command, "%s", by) >= (int)sizeof command)
    return error_set(error, "--same: is longer than %zu characters", sizeof command);
  char *const arguments[] = {shell, option, script, command, trial->wanted, trial->other, NULL};
  struct program_run run = {.arguments = arguments, .output = "/dev/null", .limit = SAME_LIMIT};
  struct program_end end;
  if (!program_run(&run, &end, error))
    return false;
  *same = !program_failure(&end, text);
  return true;
}

bool trial_run(struct trial *trial, const struct experiment *experiment, struct program_end *end, bool *same,
               struct error *error)
{
  char *none = NULL, **environment = environment_with(experiment ? experiment->settings : &none);
  struct program_run run = {.arguments = trial->plan->arguments,
                            .environment = environment,
                            .directory =
                                experiment && experiment->directory ? experiment->directory : trial->scratch.work,
                            .output = trial->other,
                            .errors = "/dev/null",
                            .limit = PATIENCE_TIMES * trial->longest + PATIENCE_MORE};
  char text[64];
  bool good = environment ? program_run(&run, end, error) : error_set(error, "out of memory");
  free(environment);
  *same = false;
  if (good && !program_failure(end, text))
    good = compare_outputs(trial, same, error);
  return good;
}

/* `heddle record -f -o ARCHIVE -- PROGRAM`; the caller frees the list alone. NULL: out of memory. */
static char **record_arguments(const struct trial *trial, char *archive)
{
  static char words[][8] = {"heddle", "record", "-f", "-o", "", "--"};
  size_t count = 0, own = sizeof words / sizeof *words;
  while (trial->plan->arguments[count])
    count++;
  char **list = calloc(own + count + 1, sizeof *list);
  for (size_t i = 0; list && i < own; i++)
    list[i] = *words[i] ? words[i] : archive;
  if (list)
    memcpy(list + own, trial->plan->arguments, count * sizeof *list);
  return list;
}

bool trial_record(const struct trial *trial, char *setting, struct evidence *evidence, struct error *error)
{
  char *archive = NULL, text[64], *settings[] = {setting, NULL};
  if (asprintf(&archive, "%s/recorded%s", trial->scratch.path, setting ? "-probe" : "") < 0)
    archive = NULL;
  char **environment = environment_with(settings), **arguments = archive ? record_arguments(trial, archive) : NULL;
  struct program_run run = {.arguments = arguments,
                            .executable = "/proc/self/exe",
                            .environment = environment,
                            .directory = trial->scratch.work,
                            .output = "/dev/null",
                            .limit = fmax(trial_left(trial), PATIENCE_MORE)};
  struct program_end end;
  const char *failure;
  bool good = arguments && environment ? program_run(&run, &end, error) : error_set(error, "out of memory");
  if (good && (failure = program_failure(&end, text)))
    good = error_set(error, "%s: its recording %s; see `heddle record -- %s`", trial->plan->arguments[0], failure,
                     trial->plan->arguments[0]);
  good = good && evidence_read(archive, trial->plan->jobs, evidence, error);
  free(environment);
  free(arguments);
  free(archive);
  return good;
}
