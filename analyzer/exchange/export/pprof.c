#include "analyzer/command/print/escape.h"
#include "analyzer/exchange/export/formats.h"
#include "analyzer/exchange/export/sink.h"
#include "analyzer/exchange/export/stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#ifndef HEDDLE_NO_REPORT
#include <zlib.h>
#endif

/* Numbers of fields in pprof's profiles (profile.proto); tests/end-to-end/pprof.proto has them, too. */

enum {
  PROFILE_SAMPLE_TYPE = 1,
  PROFILE_SAMPLE = 2,
  PROFILE_MAPPING = 3,
  PROFILE_LOCATION = 4,
  PROFILE_FUNCTION = 5,
  PROFILE_STRING = 6,
  PROFILE_TIME = 9,      /* UNIX ns */
  PROFILE_DURATION = 10, /* ns */
  PROFILE_PERIOD_TYPE = 11,
  PROFILE_PERIOD = 12,
  PROFILE_DEFAULT_TYPE = 14
};
enum { TYPE_NAME = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2 };
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7, MAPPING_HAS_FILES = 8, MAPPING_HAS_LINES = 9 };
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4, FUNCTION_LINE = 5 };

/*
 * Writes bytes in gzip's format; without zlib as they are, which pprof reads, too. False: out of memory.
 */
#ifdef HEDDLE_NO_REPORT /* zlib is the report's */

static bool gzip_write(struct sink *sink, const uint8_t *bytes, size_t count)
{
  sink_bytes(sink, (const char *)bytes, count);
  return true;
}

#else

enum { ROOM = 65536, GZIP = 16 + MAX_WBITS, MEMORY = 8, MOST_IN = 1 << 30 };

static bool gzip_write(struct sink *sink, const uint8_t *bytes, size_t count)
{
  z_stream stream = {.next_in = (Bytef *)bytes};
  Bytef room[ROOM];
  int code;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
    return false;
  do {
    if (stream.avail_in == 0) {
      stream.avail_in = count < MOST_IN ? (uInt)count : MOST_IN;
      count -= stream.avail_in;
    }
    stream.next_out = room;
    stream.avail_out = ROOM;
    code = deflate(&stream, count == 0 ? Z_FINISH : Z_NO_FLUSH);
    sink_bytes(sink, (const char *)room, ROOM - stream.avail_out);
  } while (code == Z_OK && !sink_failed(sink));
  deflateEnd(&stream);
  return true;
}

#endif

/*
 * pprof's profile (profile.proto), as `go tool pprof` and others read it. A sample has its stack, the innermost
 * location first, and for each trigger the number of samples and their amount. Labels have thread, process, construct
 * and state. All is one message of Protocol Buffers, in gzip's format.
 */
struct pprof {
  const struct trace *trace;
  const struct export_stacks *options;
  struct stacks stacks;
  struct protobuf profile;
  VECTOR(char *) strings;  /* the table: string 0 is "" */
  struct hash string_at;   /* of a text: its number */
  struct hash mapping_of;  /* number of a module's text: id */
  struct hash function_of; /* number of a name's text << 32 | of a file's: id */
  struct hash root_of;     /* number of a text: id of the location of a root frame */
  uint64_t mappings, functions, locations;
  uint32_t *path;
  bool failed; /* out of memory */
};

/* Different texts may have one hash: then the next hash is tried. */
static uint64_t string_number(struct pprof *pprof, const char *text)
{
  char *valid = escape_invalid(text);
  for (uint64_t hash = valid ? hash_text(0, valid) : 0; valid; hash = hash_mix(hash + 1)) {
    const uint64_t *at = hash_find(&pprof->string_at, hash);
    if (at && strcmp(pprof->strings.items[*at], valid) != 0)
      continue;
    uint64_t number = at ? *at : pprof->strings.count;
    if (!at && hash_add(&pprof->string_at, hash, number) && vector_push(&pprof->strings, valid))
      return number;
    pprof->failed |= !at;
    free(valid);
    return number;
  }
  pprof->failed = true;
  return 0;
}

