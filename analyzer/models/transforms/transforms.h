/*
 * Transforms of program execution sequences: clip, filter, aggregate, project, and plug-ins. A transform is a stream
 * over another one, so they compose; the sequence below is only read. A list of steps is text, one step a line:
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

/* Returns the keyword of a kind of step; NULL: beyond the last. */
const char *transforms_keyword(size_t index);

struct transforms; /* a list of steps */

/* NULL: out of memory. */
struct transforms *transforms_create(void);
void transforms_free(struct transforms *list);
/* Returns a list of the first `count` steps. NULL: an error. */
struct transforms *transforms_copy(const struct transforms *list, size_t count, struct error *error);
size_t transforms_count(const struct transforms *list);

/* Add steps to the end of the list. False: an error, with the number of the line; the lines before it were added. */
bool transforms_add(struct transforms *list, const char *keyword, const char *argument, struct error *error);
bool transforms_parse(struct transforms *list, const char *text, size_t length, const char *name, struct error *error);
bool transforms_read(struct transforms *list, const char *path, struct error *error);

/* True if a text or file that was read has a plug-in: foreign code, which transforms_open() loads. */
bool transforms_list_plugin(const struct transforms *list);

/* Keeps equal neighbours apart in the last step, a projection. False: an error. */
bool transforms_no_merge(struct transforms *list, struct error *error);

/* Returns the list as text that transforms_parse() reads. The caller frees it. NULL: out of memory. */
char *transforms_text(const struct transforms *list);
bool transforms_write(const struct transforms *list, const char *path, struct error *error);

/*
 * Returns the sequence after the first `count` steps. Takes over `source`, which is closed with the result, or at once
 * if a step cannot be opened (NULL). Steps that count read the source here.
 */
struct pes_stream *transforms_open(const struct transforms *list, size_t count, struct pes_stream *source,
                                   struct error *error);

/* The same for the sequence in a file (pes_open()). */
struct pes_stream *transforms_open_file(const struct transforms *list, size_t count, const char *path,
                                        struct error *error);

/* The figures of a sequence, to compare sequences. Durations are in ticks. */
struct transforms_summary {
  uint64_t records;
  uint64_t duration;
  uint64_t filter_time, pattern_time; /* in aggregates of either kind */
  uint32_t states;                    /* distinct states that occur, without the terminal one */
  uint64_t transitions;               /* distinct pairs of neighbours: with `states`, the size of a model */
};

/* Reads the whole stream. */
bool transforms_summarize(struct pes_stream *stream, struct transforms_summary *summary, struct error *error);

/* Occurrences and ticks of an aggregate in a sequence. */
struct transforms_use {
  uint32_t state;
  uint64_t count, time;
};

struct transforms_place {
  uint64_t record; /* its number in the stream, from 0 */
  uint64_t entry, time;
  uint32_t state;
};

/* Occurrences of the states from number `first` on: the effect of the step that added them. */
struct transforms_preview {
  struct transforms_use *uses; /* states that occur, by number */
  struct transforms_place *places;
  size_t use_count, place_count;
  uint64_t begin, duration; /* of the whole sequence */
};

/* Reads the whole stream and keeps the first `places` places. False: an error. Free the preview in any case. */
bool transforms_preview(struct pes_stream *stream, uint32_t first, size_t places, struct transforms_preview *preview,
                        struct error *error);
void transforms_preview_free(struct transforms_preview *preview);

#endif
