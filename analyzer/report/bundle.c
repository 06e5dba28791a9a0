#include "analyzer/report/bundle.h"

#include "analyzer/command/print/units.h"
#include "analyzer/report/elements.h"
#include "analyzer/report/page.h"
#include "analyzer/report/timeline_json.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool bundle_document(struct bundle_run *run, const char *name, char *json)
{
  struct bundle_document document = {name, json};
  if (vector_push(&run->documents, document))
    return true;
  free(json);
  return false;
}

bool bundle_finding(struct bundle_run *run, const struct bundle_finding *finding)
{
  if (vector_push(&run->findings, *finding))
    return true;
  free(finding->text);
  return false;
}

bool bundle_note(struct bundle_run *run, const char *format, ...)
{
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0)
    return false;
  if (vector_push(&run->notes, text))
    return true;
  free(text);
  return false;
}

bool bundle_log(struct bundle_run *run, const char *what, const char *text)
{
  struct bundle_log entry = {what, strdup(text)};
  if (entry.text && vector_push(&run->log, entry))
    return true;
  free(entry.text);
  return false;
}

void bundle_run_free(struct bundle_run *run)
{
  for (size_t i = 0; i < run->documents.count; i++)
    free(run->documents.items[i].json);
  for (size_t i = 0; i < run->findings.count; i++)
    free(run->findings.items[i].text);
  for (size_t i = 0; i < run->notes.count; i++)
    free(run->notes.items[i]);
  for (size_t i = 0; i < run->log.count; i++)
    free(run->log.items[i].text);
  vector_free(&run->documents);
  vector_free(&run->findings);
  vector_free(&run->notes);
  vector_free(&run->log);
  *run = (struct bundle_run){0};
}

static void put_documents(struct json_writer *json, const struct bundle_run *run)
{
  json_put_object(json, "documents");
  for (size_t i = 0; i < run->documents.count; i++)
    json_put_raw(json, run->documents.items[i].name, run->documents.items[i].json);
  json_put_end(json);
}

/* "lu.c:42" */
static void put_source(struct json_writer *json, const struct trace_region *region)
{
  char *text = NULL;
  if (!*region->file || !region->line)
    return;
  if (asprintf(&text, "%s:%u", region->file, region->line) < 0)
    json->failed = true;
  else
    json_put_text(json, "source", text);
  free(text);
}

static void put_finding(struct json_writer *json, const struct trace *trace, const struct bundle_finding *finding)
{
  json_put_object(json, NULL);
  json_put_text(json, "kind", finding->kind);
  json_put_text(json, "text", finding->text);
  if (trace->ticks_per_second)
    json_put_real(json, "seconds", (double)finding->ticks / (double)trace->ticks_per_second);
  json_put_object(json, "link");
  json_put_text(json, "page", finding->page);
  if (finding->region != TRACE_NONE)
    json_put_text(json, "row", trace->regions[finding->region].name);
  json_put_end(json);
  if (finding->lane != TRACE_NONE) {
    json_put_count(json, "lane", finding->lane);
    json_put_count(json, "begin", finding->begin);
    json_put_count(json, "end", finding->end);
  }
  if (finding->region != TRACE_NONE)
    put_source(json, &trace->regions[finding->region]);
  json_put_end(json);
}

/* Notes on the parts that the shape omits. */
static void put_shape_notes(struct json_writer *json, const struct bundle_run *run, const struct bundle_shape *shape)
{
  const struct timeline *timeline = run->timeline;
  char text[256], shortest[UNITS_SIZE];
  if (shape->view)
    return;
  if (shape->from > 0) {
    units_duration(timeline->detail.thresholds[shape->from], timeline->trace->ticks_per_second, shortest);
    snprintf(text, sizeof text,
             "To keep this file small the timeline has no segments shorter than %s: in a row they are shown as one. "
             "`heddle view` shows all.",
             shortest);
    json_put_text(json, NULL, text);
  }
  if (!shape->threads && timeline_has_threads(timeline))
    json_put_text(json, NULL,
                  "To keep this file small the timeline has no states of threads. `heddle view` shows them.");
  if (shape->lanes < LANES_MAX) {
    snprintf(text, sizeof text,
             "To keep this file small the timeline has constructs to a depth of %u only. `heddle view` shows more.",
             shape->lanes - 1);
    json_put_text(json, NULL, text);
  }
}

