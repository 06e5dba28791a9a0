#include "analyzer/report/report_sequences.h"

#include "analyzer/command/print/escape.h"
#include "analyzer/findings/prints.h"
#include "analyzer/models/model_show.h"
#include "analyzer/models/sequence_show.h"
#include "analyzer/report/elements.h"
#include "analyzer/report/events_json.h"
#include "analyzer/report/page.h"
#include "analyzer/report/report_documents.h"
#include "analyzer/trace/output.h"

#include <inttypes.h>
#include <stdlib.h>

/* Records of a sequence in a page. If a sequence has too many records, the page has the states that occur in each of
 * its parts. */
enum {
  SEQUENCE_PARTS = 2048, /* parts of a sequence by time, and by records */
  SEQUENCE_ROWS = 250    /* states with a row of their own in a part; the others share one row */
};

/* Puts the value of the bundle. False: an error. */
typedef bool sequences_put(struct json_writer *json, const void *context, struct error *error);

/* Writes page and bundle; the bundle is compressed in memory. The file's owner checks for write errors. False: an
 * error. */
static bool sequences_page_write(FILE *file, sequences_put *put, const void *context, struct error *error)
{
  struct page page = page_sequences();
  unsigned char *bytes = NULL;
  size_t size = 0;
  FILE *bundle = deflated_open(&bytes, &size);
  if (!bundle)
    return error_set(error, "out of memory");
  struct json_writer json = json_writer(bundle);
  bool good = put(&json, context, error);
  if (fclose(bundle) != 0 || json.failed)
    good = good && error_set(error, "out of memory");
  if (good) {
    fwrite(page.head, 1, page.head_size, file);
    element_put(file, ELEMENT("heddle-bundle"), bytes, size);
    fwrite(page.tail, 1, page.tail_size, file);
  }
  free(bytes);
  return good;
}

enum { ROW_BYTES = (SEQUENCE_ROWS + 1 + 7) / 8 };

/* --- all records --- */

static bool sequence_json_put_all(struct json_writer *json, struct pes_stream *stream,
                                  const struct pes_state_totals *totals, struct error *error)
{
  struct pes_record records[PES_BATCH];
  uint64_t before = totals->begin, number = 0;
  size_t count;
  uint32_t *states = malloc((totals->records + 1) * sizeof *states);
  bool good = states || error_set(error, "out of memory");
  if (good)
    json_put_array(json, "later");
  while (good && (good = pes_next(stream, records, &count, error)) && count > 0) {
    for (size_t i = 0; i < count && number < totals->records; i++, number++) {
      json_put_count(json, NULL, records[i].entry - before);
      before = records[i].entry;
      states[number] = records[i].state;
    }
  }
  if (good) {
    json_put_end(json);
    json_put_array(json, "state");
    for (uint64_t i = 0; i < number; i++)
      json_put_count(json, NULL, states[i]);
    json_put_end(json);
  }
  free(states);
  return good;
}

/* --- parts: a bit for each row --- */

struct parts {
  unsigned char (*by_time)[ROW_BYTES], (*by_event)[ROW_BYTES];
  uint16_t *row; /* by state */
  const struct pes_state_totals *totals;
};

static uint64_t sequence_json_part_of(uint64_t value, uint64_t whole)
{
  uint64_t part = whole ? (uint64_t)((unsigned __int128)value * SEQUENCE_PARTS / whole) : 0;
  return part < SEQUENCE_PARTS ? part : SEQUENCE_PARTS - 1;
}

static void mark(unsigned char (*parts)[ROW_BYTES], uint64_t part, unsigned row)
{
  parts[part][row / 8] |= (unsigned char)(1U << row % 8);
}

static void add(struct parts *parts, uint64_t number, const struct pes_record *record, uint64_t until)
{
  const struct pes_state_totals *totals = parts->totals;
  unsigned row = parts->row[record->state];
  uint64_t first = sequence_json_part_of(record->entry - totals->begin, totals->duration);
  /* A part begins with its first tick: a state that ends there is not in it. */
  uint64_t last = until > record->entry ? sequence_json_part_of(until - 1 - totals->begin, totals->duration) : first;
  for (uint64_t part = first; part <= last; part++)
    mark(parts->by_time, part, row);
  mark(parts->by_event, sequence_json_part_of(number, totals->records), row);
}

static bool read_parts(struct parts *parts, struct pes_stream *stream, struct error *error)
{
  struct pes_record records[PES_BATCH], last = {0};
  uint64_t number = 0;
  size_t count;
  for (;;) {
    if (!pes_next(stream, records, &count, error))
      return false;
    if (count == 0)
      break;
    for (size_t i = 0; i < count; i++, number++) {
      if (number > 0)
        add(parts, number - 1, &last, records[i].entry);
      last = records[i];
    }
  }
  if (number > 0)
    add(parts, number - 1, &last, stream->end.time);
  return true;
}

