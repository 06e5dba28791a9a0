/*
 * Clipping: keeps a part of the sequence. Records are kept whole: the end is the entry of the first record dropped
 * behind the part, so that no occupancy is cut. The clipped sequence has no terminal state.
 */
#include "analyzer/models/markov/markov.h"
#include "analyzer/models/transforms/arguments.h"
#include "analyzer/models/transforms/stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct window {
  uint64_t first, behind; /* numbers of the first record, from 0, and of the one behind the last */
  uint64_t from, to;      /* entries, included */
};

static const struct window everything = {0, UINT64_MAX, 0, UINT64_MAX};

struct clip {
  struct stage stage;
  struct window window;
  uint64_t index; /* of the next record */
  bool cut;       /* records were dropped behind the window, */
  uint64_t end;   /* and the first of them began then */
};

static bool clip_take(struct stage *stage, struct error *error)
{
  struct clip *clip = (struct clip *)stage;
  const struct window *window = &clip->window;
  (void)error;
  for (; stage->in_at < stage->in_count && stage_has_room(stage); stage->in_at++) {
    const struct pes_record *record = &stage->in[stage->in_at];
    uint64_t index = clip->index++;
    bool behind = index >= window->behind || record->entry > window->to;
    if (behind && !clip->cut) {
      clip->cut = true;
      clip->end = record->entry;
    }
    if (!behind && index >= window->first && record->entry >= window->from)
      stage_put(stage, record->entry, record->state);
  }
  return true;
}

/* A time clip drops the terminal record like any other. */
static bool clip_finish(struct stage *stage, struct error *error)
{
  struct clip *clip = (struct clip *)stage;
  struct pes_end *end = &stage->stream.end;
  (void)error;
  if (clip->cut || end->time < clip->window.from || end->time > clip->window.to)
    end->terminal = PES_NONE;
  if (clip->cut)
    end->time = clip->end;
  return true;
}

static bool clip_restart(struct stage *stage, struct error *error)
{
  struct clip *clip = (struct clip *)stage;
  (void)error;
  clip->index = 0;
  clip->cut = false;
  return true;
}

static void clip_destroy(struct stage *stage)
{
  free(stage);
}

static struct pes_stream *open_window(struct pes_stream *source, struct window window, struct error *error)
{
  static const struct stage_class class = {clip_take, clip_finish, clip_restart, clip_destroy};
  struct clip *clip = pes_rewind(source, error) ? calloc(1, sizeof *clip) : NULL;
  if (!clip) {
    error_set(error, "out of memory");
    return NULL;
  }
  stage_init(&clip->stage, &class, source, 1);
  clip->window = window;
  return &clip->stage.stream;
}

/* --- by time: from,to --- */

/* Parses a time: an entry as in the file, or, with a unit, a time since the beginning. */
struct bound {
  bool given, absolute;
  uint64_t entry;
  struct quantity since;
};

static bool parse_bound(const char *text, struct bound *bound, struct error *error)
{
  *bound = (struct bound){.given = *text != '\0'};
  if (!bound->given)
    return true;
  bound->absolute = words_number(text, &bound->entry);
  if (bound->absolute)
    return true;
  return quantity_parse(text, &bound->since, error) &&
         (bound->since.unit != QUANTITY_PLAIN || error_set(error,
                                                           "%s: give an entry time (a whole number), or a unit: "
                                                           "%%, ticks, ns, us, ms or s since the beginning",
                                                           text));
}

static bool clip_parse_time(const char *argument, struct bound *from, struct bound *to, struct error *error)
{
  char *first, *second;
  if (!words_pair(argument, &first, &second, error))
    return false;
  bool good = parse_bound(first, from, error) && parse_bound(second, to, error);
  free(first);
  return good;
}

static bool clip_check_time(const char *argument, struct error *error)
{
  struct bound from, to;
  return clip_parse_time(argument, &from, &to, error);
}

static bool entry_of(const struct pes_stream *source, const struct stage_measure *measure, const struct bound *bound,
                     bool lower, uint64_t *entry, struct error *error)
{
  uint64_t scale;
  *entry = bound->entry;
  if (bound->absolute)
    return true;
  if (!quantity_scale(&bound->since, measure->duration, source->program->ticks_per_second, &scale, error))
    return false;
  uint64_t since = lower ? quantity_ceiling(&bound->since, scale) : quantity_floor(&bound->since, scale);
  *entry = since > UINT64_MAX - measure->begin ? UINT64_MAX : measure->begin + since;
  return true;
}