static void put_run(struct json_writer *json, const struct bundle_run *run, const struct bundle_shape *shape)
{
  json_put_object(json, NULL);
  json_put_text(json, "title", run->title);
  put_documents(json, run);
  json_put_array(json, "findings");
  for (size_t i = 0; i < run->findings.count; i++)
    put_finding(json, run->timeline->trace, &run->findings.items[i]);
  json_put_end(json);
  json_put_array(json, "notes");
  for (size_t i = 0; i < run->notes.count; i++)
    json_put_text(json, NULL, run->notes.items[i]);
  put_shape_notes(json, run, shape);
  json_put_end(json);
  json_put_array(json, "log");
  for (size_t i = 0; i < run->log.count; i++) {
    json_put_object(json, NULL);
    json_put_text(json, "what", run->log.items[i].what);
    json_put_text(json, "text", run->log.items[i].text);
    json_put_end(json);
  }
  json_put_end(json);
  timeline_put(json, run->timeline, shape);
  json_put_end(json);
}

void bundle_put(struct json_writer *json, const struct bundle_run *runs, size_t run_count,
                const struct bundle_shape *shape)
{
  json_put_object(json, NULL);
  json_put_count(json, "version", 2);
  json_put_text(json, "generator", "heddle " HEDDLE_VERSION);
  json_put_text(json, "mode", shape->view ? "view" : "file");
  json_put_array(json, "runs");
  for (size_t i = 0; i < run_count; i++)
    put_run(json, &runs[i], shape);
  json_put_end(json);
  json_put_end(json);
}

/* The bundle, compressed: the caller frees it. False: no memory. */
static bool bundle_compress(const struct bundle_run *runs, size_t run_count, const struct bundle_shape *shape,
                            unsigned char **bytes, size_t *size)
{
  FILE *file = deflated_open(bytes, size);
  if (!file)
    return false;
  struct json_writer json = json_writer(file);
  bundle_put(&json, runs, run_count, shape);
  if (fclose(file) != 0)
    return false;
  if (!json.failed)
    return true;
  free(*bytes);
  *bytes = NULL;
  return false;
}

static uint64_t lanes_size(const struct bundle_run *runs, size_t run_count, const struct bundle_shape *shape)
{
  uint64_t size = 0;
  for (size_t i = 0; i < run_count; i++)
    size += base64_size(timeline_blob_size(runs[i].timeline, shape)) + sizeof ELEMENT("heddle-lanes-0") ELEMENT_END;
  return size;
}

static unsigned levels_of(const struct bundle_run *runs, size_t run_count)
{
  unsigned levels = runs[0].timeline->detail.levels;
  for (size_t i = 1; i < run_count; i++)
    if (runs[i].timeline->detail.levels < levels)
      levels = runs[i].timeline->detail.levels;
  return levels;
}

/* The next shape that omits more. False: there is none. */
static bool leave_out_more(struct bundle_shape *shape, unsigned levels)
{
  if (shape->threads) {
    shape->threads = false;
    return true;
  }
  if (shape->from + 1 < levels) {
    shape->from++;
    return true;
  }
  if (shape->lanes == 1)
    return false;
  shape->lanes--;
  return true;
}

/* The finest level that all runs still have. */
static unsigned finest_level(const struct bundle_run *runs, size_t run_count)
{
  unsigned from = 0;
  for (size_t i = 0; i < run_count; i++)
    if (runs[i].timeline->budget.from > from)
      from = runs[i].timeline->budget.from;
  return from;
}

