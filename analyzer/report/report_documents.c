#include "analyzer/report/report_documents.h"

#include "analyzer/findings/prints.h"
#include "analyzer/report/report_json.h"
#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

enum { WAITS_MOST = 100, PARTS_MOST = 200 }; /* places that wait, and parts of the critical path, that a page has */
#define IMBALANCE_LIMIT ((size_t)4 << 20)    /* bytes, with the tables of threads and waits */

enum document {
  DOCUMENT_INFO,
  DOCUMENT_STATES,
  DOCUMENT_CONSTRUCTS,
  DOCUMENT_IMBALANCE,
  DOCUMENT_LOCKS,
  DOCUMENT_WAITS,
  DOCUMENT_PATH,
  DOCUMENT_SCHEDULE
};

/* A document and its source. */
struct report_documents_part {
  const struct report_facts *facts;
  enum document document;
  bool details;
};

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
    return info_put(&run, &facts->census, all->results.skipped, all->results.overhead, all->results.budget,
                    all->results.deadlocks);
  case DOCUMENT_STATES:
  case DOCUMENT_CONSTRUCTS:
    return states_put(&run, all->results.sums, part->document == DOCUMENT_CONSTRUCTS);
  case DOCUMENT_IMBALANCE:
    return imbalance_put(&run, all, part->details, part->details);
  case DOCUMENT_LOCKS:
    return locks_put(&run, all, 0);
  case DOCUMENT_WAITS:
    return waits_put(&run, &facts->found.waits, WAITS_MOST);
  case DOCUMENT_PATH:
    return critical_path_put(&run, &facts->found.paths, &facts->found.waits, PARTS_MOST);
  case DOCUMENT_SCHEDULE:
    return schedule_put(&run, all);
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
      {"info", DOCUMENT_INFO},           {"states", DOCUMENT_STATES},    {"constructs", DOCUMENT_CONSTRUCTS},
      {"imbalance", DOCUMENT_IMBALANCE}, {"locks", DOCUMENT_LOCKS},      {"waits", DOCUMENT_WAITS},
      {"path", DOCUMENT_PATH},           {"schedule", DOCUMENT_SCHEDULE}};
  for (size_t i = 0; i < COUNT_OF(documents); i++)
    if (!add_document(run, facts, documents[i].name, documents[i].document))
      return error_set(error, "out of memory");
  return true;
}
