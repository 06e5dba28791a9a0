#include "analyzer/analyses/calls/source.h"

#include "analyzer/analyses/calls/entered.h"
#include "common/raw/archive_names.h"

bool calls_has_samples(const struct trace *trace)
{
  return trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_SAMPLES) != NULL;
}

bool calls_has_exact(const struct trace *trace)
{
  return trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_CALLS) != NULL ||
         (!calls_has_samples(trace) && calls_entered_has(trace));
}

bool calls_use_choose(const struct trace *trace, enum calls_use wanted, bool *exact, struct error *error)
{
  bool calls = calls_has_exact(trace), samples = calls_has_samples(trace);
  *exact = wanted == CALLS_USE_EXACT || (wanted == CALLS_USE_ANY && calls);
  if (!calls && !samples)
    return error_set(error,
                     "%s: was recorded without samples and without exact calls: record with `heddle record --sample` "
                     "or `heddle record --calls`",
                     trace->anchor);
  if (*exact && !calls)
    return error_set(error, "%s: has samples and no exact calls: record with `heddle record --calls`", trace->anchor);
  if (!*exact && !samples)
    return error_set(error, "%s: has exact calls and no samples: record with `heddle record --sample`", trace->anchor);
  return true;
}

bool calls_exact_refuse(const struct trace *trace, const char *option, struct error *error)
{
  return error_set(error, "%s: exact calls are sums of the run by function and thread, %s is for samples: %s",
                   trace->anchor, option,
                   calls_has_samples(trace) ? "add --use samples" : "record with `heddle record --sample`");
}

struct exact_calls *calls_exact_read(const struct trace *trace, struct calls_exact *exact, bool *none,
                                     struct error *error)
{
  *exact = (struct calls_exact){.cells = NULL};
  struct exact_calls *archive = exact_calls_open(trace, none, error);
  if (*none && calls_entered_has(trace)) {
    *none = false;
    return calls_entered_open(trace, exact, error);
  }
  if (archive && calls_exact_find(trace, archive, exact, error))
    return archive;
  exact_calls_close(archive);
  return NULL;
}
