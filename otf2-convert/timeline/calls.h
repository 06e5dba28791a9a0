/*
 * Exact call graphs: from the processes' files (common/raw/raw_calls.h) to an archive of their own, calls.otf2, with
 * the clock and locations of the first archive. A context has one event for each location that was in it, with its
 * sums.
 *
 * One thread; after the conversion of the events.
 */
#ifndef HEDDLE_OTF2_CONVERT_TIMELINE_CALLS_H
#define HEDDLE_OTF2_CONVERT_TIMELINE_CALLS_H

#include "base/hash.h"
#include "base/vector.h"
#include "common/raw/archive_names.h"
#include "otf2-convert/scan/location.h"
#include "otf2-convert/timeline/archive.h"

#include <stdbool.h>

#define CALLS_NONE UINT32_MAX

/* Refs of the attributes of events; the attributes of durations follow. */
enum call_attribute {
#define X(constant, ...) CALL_##constant,
  CALL_ATTRIBUTES(X)
#undef X
      CALL_ATTRIBUTE_COUNT
};

/* A function with its callers. */
struct call_context {
  uint32_t parent; /* CALLS_NONE: none */
  uint32_t process, depth;
  uint64_t function; /* 1 + the address of its entry, as code */
  uint64_t site;     /* return address in the caller; 0: several, or unknown */
};

/* A call site: an attribute of events. */
struct call_site {
  uint32_t process;
  uint64_t code;
};

struct calls {
  struct archive *beside; /* the caller's */
  struct archive archive;
  bool open;
  VECTOR(struct call_context) contexts; /* numbers are refs; parents come first */
  struct hash by_path;                  /* parent, process, function and site, mixed: number of the context */
  VECTOR(struct call_site) sites;       /* numbers are refs of source code locations */
  struct hash by_site;
  VECTOR(uint64_t) events; /* by location */
  uint64_t full, deep, not_measured, left, unmatched, on_virtual,
      damaged; /* as raw_calls.h has them; segments or nodes */
};

void calls_archive_begin(struct calls *calls, struct archive *beside);
/* First and last time of the archive. */
struct calls_span {
  uint64_t first, last;
};
/* Converts the call graphs of the plan's processes. Extends the span if calls ended later. Returns 0 or an errno value.
 */
int calls_archive_convert(struct calls *calls, const struct plan *plan, const struct location *locations,
                          uint32_t count, struct calls_span *span);
/* Returns the number of events of a location. */
uint64_t calls_archive_of(const struct calls *calls, uint32_t location);
void calls_archive_free(struct calls *calls);

#endif
