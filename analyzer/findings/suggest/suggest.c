#include "analyzer/findings/suggest/suggest.h"

#include "analyzer/command/print/escape.h"
#include "analyzer/findings/suggest/fortran.h"
#include "analyzer/findings/suggest/patch_text.h"
#include "analyzer/trace/output.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUGGESTIONS_MOST 32
#define MANY_ITERATIONS  10000.0 /* of a loop */
#define TASKS_EACH       4       /* a thread: few enough to be large, and enough to be shared out */

struct suggestion {
  const struct finding *finding;
  char *path; /* from the working directory on */
  struct code_text source;
  struct change change;
};

struct suggestions {
  const struct analysis_results *of;
  char root[PATH_MAX]; /* the working directory, with a slash */
  struct suggestion list[SUGGESTIONS_MOST];
  size_t count;
};

static void suggestion_free(struct suggestion *suggestion)
{
  change_free(&suggestion->change);
  code_text_free(&suggestion->source);
  free(suggestion->path);
}

/* The path of a source from the working directory on, for the header of a patch. NULL: it is elsewhere. */
static char *path_below(const struct suggestions *all, const char *file)
{
  char real[PATH_MAX];
  size_t length = strlen(all->root);
  if (!*file || !realpath(file, real) || strncmp(real, all->root, length) != 0)
    return NULL;
  for (const char *at = real + length; *at; at++)
    if ((unsigned char)*at < ' ' || *at == 0x7f || *at == '"')
      return NULL;
  return strdup(real + length);
}

