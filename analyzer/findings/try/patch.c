/* Experiments with changes of the source: the user's patches, each in a copy of the working directory. */
#include "analyzer/findings/try/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 512, SAID_MOST = 160 };

/* The last line of what a command printed, as a reason. */
static void last_line(const char *path, char said[SAID_MOST])
{
  char line[LINE_MOST];
  FILE *file = fopen(path, "re");
  *said = '\0';
  while (file && fgets(line, sizeof line, file))
    if (strcspn(line, "\r\n") > 0)
      snprintf(said, SAID_MOST, "%.*s", (int)strcspn(line, "\r\n"), line);
  if (file)
    fclose(file);
}

bool trial_shell(const struct trial *trial, const char *command, const char *directory, const char *what,
                 struct error *error)
{
  char shell[] = "sh", option[] = "-c", text[64], said[SAID_MOST], *copy = strdup(command);
  char *const arguments[] = {shell, option, copy, NULL};
  struct program_run run = {
      .arguments = arguments, .directory = directory, .output = trial->other, .limit = fmax(trial_left(trial), 1)};
  struct program_end end;
  bool good = copy ? program_run(&run, &end, error) : error_set(error, "out of memory");
  const char *failure = good ? program_failure(&end, text) : NULL;
  free(copy);
  if (!failure)
    return good;
  last_line(trial->other, said);
  return error_set(error, "%s %s%s%s", what, failure, *said ? ": " : "", said);
}

/* A word for the shell: in single quotes. NULL: out of memory. */
static char *quoted(const char *text)
{
  char *result = NULL;
  size_t size;
  FILE *file = open_memstream(&result, &size);
  if (!file)
    return NULL;
  fputc('\'', file);
  for (; *text; text++)
    if (*text == '\'')
      fputs("'\\''", file);
    else
      fputc(*text, file);
  fputc('\'', file);
  return fclose(file) == 0 ? result : NULL;
}

static bool apply(const struct trial *trial, const char *patch, const char *directory, struct error *error)
{
  char *real = realpath(patch, NULL), *file = real ? quoted(real) : NULL, *command = NULL, what[SAID_MOST];
  bool good = real || error_set(error, "%s: cannot be read", patch);
  snprintf(what, sizeof what, "%s: patch -p1", patch);
  if (good)
    good = (file && asprintf(&command, "patch -p1 --batch --forward -i %s", file) >= 0) ||
           error_set(error, "out of memory");
  good = good && trial_shell(trial, command, directory, what, error);
  snprintf(what, sizeof what, "%s: the build", patch);
  good = good && trial_shell(trial, trial->plan->build, directory, what, error);
  free(command);
  free(file);
  free(real);
  return good;
}

/* What a patch is about. */
struct subject {
  const struct evidence_finding *finding; /* the largest at its lines; NULL: none */
  double loops;                           /* percent: what even divisions of the loops at its lines would save */
  double held;                            /* percent: in critical sections at its lines, and of their locks */
  bool schedules, reduces;                /* it adds a schedule; a reduction */
};

static bool is_at(const struct evidence_place *place, const char *file, unsigned first, unsigned count)
{
  const char *a = strrchr(place->file, '/'), *b = strrchr(file, '/');
  return place->line >= first && place->line < first + count && strcmp(a ? a + 1 : place->file, b ? b + 1 : file) == 0;
}

static void take_lines(const struct evidence *evidence, const char *file, unsigned first, unsigned count,
                       struct subject *subject)
{
  for (size_t i = 0; i < evidence->findings.count; i++) {
    const struct evidence_finding *finding = &evidence->findings.items[i];
    if (is_at(&finding->place, file, first, count) &&
        (!subject->finding || finding->percent > subject->finding->percent))
      subject->finding = finding;
  }
  for (size_t i = 0; i < evidence->held.count; i++)
    if (is_at(&evidence->held.items[i].place, file, first, count))
      subject->held += evidence->held.items[i].percent;
  for (size_t i = 0; i < evidence->loops.count; i++)
    if (is_at(&evidence->loops.items[i].place, file, first, count))
      subject->loops += evidence->loops.items[i].lost;
}

/* By the lines that the patch shows: `--- a/cfd.c`, `@@ -120,7 +120,7 @@`. */
static struct subject subject_of(const struct evidence *evidence, const char *patch)
{
  char line[LINE_MOST], name[LINE_MOST] = "";
  struct subject subject = {.finding = NULL};
  FILE *file = fopen(patch, "re");
  while (file && fgets(line, sizeof line, file)) {
    unsigned first, count = 1;
    if (strncmp(line, "--- ", 4) == 0)
      snprintf(name, sizeof name, "%.*s", (int)strcspn(line + 4, "\t\r\n"), line + 4);
    else if (sscanf(line, "@@ -%u,%u", &first, &count) >= 1)
      take_lines(evidence, name, first, count, &subject);
    subject.schedules |= *line == '+' && strstr(line, "schedule(");
    subject.reduces |= *line == '+' && strstr(line, "reduction(");
  }
  if (file)
    fclose(file);
  return subject;
}

/* A schedule divides loops; other changes remove what the finding is about. NAN: no prediction. */
static double predict(const struct subject *subject)
{
  if (subject->schedules && subject->loops > 0)
    return subject->loops;
  if (subject->finding && subject->reduces)
    return subject->finding->percent + subject->held;
  return subject->finding ? subject->finding->percent : NAN;
}

static bool add_patch(const struct trial *trial, const struct evidence *evidence, unsigned number,
                      struct experiments *experiments, struct error *error)
{
  static const struct evidence_place nowhere = {NULL, NULL, 0};
  const char *patch = trial->plan->patches[number];
  struct subject subject = subject_of(evidence, patch);
  char name[32];
  snprintf(name, sizeof name, "patched-%u", number);
  struct experiment experiment = {.kind = subject.finding ? subject.finding->kind : ACCOUNT_UNKNOWN,
                                  .place = subject.finding ? &subject.finding->place : &nowhere,
                                  .predicted = predict(&subject),
                                  .directory = scratch_copy(&trial->scratch, name, error)};
  bool good = experiment.directory && apply(trial, patch, experiment.directory, error);
  if (good && asprintf(&experiment.name, "patch %s", patch) < 0)
    experiment.name = NULL;
  if (good && experiment.name && vector_push(&experiments->list, experiment))
    return true;
  free(experiment.directory);
  free(experiment.name);
  return good ? error_set(error, "out of memory") : false;
}

bool trial_patch(const struct trial *trial, const struct evidence *evidence, struct experiments *experiments,
                 struct error *error)
{
  for (unsigned i = 0; i < trial->plan->patch_count; i++)
    if (!add_patch(trial, evidence, i, experiments, error))
      return false;
  return true;
}
