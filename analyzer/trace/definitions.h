/* Reads the definitions of an archive (trace.h), and finds things in them. */
#ifndef HEDDLE_ANALYZER_TRACE_DEFINITIONS_H
#define HEDDLE_ANALYZER_TRACE_DEFINITIONS_H

#include "analyzer/trace/trace.h"
#include "base/error.h"

/*
 * Reads the definitions of an archive: `path` is its .otf2 file or the directory that holds it.
 * Returns NULL and the reason on failure. Free with trace_close().
 */
struct trace *trace_open(const char *path, struct error *error);
void trace_close(struct trace *trace);

/*
 * OTF2 has locations of accelerators and of metrics, too: what they do is in lanes, exports and lists of their own, but
 * not among what threads do, nor is their time a thread's.
 */
static inline bool trace_is_thread(const struct trace *trace, uint32_t location)
{
  OTF2_LocationType kind = trace->locations[location].kind;
  return kind == OTF2_LOCATION_TYPE_CPU_THREAD || kind == OTF2_LOCATION_TYPE_UNKNOWN;
}

/* The rank of a location in a team, or TRACE_NONE. */
uint32_t trace_team_rank(const struct trace_team *team, uint32_t location);

/* The value of a property, or NULL. */
const char *trace_property(const struct trace *trace, enum trace_owner owner, uint32_t index, const char *name);

#endif