/* False: it was changed after the program began, so the lines may be others. */
static bool is_as_compiled(const struct trace *trace, const char *path)
{
  struct stat status;
  if (stat(path, &status) != 0)
    return false;
  uint64_t changed = (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
  return trace->realtime_ns == UINT64_MAX || changed <= trace->realtime_ns;
}

/* The schedule that a simulation advises, or one that shares out by need. False: another one does not help. */
static bool schedule_clause(const struct analysis_results *of, const struct trace_region *at, char clause[PLAN_TEXT])
{
  struct plan plan = {PLAN_DYNAMIC, 0};
  for (uint32_t i = 0; i < of->schedules->count; i++) {
    const struct schedule_loop *loop = &of->schedules->loops[i];
    const struct trace_region *region = &of->trace->regions[loop->region];
    if (region->line != at->line || strcmp(region->file, at->file) != 0)
      continue;
    if (loop->obstacle == OBSTACLE_ORDERED)
      return false;
    if (loop->calls > 0 && (double)loop->iterations > MANY_ITERATIONS * (double)loop->calls)
      plan.kind = PLAN_GUIDED; /* handing each one out costs too much */
    if (loop->team_count == 0)
      continue;
    if (loop->teams[0].verdict == SCHEDULE_GOOD)
      return false;
    if (loop->teams[0].verdict == SCHEDULE_ADVISED)
      plan = loop->teams[0].candidates[loop->teams[0].best].plan;
  }
  plan_text(&plan, clause);
  return plan.kind != PLAN_UNKNOWN && !(plan.kind == PLAN_STATIC && plan.chunk == 0);
}

/* Findings without an account have their subject's kind. */
static enum account_kind kind_of_loss(const struct finding *finding)
{
  if (finding->account != ACCOUNT_KINDS)
    return finding->account;
  switch (finding->kind) {
  case FINDING_IMBALANCE:
  case FINDING_SCHEDULE:
    return ACCOUNT_IMBALANCE;
  case FINDING_LOCK:
    return ACCOUNT_SYNCHRONIZATION;
  case FINDING_SMALL_TASKS:
    return ACCOUNT_GRAIN;
  default:
    return ACCOUNT_KINDS;
  }
}

/* The one loop of the parallel region that a barrier, or the region itself, is about. TRACE_NONE: none, or several. */
static uint32_t only_loop(const struct analysis_results *of, uint32_t region)
{
  const struct imbalance *imbalance = of->imbalance;
  bool parallel = of->trace->regions[region].role == OTF2_REGION_ROLE_PARALLEL;
  uint32_t around = parallel || !of->account || !of->account->within ? region : of->account->within[region];
  uint32_t found = TRACE_NONE;
  for (uint32_t i = 0; i < imbalance->count; i++) {
    const struct imbalance_construct *construct = &imbalance->constructs[i];
    if (construct->calls == 0 || i == around || construct->parallel != around || i >= of->trace->region_count)
      continue;
    if (found != TRACE_NONE || of->trace->regions[i].role != OTF2_REGION_ROLE_LOOP)
      return TRACE_NONE;
    found = i;
  }
  return found;
}

static bool add_clause(const struct code_text *source, uint32_t line, const char *clause, struct change *change)
{
  return source->fortran ? fortran_add_clause(source, line, clause, change)
                         : edit_add_clause(source, line, clause, change);
}

/* A schedule at the loop, or at the one loop that a barrier is about. */
static bool add_schedule_clause(const struct analysis_results *of, uint32_t region, const struct code_text *source,
                                struct change *change)
{
  char clause[PLAN_TEXT];
  const struct trace_region *regions = of->trace->regions;
  if (schedule_clause(of, &regions[region], clause) && !add_clause(source, regions[region].line, clause, change))
    return false;
  uint32_t loop = change->count > 0 ? TRACE_NONE : only_loop(of, region);
  return loop == TRACE_NONE || strcmp(regions[loop].file, regions[region].file) != 0 ||
         !schedule_clause(of, &regions[loop], clause) || add_clause(source, regions[loop].line, clause, change);
}

/* The edit that belongs to a kind of loss at a directive. False: out of memory. */
static bool find_change(const struct suggestions *all, const struct finding *finding, const struct code_text *source,
                        struct change *change)
{
  const struct trace_region *at = &all->of->trace->regions[finding->region];
  enum account_kind kind = kind_of_loss(finding);
  char clause[PLAN_TEXT];
  *change = (struct change){.count = 0};
  switch (kind) {
  case ACCOUNT_IMBALANCE:
  case ACCOUNT_SERIAL:
    if (kind == ACCOUNT_IMBALANCE && !add_schedule_clause(all->of, finding->region, source, change))
      return false;
    return change->count > 0 || add_clause(source, at->line, "nowait", change);
  case ACCOUNT_SYNCHRONIZATION:
    return source->fortran || edit_make_reduction(source, at->line, change);
  case ACCOUNT_GRAIN:
    if (finding->kind != FINDING_SMALL_TASKS && !strstr(at->name, "task"))
      return true;
    snprintf(clause, sizeof clause, "num_tasks(%u)",
             TASKS_EACH * (all->of->account && all->of->account->processors ? all->of->account->processors : 1));
    return source->fortran ? add_clause(source, at->line, clause, change) : edit_taskloop(source, clause, change);
  default:
    return true;
  }
}

/* Whether an edit of the file has a line of this change already. */
static bool is_taken(const struct suggestions *all, const struct suggestion *new)
{
  for (size_t i = 0; i < all->count; i++)
    for (unsigned k = 0; k < EDITS_MOST * EDITS_MOST; k++) {
      const struct suggestion *old = &all->list[i];
      const struct edit *a = &old->change.edits[k / EDITS_MOST], *b = &new->change.edits[k % EDITS_MOST];
      if (k / EDITS_MOST < old->change.count &&
          k % EDITS_MOST < new->change.count &&strcmp(old->path, new->path) == 0 && a->line < b->line + b->count &&
          b->line < a->line + a->count)
        return true;
    }
  return false;
}

static bool add_suggestion(struct suggestions *all, const struct finding *finding, struct error *error)
{
  struct suggestion new = {.finding = finding};
  bool good = true;
  if (finding->region == TRACE_NONE || !finding->text || finding->percent < ACCOUNT_THRESHOLD ||
      all->count == SUGGESTIONS_MOST)
    return true;
  new.path = path_below(all, all->of->trace->regions[finding->region].file);
  if (new.path && is_as_compiled(all->of->trace, new.path) && code_text_read(&new.source, new.path)) {
    new.source.fortran = fortran_is_source(new.path);
    good = find_change(all, finding, &new.source, &new.change) || error_set(error, "out of memory");
  }
  if (good && new.change.count > 0 && !is_taken(all, &new))
    all->list[all->count++] = new;
  else
    suggestion_free(&new);
  return good;
}

/* A comment, which `patch` passes over: what the change is for. */
static void put_reason(FILE *file, const struct suggestion *suggestion)
{
  char *text = escape_text(suggestion->finding->text);
  fprintf(file, "# %s\n", text ? text : "");
  free(text);
}

static int suggest_by_line(const void *a, const void *b)
{
  const struct edit *one = a, *other = b;
  return (one->line > other->line) - (one->line < other->line);
}

/* All changes of the file that the first of them is in. */
static void put_file(FILE *file, const struct suggestions *all, size_t first)
{
  struct edit edits[SUGGESTIONS_MOST * EDITS_MOST];
  size_t count = 0;
  for (size_t i = first; i < all->count; i++)
    for (unsigned k = 0; strcmp(all->list[i].path, all->list[first].path) == 0 && k < all->list[i].change.count; k++)
      edits[count++] = all->list[i].change.edits[k];
  qsort(edits, count, sizeof *edits, suggest_by_line);
  patch_text_write(file, all->list[first].path, &all->list[first].source, edits, count);
}

static void put_together(FILE *file, const struct suggestions *all)
{
  for (size_t i = 0; i < all->count; i++)
    put_reason(file, &all->list[i]);
  for (size_t i = 0; i < all->count; i++) {
    bool is_first = true;
    for (size_t k = 0; k < i; k++)
      is_first &= strcmp(all->list[k].path, all->list[i].path) != 0;
    if (is_first)
      put_file(file, all, i);
  }
}

static void say_suggestion(const struct suggestion *suggestion, const char *patch)
{
  char *path = escape_text(suggestion->path), *to = escape_text(patch);
  if (path && to)
    printf("%s at %s:%zu: %s\n", suggestion->change.title, path, suggestion->change.edits[0].line + 1, to);
  free(path);
  free(to);
}

/* "DIR/1-schedule-a.c-120.patch" */
static bool write_one(const struct suggestion *suggestion, size_t number, const char *directory, struct error *error)
{
  struct output output;
  char *path;
  const char *slash = strrchr(suggestion->path, '/');
  if (asprintf(&path, "%s/%zu-%.*s-%s-%zu.patch", directory, number, (int)strcspn(suggestion->change.title, "("),
               suggestion->change.title, slash ? slash + 1 : suggestion->path,
               suggestion->change.edits[0].line + 1) < 0)
    return error_set(error, "out of memory");
  bool good = output_open(&output, path, error);
  if (good) {
    put_reason(output.file, suggestion);
    patch_text_write(output.file, suggestion->path, &suggestion->source, suggestion->change.edits,
                     suggestion->change.count);
    good = output_close(&output, true, error);
  }
  if (good)
    say_suggestion(suggestion, path);
  free(path);
  return good;
}

static bool write_all(const struct suggestions *all, const char *to, struct error *error)
{
  struct output output;
  if (!output_open(&output, to, error))
    return false;
  put_together(output.file, all);
  if (!output_close(&output, true, error))
    return false;
  for (size_t i = 0; i < all->count && strcmp(to, "-") != 0; i++)
    say_suggestion(&all->list[i], to);
  return true;
}

bool suggest_write(const struct analysis_results *of, const struct findings *findings, const char *to,
                   struct error *error)
{
  struct suggestions *all = calloc(1, sizeof *all);
  struct stat status;
  bool good = all || error_set(error, "out of memory");
  if (good && !getcwd(all->root, sizeof all->root - 1))
    good = error_set(error, "the working directory has no path: %s", strerror(errno));
  if (good) {
    all->of = of;
    strcat(all->root, all->root[1] ? "/" : "");
  }
  for (size_t i = 0; good && i < findings->count; i++)
    good = add_suggestion(all, &findings->list[i], error);
  bool each = good && stat(to, &status) == 0 && S_ISDIR(status.st_mode);
  for (size_t i = 0; each && good && i < all->count; i++)
    good = write_one(&all->list[i], i + 1, to, error);
  if (good && !each && all->count > 0)
    good = write_all(all, to, error);
  if (good && all->count == 0)
    puts("No finding has one obvious edit of a source in the working directory.");
  for (size_t i = 0; all && i < all->count; i++)
    suggestion_free(&all->list[i]);
  free(all);
  return good;
}
