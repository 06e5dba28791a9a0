#include "analyzer/report/report_documents.h"

#include "analyzer/findings/prints.h"
#include "analyzer/findings/why_show.h"
#include "analyzer/models/model_show.h"
#include "analyzer/models/phases_show.h"
#include "base/count_of.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *report_json(uint64_t ticks_per_second, report_put *put, const void *context, size_t *size)
{
  char *text = NULL;
  size_t length;
  FILE *file = open_memstream(&text, &length);
  if (!file)
    return NULL;
  struct print *print = print_open(PRINT_JSON, file, ticks_per_second);
  bool good = print && put(print, context);
  if (print && !print_close(print))
    good = false;
  if (fclose(file) == 0 && good) {
    if (size)
      *size = length;
    return text;
  }
  free(text);
  return NULL;
}

/* Places that wait, parts of the critical path, and places that make tasks, that a page has. */
enum { WAITS_MOST = 100, PARTS_MOST = 200, TASK_SITES_MOST = 100 };
#define IMBALANCE_LIMIT ((size_t)4 << 20) /* bytes, with the tables of threads and waits */

enum document {
  DOCUMENT_INFO,
  DOCUMENT_STATES,
  DOCUMENT_CONSTRUCTS,
  DOCUMENT_IMBALANCE,
  DOCUMENT_LOCKS,
  DOCUMENT_WAITS,
  DOCUMENT_PATH,
  DOCUMENT_SCHEDULE,
  DOCUMENT_WHY,
  DOCUMENT_TASKS
};

/* A document and its source. */
struct report_documents_part {
  const struct report_facts *facts;
  enum document document;
  bool details;
};

/* The tree of reasons that `heddle why` prints. */
static bool put_why(const struct analysis_run *run, const struct report_facts *facts)
{
  struct why why = {.threshold = ACCOUNT_THRESHOLD};
  bool good = why_find(&facts->all.results, &facts->windows, &facts->all.findings, ACCOUNT_THRESHOLD, &why) &&
              why_put(run, &why, facts->all.findings.first, &facts->all);
  why_free(&why);
  return good;
}

static bool report_documents_put(struct print *print, const void *context)
{
  const struct report_documents_part *part = context;
  const struct report_facts *facts = part->facts;
  const struct run_analyses *all = &facts->all;
  struct analysis_run run = {.command = "report",
                             .trace = facts->trace,
                             .pool = facts->pool,
                             .print = print,
                             .format = PRINT_JSON,
                             .names_only = !facts->commands};
  switch (part->document) {
  case DOCUMENT_INFO:
    return info_put(&run, &facts->census, all->results.omitted, all->results.overhead, all->results.budget,
                    all->results.deadlocks);
  case DOCUMENT_STATES:
  case DOCUMENT_CONSTRUCTS:
    return states_put(&run, all->results.sums, part->document == DOCUMENT_CONSTRUCTS);
  case DOCUMENT_IMBALANCE:
    return imbalance_put(&run, all, part->details);
  case DOCUMENT_LOCKS:
    return locks_put(&run, all, 0);
  case DOCUMENT_WAITS:
    return waits_put(&run, all, &facts->found.waits, WAITS_MOST);
  case DOCUMENT_PATH:
    return critical_path_put(&run, &facts->found.paths, &facts->found.waits, PARTS_MOST);
  case DOCUMENT_SCHEDULE:
    return schedule_put(&run, all);
  case DOCUMENT_WHY:
    return put_why(&run, facts);
  case DOCUMENT_TASKS:
    return tasks_put(&run, all, &facts->tasks, TASK_SITES_MOST);
  }
  return false;
}

static bool add_document(struct bundle_run *run, const struct report_facts *facts, const char *name,
                         enum document document)
{
  struct report_documents_part part = {facts, document, document == DOCUMENT_IMBALANCE && facts->waits};
  uint64_t second = facts->trace->ticks_per_second;
  size_t size;
  char *text = report_json(second, report_documents_put, &part, &size);
  if (text && part.details && size > IMBALANCE_LIMIT) {
    free(text);
    part.details = false;
    text = report_json(second, report_documents_put, &part, NULL);
  }
  if (document == DOCUMENT_IMBALANCE && !part.details &&
      !bundle_note(
          run, "The page omits the waits of threads for each other and each thread's part in each construct, because "
               "they are too many: `heddle imbalance --threads --waits` prints them."))
    return false;
  return text && bundle_document(run, name, text);
}