static struct pes_stream *clip_open_time(struct pes_stream *source, const char *argument, struct error *error)
{
  struct bound from, to;
  struct stage_measure measure = {0};
  struct window window = everything;
  if (!clip_parse_time(argument, &from, &to, error) || !stage_read_through(source, &measure, error))
    return NULL;
  if (from.given && !entry_of(source, &measure, &from, true, &window.from, error))
    return NULL;
  if (to.given && !entry_of(source, &measure, &to, false, &window.to, error))
    return NULL;
  if (window.from > window.to) {
    error_set(error, "the end is before the beginning");
    return NULL;
  }
  return open_window(source, window, error);
}

const struct transform_type transform_clip_time = {"clip-time", false, clip_check_time, clip_open_time};

/* --- by number: drops records at each end, or keeps the i-th to the f-th --- */

static bool parse_numbers(const char *argument, bool may_lack, uint64_t numbers[2], struct error *error)
{
  char *texts[2];
  if (!words_pair(argument, &texts[0], &texts[1], error))
    return false;
  bool good = true;
  for (int i = 0; i < 2 && good; i++)
    if (*texts[i] || !may_lack)
      good = words_number(texts[i], &numbers[i]) || error_set(error, "`%s` is not a whole number", texts[i]);
  free(texts[0]);
  return good;
}

static bool check_ends(const char *argument, struct error *error)
{
  uint64_t numbers[2];
  return parse_numbers(argument, false, numbers, error);
}

static struct pes_stream *open_ends(struct pes_stream *source, const char *argument, struct error *error)
{
  uint64_t drop[2];
  struct stage_measure measure = {0};
  struct window window = everything;
  if (!parse_numbers(argument, false, drop, error) || (drop[1] > 0 && !stage_read_through(source, &measure, error)))
    return NULL;
  window.first = drop[0];
  if (drop[1] > 0)
    window.behind = drop[1] < measure.count ? measure.count - drop[1] : 0;
  return open_window(source, window, error);
}

const struct transform_type transform_clip_ends = {"clip-ends", false, check_ends, open_ends};

static bool parse_range(const char *argument, struct window *window, struct error *error)
{
  uint64_t numbers[2] = {1, UINT64_MAX};
  *window = everything;
  if (!parse_numbers(argument, true, numbers, error))
    return false;
  if (numbers[0] == 0 || numbers[1] < numbers[0])
    return error_set(error, "give numbers of records from 1 on, the first one first");
  window->first = numbers[0] - 1;
  window->behind = numbers[1];
  return true;
}

static bool check_range(const char *argument, struct error *error)
{
  struct window window;
  return parse_range(argument, &window, error);
}

static struct pes_stream *open_range(struct pes_stream *source, const char *argument, struct error *error)
{
  struct window window;
  return parse_range(argument, &window, error) ? open_window(source, window, error) : NULL;
}

const struct transform_type transform_clip_range = {"clip-range", false, check_range, open_range};

/* One phase of the sequence, as markov/phases.h finds it: the stretch from one place where the run changes to the next.
 */

static bool clip_phase_parse(const char *argument, uint64_t *number, struct error *error)
{
  if (words_number(argument, number) && *number > 0)
    return true;
  return error_set(error, "`%s` is not the number of a phase, from 1 on", argument);
}

static bool clip_phase_check(const char *argument, struct error *error)
{
  uint64_t number;
  return clip_phase_parse(argument, &number, error);
}

static struct pes_stream *open_phase(struct pes_stream *source, const char *argument, struct error *error)
{
  uint64_t number;
  struct pes_stream *stream = NULL;
  struct markov_phases *phases =
      clip_phase_parse(argument, &number, error) ? markov_phases_find(source, &markov_change_usual, error) : NULL;
  if (phases && number <= phases->count) {
    const struct markov_phase *phase = &phases->list[number - 1];
    char range[64];
    snprintf(range, sizeof range, "%" PRIu64 ",%" PRIu64, phase->first + 1, phase->first + phase->records);
    stream = transform_clip_range.open(source, range, error);
  } else if (phases) {
    error_set(error, "the sequence has %u phase%s; heddle phases lists them", phases->count,
              phases->count > 1 ? "s" : "");
  }
  markov_phases_free(phases);
  return stream;
}

const struct transform_type transform_clip_phase = {"clip-phase", false, clip_phase_check, open_phase};
