#include "analyzer/report/report_sequence.h"

#include "analyzer/command/print/escape.h"
#include "analyzer/findings/prints.h"
#include "analyzer/models/model_show.h"
#include "analyzer/models/sequence_show.h"
#include "analyzer/report/page_text.h"
#include "analyzer/report/report_json.h"
#include "analyzer/report/sequence_json.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
  REPORT_SEQUENCE_STATES_TOLD = 5000, /* with name and meaning, those of most time */
  MODEL_STATES_MOST = 1000,           /* a model of more takes long, and nobody can look at it */
  REPORT_SEQUENCE_SPECTRUM_BINS = 200,
  REPORT_SEQUENCE_SPECTRUM_TOP = 10
};
#define TICKS_MOST (UINT64_C(1) << 53) /* of a duration: a browser counts exactly up to here */

/* Texts of states are cut: 5000 states have at most some megabytes. */
static void put_cut(struct json_writer *json, const char *name, const char *text)
{
  char cut[PAGE_TEXT_MOST + 1];
  char *valid = text ? escape_invalid(text) : NULL;
  if (valid) {
    page_text(valid, cut);
    json_put_text(json, name, cut);
  } else
    json->failed = true;
  free(valid);
}

/* --- states --- */

static int report_sequence_by_time(const void *left, const void *right, void *context)
{
  const struct pes_state_totals *totals = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  uint64_t time_a = totals->states.items[a].time, time_b = totals->states.items[b].time;
  return time_a != time_b ? (time_a > time_b ? -1 : 1) : (a > b) - (a < b);
}

/* The states that occur, those of most time first. NULL: out of memory. */
static uint32_t *rank_states(const struct pes_state_totals *totals, size_t *count)
{
  uint32_t *ranked = malloc((totals->states.count + 1) * sizeof *ranked);
  *count = 0;
  for (uint32_t i = 0; ranked && i < totals->states.count; i++)
    if (totals->states.items[i].count > 0)
      ranked[(*count)++] = i;
  if (ranked)
    qsort_r(ranked, *count, sizeof *ranked, report_sequence_by_time, (void *)totals);
  return ranked;
}

static void report_sequence_put_state(struct json_writer *json, const struct pes_stream *stream, uint32_t state)
{
  char *name = pes_state_name(stream->program, stream->states, state);
  char *stands_for = records_stands_for(stream, state);
  json_put_object(json, NULL);
  json_put_count(json, "number", state);
  put_cut(json, "name", name);
  json_put_text(json, "kind", records_kind(pes_state(stream->states, state)->kind));
  put_cut(json, "stands_for", stands_for);
  json_put_end(json);
  free(name);
  free(stands_for);
}

/* The highest of the numbers in names as T12, if the letter is T: new aggregates go on behind it. */
static uint32_t highest_named(const struct pes_states *states, char letter)
{
  uint32_t highest = 0;
  for (uint32_t i = 0; i < pes_states_count(states); i++) {
    const char *name = pes_state(states, i)->name;
    uint32_t number;
    int end = 0;
    if (name && name[0] == letter && name[1] >= '1' && name[1] <= '9' &&
        sscanf(name + 1, "%9" SCNu32 "%n", &number, &end) == 1 && name[1 + end] == '\0' && number > highest)
      highest = number;
  }
  return highest;
}

static void report_sequence_put_states(struct json_writer *json, const struct pes_stream *stream,
                                       const struct pes_state_totals *totals, const uint32_t *ranked, size_t count)
{
  uint32_t terminal = stream->end.terminal;
  bool told = terminal == PES_NONE;
  json_put_count(json, "filters_named", highest_named(stream->states, 'T'));
  json_put_count(json, "patterns_named", highest_named(stream->states, 'P'));
  json_put_count(json, "table", pes_states_count(stream->states));
  json_put_count(json, "distinct", count);
  json_put_array(json, "states");
  for (size_t i = 0; i < count && i < REPORT_SEQUENCE_STATES_TOLD; i++) {
    report_sequence_put_state(json, stream, ranked[i]);
    told |= ranked[i] == terminal;
  }
  if (!told)
    report_sequence_put_state(json, stream, terminal);
  json_put_end(json);
  /* Of a sequence whose records are in the page, it adds them up itself. */
  json_put_array(json, "totals");
  for (size_t i = 0; i < count && i < REPORT_SEQUENCE_STATES_TOLD; i++) {
    json_put_array(json, NULL);
    json_put_count(json, NULL, ranked[i]);
    json_put_count(json, NULL, totals->states.items[ranked[i]].count);
    json_put_count(json, NULL, totals->states.items[ranked[i]].time);
    json_put_end(json);
  }
  json_put_end(json);
}

/* --- documents: what the commands print with --json --- */

static bool report_sequence_put_model(struct print *print, const void *context)
{
  model_show(print, context);
  return true;
}

/* Takes over `text`. */
static void report_sequence_put_document(struct json_writer *json, const char *name, char *text,
                                         const struct error *why)
{
  char missing[32];
  if (text || !why->message[0])
    json_put_raw(json, name, text);
  else {
    snprintf(missing, sizeof missing, "%s_missing", name);
    json_put_text(json, missing, why->message);
  }
  free(text);
}

