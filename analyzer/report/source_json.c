#include "analyzer/report/source_json.h"

#include "analyzer/command/print/json_writer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOURCE_BEFORE = 4, SOURCE_AFTER = 12, SOURCE_LINE = 400, SOURCE_PLACES = 2000 };

/* NULL: it cannot be read. A name from a trace may be a pipe or a device, which would block. */
static FILE *open_source(const char *path)
{
  struct stat status;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  FILE *file =
      descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) ? fdopen(descriptor, "r") : NULL;
  if (descriptor >= 0 && !file)
    close(descriptor);
  return file;
}

/* Without its end. Bytes that are no UTF-8 are escaped by the writer. */
static void put_line(struct json_writer *json, char *line, ssize_t length)
{
  while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
    length--;
  line[length < SOURCE_LINE ? length : SOURCE_LINE] = '\0';
  json_put_text(json, NULL, line);
}

static void put_place(struct json_writer *json, const struct trace_region *region, FILE *file)
{
  char *line = NULL;
  size_t size = 0;
  ssize_t length;
  uint32_t first = region->line > SOURCE_BEFORE ? region->line - SOURCE_BEFORE : 1;
  json_put_object(json, NULL);
  json_put_text(json, "file", region->file);
  json_put_count(json, "first", first);
  json_put_array(json, "lines");
  for (uint64_t at = 1; at <= (uint64_t)region->line + SOURCE_AFTER && (length = getline(&line, &size, file)) >= 0;
       at++)
    if (at >= first)
      put_line(json, line, length);
  json_put_end(json);
  json_put_end(json);
  free(line);
}

/* Whether a region right before it has the same place, as a construct and its barrier have. */
static bool is_before(const struct trace *trace, uint32_t region)
{
  enum { SOURCE_NEAR = 8 };
  const struct trace_region *asked = &trace->regions[region];
  for (uint32_t i = region > SOURCE_NEAR ? region - SOURCE_NEAR : 0; i < region; i++)
    if (trace->regions[i].line == asked->line && strcmp(trace->regions[i].file, asked->file) == 0)
      return true;
  return false;
}

char *source_json(const struct trace *trace)
{
  char *text = NULL;
  size_t size;
  FILE *memory = open_memstream(&text, &size);
  if (!memory)
    return NULL;
  struct json_writer json = json_writer(memory);
  json_put_array(&json, NULL);
  for (uint32_t i = 0, places = 0; i < trace->region_count && places < SOURCE_PLACES; i++) {
    const struct trace_region *region = &trace->regions[i];
    FILE *file = *region->file && region->line && !is_before(trace, i) ? open_source(region->file) : NULL;
    if (!file)
      continue;
    put_place(&json, region, file);
    fclose(file);
    places++;
  }
  json_put_end(&json);
  if (fclose(memory) == 0 && !json.failed)
    return text;
  free(text);
  return NULL;
}
