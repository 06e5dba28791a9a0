/* Builder of the list of findings, with what all kinds of findings need. Private to findings/. */
#ifndef HEDDLE_ANALYZER_FINDINGS_BUILDER_H
#define HEDDLE_ANALYZER_FINDINGS_BUILDER_H

#include "analyzer/command/print/units.h"
#include "analyzer/findings/findings.h"
#include "base/vector.h"

struct builder {
  const struct analysis_results *of;
  double run; /* ticks, as in struct findings */
  VECTOR(struct finding) list;
};

/* Stands in texts for "so up to 3.000 ms (12.0 % of the run) could be won", which is known when all findings are. */
#define BUILDER_WON "\1"

/* Puts the figures into the texts, in place of BUILDER_WON. False: out of memory. */
bool builder_finish(struct builder *builder);

/* Ticks as a part of the run, percent. */
double builder_percent(const struct builder *builder, double ticks);

/* shares.c: the findings have the figures of the account. Adds the places that no subject describes. False: out of
 * memory. */
bool shares_hand_out(struct builder *builder, const struct account *account);

/* " 3.000 ms of the difference without a processor,": ticks that do not count among `ticks`; empty if they are few. */
#define LACKED_SIZE (UNITS_SIZE + 64)
const char *builder_lacked(const struct builder *builder, double ticks, double lacked, char text[LACKED_SIZE]);

/* A duration in words. */
const char *builder_duration(const struct builder *builder, double ticks, char text[UNITS_SIZE]);

/*
 * Adds a finding with a text, also one below FINDINGS_WORTH: the largest may be named. False: out of memory.
 */
__attribute__((format(printf, 3, 4))) bool builder_add(struct builder *builder, const struct finding *finding,
                                                       const char *format, ...);

const char *builder_region_name(const struct builder *builder, uint32_t region);

/* How many processors the process of a thread may use; 0: unknown. */
uint64_t builder_processors(const struct builder *builder, uint32_t location);

/* Each adds the findings of one subject. False: out of memory. */
bool regions_add(struct builder *builder);
bool constructs_add(struct builder *builder);
bool lock_waits_add(struct builder *builder);
bool serial_add(struct builder *builder);
bool processors_add(struct builder *builder);
bool throttled_add(struct builder *builder);
bool collection_add(struct builder *builder);
bool pools_add(struct builder *builder);
bool measurement_add(struct builder *builder);
bool awaited_add(struct builder *builder);
bool deadlocks_add(struct builder *builder);
/* Adds a region's own imbalance and overhead, ticks of the run. False: out of memory. */
bool region_add_uneven(struct builder *builder, uint32_t region, double uneven, double overhead);

/*
 * Time without a processor, in ticks. Where the archive reports context switches, this time is no work. Other members
 * may have waited for as long as the members of a region lacked a processor unevenly.
 */
double processors_uneven(const struct builder *builder, uint32_t region, uint32_t threads);
/* Where it has readings alone, work includes it: how much of it a thread's work in a construct includes (TRACE_NONE:
 * outside of constructs), ... */
double processors_read(const struct builder *builder, uint32_t region, uint32_t location);
/* ... and how much of the difference between the work of a construct's slowest and its mean thread is nothing else. A
 * lack that goes from thread to thread is not seen in the sums of the threads, and explains nothing. */
double processors_explain(const struct builder *builder, uint32_t region);

/* By pool of Java: ticks that even shares could win, without the time in which its threads had no processor. The caller
 * frees them. NULL: no memory. */
double *pools_uneven(const struct builder *builder);

/* The simulation of a loop; NULL: none. */
const struct schedule_loop *builder_loop(const struct builder *builder, uint32_t region);

/* Threads that are bound to fewer processors than they are. */

/* Number of threads that waited for a processor in a construct; its rows (of->processors) go from begin to end.
 * *processors: number of processors to which they are bound, 0: not each is. */
uint32_t bound_threads(const struct analysis_results *of, size_t begin, size_t end, uint32_t *processors);

/*
 * What counters say of a construct whose threads are busy for unequally long.
 *
 * The slowest thread's busy time is compared with the mean if it is longer by a tenth or more. Its instructions are
 * compared, too: up to a quarter of that difference they are the same, from three quarters on they explain it. Between
 * these there is no statement. What several states share counts as all theirs or nobody's, whatever is worse for the
 * sentence. Counts that are scaled up, or of too little of the busy time, say nothing.
 */

#define COUNTED_SIZE 192

/* "; the slowest is busy 50 % longer ..."; "": the counters don't say, or there are none. Returns what they say:
 * CAUSE_WORK, CAUSE_SPEED or CAUSE_UNKNOWN. */
enum finding_cause counted_text(const struct builder *builder, uint32_t region, char text[COUNTED_SIZE]);

#endif
