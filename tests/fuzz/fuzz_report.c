/*
 * libFuzzer target: the report of an archive (otf2_player.h), with everything that it analyzes. There is an error, or
 * the bundle is JSON, and fits a page of any size.
 */
#include "analyzer/report/report_run.h"
#include "tests/fuzz/otf2_player.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds, const char *what, const char *detail)
{
  if (holds)
    return;
  fprintf(stderr, "%s: %s\n", what, detail);
  abort();
}

static void check_bundle(const struct bundle_run *bundle, const struct bundle_shape *shape)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  struct json_writer writer = json_writer(file);
  bundle_put(&writer, bundle, 1, shape);
  need(fclose(file) == 0 && !writer.failed, "the bundle", "cannot be written");
  json_error_t error;
  json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
  need(json != NULL, "the bundle is no JSON", error.text);
  json_decref(json);
  free(text);
}

static void check_page(const struct bundle_run *bundle, uint64_t limit)
{
  char *html = NULL;
  size_t size;
  struct error error = {""};
  FILE *file = open_memstream(&html, &size);
  bool good = bundle_write_file(file, bundle, 1, limit, &error);
  need(fclose(file) == 0 && good, "the page", error.message);
  free(html);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct report_run run;
  struct error error = {""};
  struct pool *pool = pool_create(1);
  player_load(data, size);
  struct restriction_options all = {0};
  struct report_run_wanted wanted = {.path = player_directory(), .command = "heddle report", .restriction = &all};
  bool good = report_run_open(&run, &wanted, pool, &(struct progress){0}, &error);
  need(good || error.message[0], "an error without a word", "");
  if (good) {
    check_bundle(&run.bundle, &(struct bundle_shape){.lanes = 4});
    check_page(&run.bundle, 1);
  }
  report_run_close(&run);
  pool_destroy(pool);
  return 0;
}
