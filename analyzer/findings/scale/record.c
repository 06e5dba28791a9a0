#include "analyzer/findings/scale/scale.h"

#include "analyzer/command/command.h"
#include "analyzer/findings/try/program_run.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#define THREADS_WORD "{threads}"

/* The argument with the number in place of each {threads}; the caller frees it. NULL: out of memory. */
static char *with_threads(const char *argument, unsigned threads)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  for (const char *found; file && (found = strstr(argument, THREADS_WORD)); argument = found + strlen(THREADS_WORD))
    fprintf(file, "%.*s%u", (int)(found - argument), argument, threads);
  if (file)
    fputs(argument, file);
  return file && fclose(file) == 0 ? text : NULL;
}

static void free_arguments(char **arguments)
{
  for (size_t i = 0; arguments && arguments[i]; i++)
    free(arguments[i]);
  free(arguments);
}

/* `env OMP_NUM_THREADS=N` is no process of the run: the program takes its place. */
static char **make_arguments(const struct scale_plan *plan, unsigned threads, const char *archive)
{
  const char *const own[] = {"heddle", "record", "-f", "-o", archive, "--", "env", "OMP_NUM_THREADS=" THREADS_WORD};
  size_t begin = sizeof own / sizeof *own, count = 0;
  while (plan->arguments[count])
    count++;
  char **arguments = calloc(begin + count + 1, sizeof *arguments);
  bool good = arguments != NULL;
  for (size_t i = 0; good && i < begin + count; i++) {
    arguments[i] =
        i + 1 < begin ? strdup(own[i]) : with_threads(i < begin ? own[i] : plan->arguments[i - begin], threads);
    good = arguments[i] != NULL;
  }
  if (good)
    return arguments;
  free_arguments(arguments);
  return NULL;
}

/* The program reads nothing, and what it prints goes into a file. */
static bool run_record(char **arguments, const char *output, unsigned threads, struct error *error)
{
  struct program_run run = {.arguments = arguments, .executable = "/proc/self/exe", .output = output};
  struct program_end end;
  char text[64];
  if (!program_run(&run, &end, error))
    return false;
  const char *failure = program_failure(&end, text);
  return !failure || error_set(error, "the run with %u threads %s; its output is in %s", threads, failure, output);
}

static bool record_one(const struct scale_plan *plan, unsigned threads, unsigned run, struct scale_runs *runs,
                       struct error *error)
{
  char *archive = NULL, *output = NULL;
  char **arguments = NULL;
  bool good = asprintf(&archive, "%s/threads-%u-run-%u", plan->directory, threads, run) >= 0 &&
              asprintf(&output, "%s/threads-%u-run-%u.out", plan->directory, threads, run) >= 0 &&
              (arguments = make_arguments(plan, threads, archive)) != NULL;
  if (!good)
    error_set(error, "out of memory");
  else
    good = run_record(arguments, output, threads, error) && scale_add(runs, archive, threads, plan->jobs, error);
  free_arguments(arguments);
  free(archive);
  free(output);
  return good;
}

bool scale_record(const struct scale_plan *plan, struct scale_runs *runs, struct error *error)
{
  struct progress progress = progress_begin("scale", plan->runs * (unsigned)plan->count);
  bool good = mkdir(plan->directory, 0777) == 0 || error_set(error, "%s: %s", plan->directory, strerror(errno));
  for (unsigned run = 1; good && run <= plan->runs; run++)
    for (size_t i = 0; good && i < plan->count; i++) {
      char step[64];
      snprintf(step, sizeof step, "%u thread%s, run %u of %u", plan->threads[i], plan->threads[i] == 1 ? "" : "s", run,
               plan->runs);
      progress_step(&progress, step);
      good = record_one(plan, plan->threads[i], run, runs, error);
    }
  progress_end(&progress);
  return good;
}