static void put_string(struct pprof *pprof, unsigned field, const char *text)
{
  protobuf_number(&pprof->profile, field, string_number(pprof, text));
}

static void pprof_put_type(struct pprof *pprof, unsigned field, const char *name, const char *unit)
{
  size_t type = protobuf_open(&pprof->profile, field);
  put_string(pprof, TYPE_NAME, name);
  put_string(pprof, TYPE_UNIT, unit);
  protobuf_close(&pprof->profile, type);
}

/* Chooses the value that is shown first: running threads, by time. */
static bool is_better(const struct samples_trigger *trigger, const struct samples_trigger *first)
{
  return !first || (trigger->timed && !trigger->waits && (!first->timed || first->waits));
}

/* Two values a trigger: samples, and their amount; for exact calls only the amount. */
static void put_types(struct pprof *pprof)
{
  const struct stacks *stacks = &pprof->stacks;
  const struct samples_trigger *first = NULL;
  for (uint32_t i = 0; i < stacks->trigger_count; i++) {
    const struct samples_trigger *trigger = &stacks->triggers[i];
    char name[256];
    snprintf(name, sizeof name, "%s samples", trigger->name);
    if (!stacks->archive)
      pprof_put_type(pprof, PROFILE_SAMPLE_TYPE, name, "count");
    pprof_put_type(pprof, PROFILE_SAMPLE_TYPE, trigger->name, trigger->timed ? "nanoseconds" : "count");
    if (is_better(trigger, first))
      first = trigger;
  }
  if (!first)
    return;
  pprof_put_type(pprof, PROFILE_PERIOD_TYPE, first->name, first->timed ? "nanoseconds" : "count");
  protobuf_number(&pprof->profile, PROFILE_PERIOD, first->period);
  put_string(pprof, PROFILE_DEFAULT_TYPE, first->name);
}

static void put_times(struct pprof *pprof)
{
  const struct trace *trace = pprof->trace;
  if (trace->realtime_ns != UINT64_MAX)
    protobuf_number(&pprof->profile, PROFILE_TIME, trace->realtime_ns);
  if (trace->ticks_per_second > 0)
    protobuf_number(&pprof->profile, PROFILE_DURATION,
                    (uint64_t)((unsigned __int128)trace->length * 1000000000 / trace->ticks_per_second));
}

/* The id of a number, from 1 on in the order in which they are met. *met: it is new. */
static uint64_t id_of(struct pprof *pprof, struct hash *ids, uint64_t number, uint64_t *last, bool *met)
{
  const uint64_t *at = hash_find(ids, number);
  *met = !at;
  if (at)
    return *at;
  pprof->failed |= !hash_add(ids, number, ++*last);
  return *last;
}

static uint64_t mapping_id(struct pprof *pprof, const char *module)
{
  bool met;
  uint64_t number = string_number(pprof, module), id = id_of(pprof, &pprof->mapping_of, number, &pprof->mappings, &met);
  if (!met)
    return id;
  size_t mapping = protobuf_open(&pprof->profile, PROFILE_MAPPING);
  protobuf_number(&pprof->profile, MAPPING_ID, id);
  protobuf_number(&pprof->profile, MAPPING_FILE, number);
  protobuf_number(&pprof->profile, MAPPING_HAS_FUNCTIONS, true);
  protobuf_number(&pprof->profile, MAPPING_HAS_FILES, true);
  protobuf_number(&pprof->profile, MAPPING_HAS_LINES, true);
  protobuf_close(&pprof->profile, mapping);
  return id;
}

static uint64_t function_id(struct pprof *pprof, const char *name, const char *file, uint32_t line)
{
  bool met;
  uint64_t name_number = string_number(pprof, name), file_number = string_number(pprof, file);
  uint64_t id = id_of(pprof, &pprof->function_of, name_number << 32 | file_number, &pprof->functions, &met);
  if (!met)
    return id;
  size_t function = protobuf_open(&pprof->profile, PROFILE_FUNCTION);
  protobuf_number(&pprof->profile, FUNCTION_ID, id);
  protobuf_number(&pprof->profile, FUNCTION_NAME, name_number);
  protobuf_number(&pprof->profile, FUNCTION_SYSTEM_NAME, name_number);
  protobuf_number(&pprof->profile, FUNCTION_FILE, file_number);
  protobuf_number(&pprof->profile, FUNCTION_LINE, line);
  protobuf_close(&pprof->profile, function);
  return id;
}

