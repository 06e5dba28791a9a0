/*
 * libFuzzer target: an archive (otf2_player.h) in the formats of other viewers. The output is what its format's readers
 * take. JSON is JSON, Perfetto's packets are messages of messages, and each row of CSV has as many fields. Quotes of
 * Paje end, times of Paraver do not run backwards. Or there is an error, and no file.
 */
#include "analyzer/exchange/export/export.h"
#include "tests/fuzz/otf2_player.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds, const char *what, const char *line)
{
  if (holds)
    return;
  fprintf(stderr, "%s: %s\n", what, line);
  abort();
}

/* Fields of a row; commas between quotes are none. */
static unsigned csv_fields(const char *line)
{
  unsigned fields = 1;
  bool quoted = false;
  for (const char *at = line; *at; at++) {
    quoted ^= *at == '"';
    fields += *at == ',' && !quoted;
  }
  need(!quoted, "a quote does not end", line);
  return fields;
}

/* Fields of a line of Paje, which must be numbers, words, or in quotes. */
static void check_paje(const char *line)
{
  bool quoted = false;
  for (const char *at = line; *at; at++)
    if (*at == '"') {
      need(quoted || at == line || at[-1] == ' ', "a quote within a word", line);
      quoted = !quoted;
      need(quoted || at[1] == ' ' || at[1] == '\n', "a word behind a quote", line);
    }
  need(!quoted, "a quote does not end", line);
  need(*line == '%' || (*line >= '0' && *line <= '9'), "a line of Paje", line);
}

/* States and events have their time in the sixth field. */
static uint64_t check_paraver(const char *line, uint64_t before)
{
  unsigned long long cpu, task, thread, time;
  if (*line == '#')
    return before;
  need(line[strspn(line, "0123456789:")] == '\n', "a line of Paraver", line);
  need(sscanf(line, "%*u:%llu:1:%llu:%llu:%llu", &cpu, &task, &thread, &time) == 4, "a line of Paraver", line);
  need(cpu > 0 && task > 0 && thread > 0, "an id of Paraver", line);
  need(time >= before, "time runs backwards", line);
  return time;
}

static void check_lines(const char *path, enum export_format format)
{
  char *line = NULL;
  size_t room = 0;
  unsigned fields = 0;
  uint64_t time = 0;
  FILE *file = fopen(path, "r");
  need(file != NULL, "it is said to be written", path);
  for (ssize_t length; (length = getline(&line, &room, file)) > 0;) {
    need(strlen(line) == (size_t)length && line[length - 1] == '\n', "a line with a zero, or without an end", line);
    if (format == EXPORT_CSV) {
      unsigned here = csv_fields(line);
      need(fields == 0 || here == fields, "a row of CSV", line);
      fields = here;
    } else if (format == EXPORT_PAJE)
      check_paje(line);
    else if (format == EXPORT_PARAVER)
      time = check_paraver(line, time);
  }
  free(line);
  fclose(file);
}

static void check_json(const char *path)
{
  json_error_t error;
  json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
  need(json != NULL, "no JSON", error.text);
  json_decref(json);
}

/* The next number of a message, at most `end`. */
static uint64_t protobuf_varint(const uint8_t **at, const uint8_t *end)
{
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    need(*at < end && shift < 64, "a number without an end", "");
    uint8_t byte = *(*at)++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80)
      return value;
  }
}

/* Fields fill a message exactly. Fields with a length, down to a depth, are messages: parts of a trace or a packet. */
static void check_message(const uint8_t *at, const uint8_t *end, unsigned depth)
{
  while (at < end) {
    uint64_t key = protobuf_varint(&at, end);
    need(key >> 3 > 0 && (depth < 2 || key == 0x0a), "a field", "");
    if ((key & 7) == 0) {
      protobuf_varint(&at, end);
      continue;
    }
    need((key & 7) == 1 || (key & 7) == 2, "a kind of a field", "");
    uint64_t length = (key & 7) == 1 ? 8 : protobuf_varint(&at, end);
    need(length <= (uint64_t)(end - at), "a field that is longer than its message", "");
    if ((key & 7) == 2 && depth > 0)
      check_message(at, at + length, depth - 1);
    at += length;
  }
}

static void check_perfetto(const char *path)
{
  FILE *file = fopen(path, "r");
  need(file && fseek(file, 0, SEEK_END) == 0, "it is said to be written", path);
  size_t size = (size_t)ftell(file);
  uint8_t *bytes = malloc(size + 1);
  rewind(file);
  need(bytes && fread(bytes, 1, size, file) == size, "it is said to be written", path);
  check_message(bytes, bytes + size, 2);
  free(bytes);
  fclose(file);
}

static void export_as(const struct trace *trace, enum export_format format)
{
  static const char *const also[] = {".pcf", ".row"};
  struct error error = {""};
  char path[128];
  snprintf(path, sizeof path, "%s/x%s", player_directory(), export_kinds[format].suffix);
  bool good = export_kinds[format].write(trace, path, &error);
  need(good || error.message[0], "an error without a word", path);
  need(good == (access(path, F_OK) == 0), "a file, or none", path);
  if (good && format == EXPORT_CHROME)
    check_json(path);
  else if (good && format == EXPORT_PERFETTO)
    check_perfetto(path);
  else if (good)
    check_lines(path, format);
  unlink(path);
  for (size_t i = 0; format == EXPORT_PARAVER && i < sizeof also / sizeof *also; i++) {
    snprintf(path, sizeof path, "%s/x%s", player_directory(), also[i]);
    need(good == (unlink(path) == 0), "a file, or none", path);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct error error = {""};
  player_load(data, size);
  struct trace *trace = trace_open(player_directory(), &error);
  need(trace != NULL || error.message[0], "an error without a word", "");
  for (enum export_format format = 0; trace && format < EXPORT_OF_EVENTS; format++)
    export_as(trace, format);
  trace_close(trace);
  return 0;
}
