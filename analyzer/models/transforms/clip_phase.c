/* One phase of the sequence, as markov/phases.h finds it: the stretch from one place where the run changes to the next.
 */
#include "analyzer/models/markov/markov.h"
#include "analyzer/models/transforms/types.h"
#include "analyzer/models/transforms/words.h"

#include <inttypes.h>
#include <stdio.h>

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