static void pprof_put_location(struct pprof *pprof, uint64_t id, uint64_t mapping, uint64_t function, uint32_t line)
{
  size_t location = protobuf_open(&pprof->profile, PROFILE_LOCATION);
  protobuf_number(&pprof->profile, LOCATION_ID, id);
  if (mapping > 0)
    protobuf_number(&pprof->profile, LOCATION_MAPPING, mapping);
  size_t at = protobuf_open(&pprof->profile, LOCATION_LINE);
  protobuf_number(&pprof->profile, LINE_FUNCTION, function);
  if (line > 0)
    protobuf_number(&pprof->profile, LINE_NUMBER, line);
  protobuf_close(&pprof->profile, at);
  protobuf_close(&pprof->profile, location);
}

/* A location a source line of a function: its id is the number of the code + 1. */
static void put_code(struct pprof *pprof)
{
  const struct calls_tree *tree = &pprof->stacks.tree;
  for (uint32_t i = 0; i < tree->code_count && !pprof->failed; i++) {
    const struct calls_code *code = &tree->codes[i];
    const struct samples_function *function = &pprof->stacks.samples->functions[code->function];
    const char *file = *code->file ? code->file : function->file;
    uint64_t mapping = *function->module ? mapping_id(pprof, function->module) : 0;
    pprof_put_location(pprof, i + 1, mapping, function_id(pprof, function->name, file, function->line), code->line);
  }
  pprof->locations = tree->code_count;
}

/* Returns the location of a frame that is no code. */
static uint64_t root_location(struct pprof *pprof, const char *name)
{
  bool met;
  uint64_t id = id_of(pprof, &pprof->root_of, string_number(pprof, name), &pprof->locations, &met);
  if (met)
    pprof_put_location(pprof, id, 0, function_id(pprof, name, "", 0), 0);
  return id;
}

static void put_label(struct pprof *pprof, const char *key, const char *text)
{
  if (!*text)
    return;
  size_t label = protobuf_open(&pprof->profile, SAMPLE_LABEL);
  put_string(pprof, LABEL_KEY, key);
  put_string(pprof, LABEL_TEXT, text);
  protobuf_close(&pprof->profile, label);
}

static void put_labels(struct pprof *pprof, const struct stack_row *row)
{
  const struct trace *trace = pprof->trace;
  uint32_t process = trace->locations[row->location].process;
  char number[16];
  snprintf(number, sizeof number, "%" PRIu32, row->location);
  put_label(pprof, "thread", trace->locations[row->location].name);
  put_label(pprof, "thread_number", number);
  put_label(pprof, "process", process == TRACE_NONE ? "" : trace->processes[process].name);
  put_label(pprof, "construct", row->construct == TRACE_NONE ? "" : trace->regions[row->construct].name);
  put_label(pprof, "state", row->state < STATES ? state_name((enum state)row->state) : "");
}

static void put_packed(struct pprof *pprof, uint64_t number)
{
  if (protobuf_need(&pprof->profile, PROTOBUF_VARINT_MOST))
    protobuf_put(&pprof->profile, number);
}