static void put_rows(struct json_writer *json, const char *name, unsigned char (*parts)[ROW_BYTES])
{
  json_put_array(json, name);
  for (unsigned i = 0; i < SEQUENCE_PARTS; i++) {
    json_put_array(json, NULL);
    for (unsigned row = 0; row <= SEQUENCE_ROWS; row++)
      if (parts[i][row / 8] & 1U << row % 8)
        json_put_count(json, NULL, row);
    json_put_end(json);
  }
  json_put_end(json);
}

static bool put_parts(struct json_writer *json, struct pes_stream *stream, const struct pes_state_totals *totals,
                      const uint32_t *ranked, size_t ranked_count, struct error *error)
{
  struct parts parts = {.totals = totals,
                        .by_time = calloc(SEQUENCE_PARTS, ROW_BYTES),
                        .by_event = calloc(SEQUENCE_PARTS, ROW_BYTES),
                        .row = malloc((totals->states.count + 1) * sizeof *parts.row)};
  bool good = (parts.by_time && parts.by_event && parts.row) || error_set(error, "out of memory");
  for (size_t i = 0; good && i < totals->states.count; i++)
    parts.row[i] = SEQUENCE_ROWS;
  for (size_t i = 0; good && i < ranked_count && i < SEQUENCE_ROWS; i++)
    parts.row[ranked[i]] = (uint16_t)i;
  good = good && read_parts(&parts, stream, error);
  if (good) {
    json_put_object(json, "parts");
    json_put_count(json, "rows", SEQUENCE_ROWS);
    put_rows(json, "time", parts.by_time);
    put_rows(json, "events", parts.by_event);
    json_put_end(json);
  }
  free(parts.by_time);
  free(parts.by_event);
  free(parts.row);
  return good;
}

/*
 * Puts the members `later` and `state`, or `parts` if there are more than `most` records, into the open object. Reads
 * the stream from its beginning. `ranked` has the states that occur, the states with the most time first. False: an
 * error.
 */
static bool sequence_json_records(struct json_writer *json, struct pes_stream *stream,
                                  const struct pes_state_totals *totals, const uint32_t *ranked, size_t ranked_count,
                                  uint64_t most, struct error *error)
{
  if (!pes_rewind(stream, error))
    return false;
  return totals->records <= most ? sequence_json_put_all(json, stream, totals, error)
                                 : put_parts(json, stream, totals, ranked, ranked_count, error);
}

enum {
  REPORT_SEQUENCE_STATES_TOLD = 5000, /* states with name and meaning: the states with the most time */
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

/* The states that occur, the states with the most time first. NULL: out of memory. */
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
  /* The page adds up the records itself if it has them. */
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

static void put_sequence_documents(struct json_writer *json, struct pes_stream *stream, size_t states)
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
  put_sequence_documents(json, stream, count);
  json_put_end(json);
  return true;
}

/*
 * Reads the sequence in the file, and puts an object for it; analyzer/report/README.md describes it. It has the records
 * if there are at most `most`. False: an error; the JSON is broken then.
 */
static bool report_sequence_put(struct json_writer *json, const char *path, uint64_t most, struct error *error)
{
  struct pes_state_totals totals = {0};
  struct pes_stream *stream = pes_open(path, error);
  bool good =
      stream && pes_state_totals_read(&totals, stream, error) && put_sequence(json, path, stream, &totals, most, error);
  pes_state_totals_free(&totals);
  pes_close(stream);
  return good;
}

/* Records that a browser can hold and draw without delay, in all sequences of a page. */
enum { RECORDS_MOST = 1000000 };

int report_sequences_take(const struct option_given *given, void *into)
{
  struct report_sequences *sequences = (struct report_sequences *)((char *)into + given->option->at);
  if (sequences->count == REPORT_PES_MOST)
    return command_usage(given->command, "--pes %s: a page has at most %d sequences", given->value, REPORT_PES_MOST);
  sequences->paths[sequences->count++] = given->value;
  return -1;
}

struct wanted {
  const struct report_sequences *sequences;
  const char *command;
};

static bool report_sequences_put(struct json_writer *json, const void *context, struct error *error)
{
  const struct wanted *wanted = context;
  const struct report_sequences *sequences = wanted->sequences;
  json_put_object(json, NULL);
  json_put_count(json, "version", 1);
  json_put_text(json, "generator", "heddle " HEDDLE_VERSION);
  json_put_text(json, "command", wanted->command);
  json_put_count(json, "records_most", RECORDS_MOST / sequences->count);
  json_put_array(json, "sequences");
  for (unsigned i = 0; i < sequences->count; i++)
    if (!report_sequence_put(json, sequences->paths[i], RECORDS_MOST / sequences->count, error))
      return false;
  json_put_end(json);
  json_put_end(json);
  return true;
}

bool report_sequences_write(const struct report_sequences *sequences, const char *output, const char *command,
                            struct error *error)
{
  struct wanted wanted = {sequences, command};
  struct output file;
  if (!output_open(&file, output, error))
    return false;
  return output_close(&file, sequences_page_write(file.file, report_sequences_put, &wanted, error), error);
}