bool report_documents_add(struct bundle_run *run, const struct report_facts *facts, struct error *error)
{
  static const struct {
    const char *name;
    enum document document;
  } documents[] = {
      {"info", DOCUMENT_INFO},           {"states", DOCUMENT_STATES},     {"constructs", DOCUMENT_CONSTRUCTS},
      {"imbalance", DOCUMENT_IMBALANCE}, {"locks", DOCUMENT_LOCKS},       {"waits", DOCUMENT_WAITS},
      {"path", DOCUMENT_PATH},           {"schedule", DOCUMENT_SCHEDULE}, {"why", DOCUMENT_WHY},
      {"tasks", DOCUMENT_TASKS}};
  for (size_t i = 0; i < COUNT_OF(documents); i++)
    if ((documents[i].document != DOCUMENT_TASKS || facts->tasks.made > 0) &&
        !add_document(run, facts, documents[i].name, documents[i].document))
      return error_set(error, "out of memory");
  return true;
}

enum { OCCUPANCIES = 8, REPORT_MODELS_SPECTRUM_BINS = 200, REPORT_MODELS_SPECTRUM_TOP = 10 };

/* The sources of the documents. */
struct report_models_parts {
  struct pes_stream *stream;
  struct markov_model *model;
  struct markov_chain *chain;
  char **names;
  struct spectrum *spectrum;
  struct spectrum_shown shown;
};

/* *more: the sequence has more than one record. */
static bool report_models_look(struct pes_stream *stream, bool *more, struct error *error)
{
  struct pes_record *batch = malloc(PES_BATCH * sizeof *batch);
  size_t count = 0;
  bool good = batch ? pes_next(stream, batch, &count, error) : error_set(error, "out of memory");
  *more = count > 1;
  free(batch);
  return good;
}

/* Chooses the sequence by counts, else by roles; NULL: neither has more than one record. False: an error. */
static bool choose(const struct report_facts *facts, struct pes_stream **chosen, const char **vector,
                   struct error *error)
{
  static const char *const names[REPORT_SEQUENCES] = {[REPORT_BY_COUNTS] = "counts", [REPORT_BY_ROLES] = "roles"};
  *chosen = NULL;
  for (unsigned i = 0; i < REPORT_SEQUENCES && !*chosen; i++) {
    bool more = false;
    if (facts->sequences[i] && !report_models_look(facts->sequences[i], &more, error))
      return false;
    *chosen = more ? facts->sequences[i] : NULL;
    *vector = names[i];
  }
  return true;
}

static bool report_models_put_model(struct print *print, const void *context)
{
  const struct report_models_parts *parts = context;
  struct model_view view = {parts->model, parts->chain, NULL, parts->names, PRINT_JSON};
  model_show(print, &view);
  return true;
}

static bool report_models_put_spectrum(struct print *print, const void *context)
{
  const struct report_models_parts *parts = context;
  return spectrum_put(print, PRINT_JSON, parts->spectrum, parts->stream->program, &parts->shown);
}

enum { PHASE_STATES_MOST = 10 };

struct phases_part {
  struct phases_view view;
  uint64_t first_tick; /* of the trace */
};

static bool report_models_put_phases(struct print *print, const void *context)
{
  const struct phases_part *part = context;
  uint64_t begin = part->view.phases->list[0].begin;
  print_fact(print, "since_begin", "Since begin", PRINT_DURATION,
             print_number(begin > part->first_tick ? begin - part->first_tick : 0));
  bool good = phases_view_put(print, &part->view, PHASE_STATES_MOST);
  phases_view_put_sentence(print, &part->view);
  return good;
}

/* The output of `heddle phases --json` and where the sequence begins, without the constructs, for which the command
 * reads the trace again. NULL: no memory, or no phases. */
static char *phases_of(const struct report_models_parts *parts, uint64_t first_tick)
{
  struct error error = {{0}};
  struct phases_part part = {{.stream = parts->stream, .options = &markov_change_usual}, first_tick};
  char *text = pes_rewind(parts->stream, &error) && phases_view_find(&part.view, &error)
                   ? report_json(parts->stream->program->ticks_per_second, report_models_put_phases, &part, NULL)
                   : NULL;
  phases_view_free(&part.view);
  return text;
}

struct state_part {
  const struct report_models_parts *parts;
  uint32_t state;
};