/* Samples that differ only in their triggers are one, with a value a trigger. */
static void put_sample(struct pprof *pprof, const struct stack_row *rows, size_t count)
{
  const struct stacks *stacks = &pprof->stacks;
  const char *roots[2];
  uint64_t root_ids[3];
  bool cut;
  size_t frames = stacks_path(&pprof->stacks, rows->node, pprof->path, &cut);
  size_t root_count = stacks_roots(&pprof->stacks, rows, pprof->options->root, roots);
  for (size_t i = 0; i < root_count; i++)
    root_ids[i] = root_location(pprof, roots[i]);
  if (cut)
    root_ids[root_count++] = root_location(pprof, STACK_CUT);
  size_t sample = protobuf_open(&pprof->profile, PROFILE_SAMPLE);
  size_t list = protobuf_open(&pprof->profile, SAMPLE_LOCATION);
  for (size_t i = 0; i < frames; i++)
    put_packed(pprof, (uint64_t)pprof->stacks.tree.nodes[pprof->path[i]].code + 1);
  for (size_t i = root_count; i-- > 0;)
    put_packed(pprof, root_ids[i]);
  protobuf_close(&pprof->profile, list);
  list = protobuf_open(&pprof->profile, SAMPLE_VALUE);
  for (uint32_t i = 0, next = 0; i < stacks->trigger_count; i++) {
    uint64_t taken = next < count && rows[next].trigger == i ? rows[next++].samples : 0;
    if (!stacks->archive)
      put_packed(pprof, taken);
    put_packed(pprof, taken * stacks->triggers[i].period);
  }
  protobuf_close(&pprof->profile, list);
  put_labels(pprof, rows);
  protobuf_close(&pprof->profile, sample);
}

static bool are_one(const struct stack_row *a, const struct stack_row *b)
{
  return a->node == b->node && a->location == b->location && a->construct == b->construct && a->state == b->state;
}

static void put_samples(struct pprof *pprof)
{
  const struct stacks *stacks = &pprof->stacks;
  for (size_t i = 0, end; i < stacks->count && !pprof->failed && !pprof->profile.failed; i = end) {
    for (end = i + 1; end < stacks->count && are_one(&stacks->rows[i], &stacks->rows[end]);)
      end++;
    put_sample(pprof, &stacks->rows[i], end - i);
  }
}

/* False: out of memory. */
static bool make_profile(struct pprof *pprof)
{
  pprof->path = calloc(STACK_MOST, sizeof *pprof->path);
  string_number(pprof, "");
  if (!pprof->path)
    return false;
  put_types(pprof);
  put_times(pprof);
  put_code(pprof);
  put_samples(pprof);
  for (size_t i = 0; i < pprof->strings.count; i++)
    protobuf_string(&pprof->profile, PROFILE_STRING, pprof->strings.items[i]);
  return !pprof->failed && !pprof->profile.failed;
}

static bool write_profile(struct pprof *pprof, const char *path, struct error *error)
{
  struct sink *sink = calloc(1, sizeof *sink);
  bool good = sink || error_set(error, "%s: out of memory", pprof->trace->anchor);
  if (good && (good = sink_open(sink, path, error))) {
    good = gzip_write(sink, pprof->profile.bytes.items, pprof->profile.bytes.count) ||
           error_set(error, "%s: out of memory", pprof->trace->anchor);
    good = sink_close(sink, good, error);
  }
  free(sink);
  return good;
}

static void pprof_release(struct pprof *pprof)
{
  for (size_t i = 0; i < pprof->strings.count; i++)
    free(pprof->strings.items[i]);
  vector_free(&pprof->strings);
  hash_free(&pprof->string_at);
  hash_free(&pprof->mapping_of);
  hash_free(&pprof->function_of);
  hash_free(&pprof->root_of);
  protobuf_free(&pprof->profile);
  stacks_close(&pprof->stacks);
  free(pprof->path);
  free(pprof);
}

bool export_pprof(const struct trace *trace, const struct export_stacks *options, const char *path, struct error *error)
{
  struct pprof *pprof = calloc(1, sizeof *pprof);
  struct stacks_wish wish = {
      .unit = CALLS_LINES, .use = (enum calls_use)options->use, .locations = true, .constructs = true, .states = true};
  if (!pprof)
    return error_set(error, "%s: out of memory", trace->anchor);
  pprof->trace = trace;
  pprof->options = options;
  bool good = stacks_open(trace, wish, &pprof->stacks, error);
  if (good && !make_profile(pprof))
    good = error_set(error, "%s: out of memory", trace->anchor);
  good = good && write_profile(pprof, path, error);
  pprof_release(pprof);
  return good;
}