/* Finds the shape that fits, and its bundle. */
static bool fit(const struct bundle_run *runs, size_t run_count, uint64_t limit, struct bundle_shape *shape,
                unsigned char **bytes, size_t *size)
{
  struct page page = page_get();
  uint64_t others = page.head_size + page.tail_size + sizeof ELEMENT("heddle-bundle") ELEMENT_END;
  unsigned levels = levels_of(runs, run_count);
  *shape = (struct bundle_shape){.from = finest_level(runs, run_count), .lanes = LANES_MAX, .threads = true};
  for (size_t i = 0; i < run_count; i++)
    shape->threads = shape->threads && runs[i].timeline->threads_budget.from <= shape->from;
  for (;;) {
    uint64_t lanes = lanes_size(runs, run_count, shape);
    if (others + lanes <= limit || shape->lanes == 1) {
      if (!bundle_compress(runs, run_count, shape, bytes, size))
        return false;
      if (others + lanes + base64_size(*size) <= limit)
        return true;
    }
    struct bundle_shape next = *shape;
    if (!leave_out_more(&next, levels))
      return true; /* nothing more can be omitted */
    free(*bytes);
    *bytes = NULL;
    *shape = next;
  }
}

struct lanes_output {
  struct base64 base64;
  const struct spool *spool;
};

static bool put_blocks(void *context, const struct block_list *blocks)
{
  struct lanes_output *output = context;
  unsigned char bytes[BLOCK_BYTES + BLOCK_BYTES / 1000 + 64];
  for (uint32_t i = 0; i < blocks->count; i++) {
    const struct block *block = &blocks->list[i];
    if (!spool_read(output->spool, block->offset, bytes, block->bytes))
      return false;
    base64_put(&output->base64, bytes, block->bytes);
  }
  return true;
}

static bool put_lanes(FILE *file, const char *begin, const struct timeline *timeline, const struct bundle_shape *shape,
                      struct error *error)
{
  struct lanes_output output = {base64(file), timeline->spool};
  fputs(begin, file);
  if (!timeline_each_level(timeline, shape, put_blocks, &output))
    return spool_fail(timeline->spool, error);
  base64_end(&output.base64);
  fputs(ELEMENT_END, file);
  return true;
}

bool bundle_write_file(FILE *file, const struct bundle_run *runs, size_t run_count, uint64_t limit, struct error *error)
{
  char begin[] = ELEMENT("heddle-lanes-0");
  char *number = strrchr(begin, '0'); /* BUNDLE_RUNS has one digit */
  struct page page = page_get();
  struct bundle_shape shape;
  unsigned char *bytes = NULL;
  size_t size = 0;
  if (!fit(runs, run_count, limit, &shape, &bytes, &size))
    return error_set(error, "out of memory");
  fwrite(page.head, 1, page.head_size, file);
  element_put(file, ELEMENT("heddle-bundle"), bytes, size);
  free(bytes);
  for (size_t i = 0; i < run_count; i++) {
    *number = (char)('0' + i);
    if (!put_lanes(file, begin, runs[i].timeline, &shape, error))
      return false;
  }
  fwrite(page.tail, 1, page.tail_size, file);
  return true; /* whether it could be written is for the file's owner to see */
}

bool bundle_write_view(char **html, size_t *size, const struct bundle_run *runs, size_t run_count)
{
  struct bundle_shape shape = {.view = true, .lanes = LANES_MAX, .threads = true};
  struct page page = page_get();
  unsigned char *bytes;
  size_t count;
  if (!bundle_compress(runs, run_count, &shape, &bytes, &count))
    return false;
  FILE *file = open_memstream(html, size);
  if (file) {
    fwrite(page.head, 1, page.head_size, file);
    element_put(file, ELEMENT("heddle-bundle"), bytes, count);
    fwrite(page.tail, 1, page.tail_size, file);
  }
  free(bytes);
  return file && fclose(file) == 0;
}