static bool put_occupancy(struct print *print, const void *context)
{
  const struct state_part *part = context;
  const struct report_models_parts *parts = part->parts;
  struct model_view view = {parts->model, parts->chain, NULL, parts->names, PRINT_JSON};
  print_fact(print, "state", "State", PRINT_STRING, print_string(parts->names[part->state]));
  return model_show_occupancy(print, &view, part->state);
}

static char *json(const struct report_models_parts *parts, report_put *put, const void *context)
{
  return report_json(parts->stream->program->ticks_per_second, put, context, NULL);
}

/* The states with the most time. */
static bool write_occupancies(FILE *file, const struct report_models_parts *parts)
{
  uint32_t count = parts->model->count;
  bool *done = calloc(count + 1, sizeof *done), good = done;
  fputc('[', file);
  for (unsigned i = 0; good && i < OCCUPANCIES; i++) {
    struct state_part best = {parts, count};
    for (uint32_t state = 0; state < count; state++)
      if (!done[state] && parts->model->list[state].occupancy.count > 0 &&
          (best.state == count || parts->chain->longrun[state] > parts->chain->longrun[best.state]))
        best.state = state;
    if (best.state == count)
      break;
    done[best.state] = true;
    char *text = json(parts, put_occupancy, &best);
    good = text && fprintf(file, "%s%s", i > 0 ? "," : "", text) > 0;
    free(text);
  }
  fputc(']', file);
  free(done);
  return good;
}

static char *occupancies(const struct report_models_parts *parts)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  bool good = write_occupancies(file, parts);
  if (fclose(file) == 0 && good)
    return text;
  free(text);
  return NULL;
}

/* Takes over `text`, from malloc(). NULL: out of memory. */
static bool add_model_text(struct bundle_run *run, const char *name, char *text)
{
  return text && bundle_document(run, name, text);
}

static bool compute(struct report_models_parts *parts, struct error *error)
{
  struct markov_options options = {0};
  parts->model = markov_model_of(parts->stream, &options, error);
  if (!parts->model)
    return false;
  parts->chain = markov_chain_solve(parts->model);
  parts->names = model_names(parts->model->program, parts->model->states);
  if (!parts->chain || !parts->names)
    return error_set(error, "out of memory");
  parts->shown = (struct spectrum_shown){.compute = {.domain = SPECTRUM_TIME, .top = REPORT_MODELS_SPECTRUM_TOP},
                                         .signal = "states",
                                         .bins = REPORT_MODELS_SPECTRUM_BINS};
  parts->spectrum = spectrum_compute(parts->stream, &parts->shown.compute, error);
  return parts->spectrum != NULL;
}

static void release_models(struct report_models_parts *parts)
{
  if (parts->names)
    model_names_free(parts->names, parts->model->states);
  spectrum_free(parts->spectrum);
  markov_chain_free(parts->chain);
  markov_model_free(parts->model);
}

static bool report_models_add_nothing(struct bundle_run *run)
{
  return bundle_document(run, "model", NULL) && bundle_document(run, "occupancies", NULL) &&
         bundle_document(run, "spectrum", NULL);
}

bool report_models_add(struct bundle_run *run, const struct report_facts *facts, struct error *error)
{
  const char *vector;
  struct report_models_parts parts = {0};
  if (!choose(facts, &parts.stream, &vector, error))
    return false;
  if (!parts.stream)
    return (report_models_add_nothing(run) &&
            bundle_note(run, "There is no model and no spectrum: the program has too many states for it, "
                             "or none; `heddle pes` and `heddle transform` can make fewer.")) ||
           error_set(error, "out of memory");
  struct error why = {{0}};
  bool good;
  if (compute(&parts, &why))
    good = add_model_text(run, "model", json(&parts, report_models_put_model, &parts)) &&
           add_model_text(run, "occupancies", occupancies(&parts)) &&
           add_model_text(run, "spectrum", json(&parts, report_models_put_spectrum, &parts)) &&
           bundle_document(run, "phases", phases_of(&parts, facts->trace->first_tick)) &&
           bundle_note(run, "Model and spectrum are of the sequence that `heddle pes --vector %s` makes.", vector);
  else
    good = report_models_add_nothing(run) && bundle_note(run, "There is no model and no spectrum: %s.", why.message);
  release_models(&parts);
  return good || error_set(error, "out of memory");
}
