/*
 * Transforms of program execution sequences: clip, filter, aggregate, project, and those of plug-ins. A transform is a
 * stream over another one, so they compose; the sequence below is only read. A list of steps is text, one step a line:
 *
 *     # rare states first
 *     filter-time 0.147
 *     aggregate R2A2,TA2,TE=Z
 *
 * docs/heddle-transform.1.md says what each step does, and how its argument is written.
 */
#ifndef HEDDLE_ANALYZER_MODELS_TRANSFORMS_TRANSFORMS_H
#define HEDDLE_ANALYZER_MODELS_TRANSFORMS_TRANSFORMS_H

#include "analyzer/models/sequences/pes.h"

enum { TRANSFORMS_MAX = 1000, TRANSFORMS_TEXT_MAX = 1 << 20 }; /* steps of a list; bytes of its file */

/* The keywords of steps; NULL behind the last. */
const char *transforms_keyword(size_t index);

struct transforms; /* a list of steps */

/* NULL: no memory. */
struct transforms *transforms_create(void);
void transforms_free(struct transforms *list);
/* A list of the first `count` steps. NULL: an error. */
struct transforms *transforms_copy(const struct transforms *list, size_t count, struct error *error);
size_t transforms_count(const struct transforms *list);

/* These add to the end of the list. False: an error, with the number of the line; the lines before it were added. */
bool transforms_add(struct transforms *list, const char *keyword, const char *argument, struct error *error);
bool transforms_parse(struct transforms *list, const char *text, size_t length, const char *name, struct error *error);
bool transforms_read(struct transforms *list, const char *path, struct error *error);

/* Whether text or a file that was read has a plug-in, which is code of others: it is loaded by transforms_open(). */
bool transforms_list_plugin(const struct transforms *list);

/* Lets the last step, a projection, leave equal neighbours apart. */
bool transforms_no_merge(struct transforms *list, struct error *error);

/* The list as text, such that transforms_parse() makes the same of it. The caller frees it. NULL: no memory. */
char *transforms_text(const struct transforms *list);
bool transforms_write(const struct transforms *list, const char *path, struct error *error);

/*
 * The sequence after the first `count` steps. Takes over `source`: it is closed with what is returned, and at once if a
 * step can't be opened (NULL). Steps that count read their source here already.
 */
struct pes_stream *transforms_open(const struct transforms *list, size_t count, struct pes_stream *source,
                                   struct error *error);

/* The same of the sequence in a file (pes_open()). */
struct pes_stream *transforms_open_file(const struct transforms *list, size_t count, const char *path,
                                        struct error *error);

/* The figures of a sequence, to compare sequences. Durations are in ticks. */
struct transforms_summary {
  uint64_t records;
  uint64_t duration;
  uint64_t filter_time, pattern_time; /* in aggregates of either kind */
  uint32_t states;                    /* distinct ones that occur; the terminal one doesn't count */
  uint64_t transitions;               /* distinct pairs of neighbours: with `states`, the size of a model */
};

/* Reads the whole stream. */
bool transforms_summarize(struct pes_stream *stream, struct transforms_summary *summary, struct error *error);

/* What an aggregate stands for in a sequence: occurrences, ticks. */
struct transforms_use {
  uint32_t state;
  uint64_t count, time;
};

struct transforms_place {
  uint64_t record; /* its number in the stream, from 0 */
  uint64_t entry, time;
  uint32_t state;
};

/* Where the states from `first` on occur: what a step does, if it has added these states. */
struct transforms_preview {
  struct transforms_use *uses; /* a state that occurs; in order of their numbers */
  struct transforms_place *places;
  size_t use_count, place_count;
  uint64_t begin, duration; /* of the whole sequence */
};

/* Reads the whole stream; keeps the first `places` places. Free it in any case. */
bool transforms_preview(struct pes_stream *stream, uint32_t first, size_t places, struct transforms_preview *preview,
                        struct error *error);
void transforms_preview_free(struct transforms_preview *preview);

#endif