static char *model_json(struct pes_stream *stream, struct error *error)
{
  struct markov_options options = {0};
  struct model_view view = {.format = PRINT_JSON};
  struct markov_model *model = markov_model_of(stream, &options, error);
  struct markov_chain *chain = model ? markov_chain_solve(model) : NULL;
  char *text = NULL;
  view.model = model;
  view.chain = chain;
  view.names = chain ? model_names(model->program, model->states) : NULL;
  if (view.names)
    text = report_json(stream->program->ticks_per_second, report_sequence_put_model, &view, NULL);
  if (view.names)
    model_names_free(view.names, model->states);
  markov_chain_free(chain);
  markov_model_free(model);
  if (!text && !error->message[0])
    error_set(error, "out of memory");
  return text;
}

struct spectrum_part {
  const struct pes_stream *stream;
  struct spectrum *spectrum;
  struct spectrum_shown shown;
};

static bool report_sequence_put_spectrum(struct print *print, const void *context)
{
  const struct spectrum_part *part = context;
  return spectrum_put(print, PRINT_JSON, part->spectrum, part->stream->program, &part->shown);
}

static char *spectrum_json(struct pes_stream *stream, enum spectrum_domain domain, struct error *error)
{
  struct spectrum_part part = {.stream = stream,
                               .shown = {.compute = {.domain = domain, .top = REPORT_SEQUENCE_SPECTRUM_TOP},
                                         .signal = "states",
                                         .bins = REPORT_SEQUENCE_SPECTRUM_BINS}};
  part.spectrum = spectrum_compute(stream, &part.shown.compute, error);
  if (!part.spectrum)
    return NULL;
  char *text = report_json(stream->program->ticks_per_second, report_sequence_put_spectrum, &part, NULL);
  spectrum_free(part.spectrum);
  if (!text)
    error_set(error, "out of memory");
  return text;
}

static void put_documents(struct json_writer *json, struct pes_stream *stream, size_t states)
{
  struct error why = {{0}};
  json_put_object(json, "documents");
  if (states <= MODEL_STATES_MOST)
    report_sequence_put_document(json, "model", model_json(stream, &why), &why);
  else {
    error_set(&why, "the sequence has %zu states, and a page has models of at most %d", states, MODEL_STATES_MOST);
    report_sequence_put_document(json, "model", NULL, &why);
  }
  why = (struct error){{0}};
  report_sequence_put_document(json, "spectrum_time", spectrum_json(stream, SPECTRUM_TIME, &why), &why);
  why = (struct error){{0}};
  report_sequence_put_document(json, "spectrum_event", spectrum_json(stream, SPECTRUM_EVENT, &why), &why);
  json_put_end(json);
}

/* --- the sequence --- */

static void report_sequence_put_parameters(struct json_writer *json, const struct pes_program *program)
{
  json_put_array(json, "parameters");
  for (uint32_t i = 0; i < program->parameter_count; i++) {
    json_put_array(json, NULL);
    put_cut(json, NULL, program->parameters[i].name);
    put_cut(json, NULL, program->parameters[i].value);
    json_put_end(json);
  }
  json_put_end(json);
}

static void report_sequence_put_head(struct json_writer *json, const char *path, const struct pes_stream *stream,
                                     const struct pes_state_totals *totals)
{
  char begin[32];
  char *word = escape_shell(path);
  const struct pes_program *program = stream->program;
  snprintf(begin, sizeof begin, "%" PRIu64, totals->begin); /* as text: it may be above 2^53 */
  json_put_text(json, "file", path);
  json_put_text(json, "word", word);
  put_cut(json, "title", program->name);
  report_sequence_put_parameters(json, program);
  json_put_count(json, "ticks_per_second", program->ticks_per_second);
  json_put_count(json, "records", totals->records);
  json_put_text(json, "begin", begin);
  json_put_count(json, "duration", totals->duration);
  if (stream->end.terminal == PES_NONE)
    json_put_raw(json, "terminal", NULL);
  else
    json_put_count(json, "terminal", stream->end.terminal);
  json->failed |= !word;
  free(word);
}

static bool put_sequence(struct json_writer *json, const char *path, struct pes_stream *stream,
                         const struct pes_state_totals *totals, uint64_t most, struct error *error)
{
  if (totals->duration >= TICKS_MOST)
    return error_set(error,
                     "%s: lasts 2^53 ticks or more, which a page cannot count; heddle transform --clip-time "
                     "makes it shorter",
                     path);
  size_t count;
  uint32_t *ranked = rank_states(totals, &count);
  if (!ranked)
    return error_set(error, "out of memory");
  json_put_object(json, NULL);
  report_sequence_put_head(json, path, stream, totals);
  report_sequence_put_states(json, stream, totals, ranked, count);
  bool good = sequence_json_records(json, stream, totals, ranked, count, most, error);
  free(ranked);
  if (!good)
    return false;
  put_documents(json, stream, count);
  json_put_end(json);
  return true;
}

bool report_sequence_put(struct json_writer *json, const char *path, uint64_t most, struct error *error)
{
  struct pes_state_totals totals = {0};
  struct pes_stream *stream = pes_open(path, error);
  bool good =
      stream && pes_state_totals_read(&totals, stream, error) && put_sequence(json, path, stream, &totals, most, error);
  pes_state_totals_free(&totals);
  pes_close(stream);
  return good;
}
