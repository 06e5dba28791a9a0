/*
 * libFuzzer target: requests to the server of `heddle view`, as libmicrohttpd would hand them on (mhd_stand_in.h). Who
 * does not know the token or the host gets nothing; every answer keeps other pages out; what is given is what was
 * asked.
 *
 * An input is lines: the method, the host, the path, then an argument a line, `name=value`. The byte 1 stands for the
 * token in a path, for the right host in a host. HEDDLE_FUZZ_ARCHIVE names the archive (otf2_player.h).
 */
#include "analyzer/report/report_run.h"
#include "analyzer/report/view.h"
#include "tests/fuzz/mhd_stand_in.h"
#include "tests/fuzz/otf2_player.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct report_run run;
static struct server *server;
static char token[64], host[64];

static void need(bool holds, const char *what)
{
  if (holds)
    return;
  fprintf(stderr, "%s\n", what);
  abort();
}

static void stop(void)
{
  server_stop(server);
  report_run_close(&run);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  static uint8_t bytes[1 << 16];
  struct error error = {""};
  (void)count, (void)arguments;
  FILE *file = fopen(HEDDLE_FUZZ_ARCHIVE, "r");
  need(file != NULL, "there is no " HEDDLE_FUZZ_ARCHIVE);
  player_load(bytes, fread(bytes, 1, sizeof bytes, file));
  fclose(file);
  struct pool *pool = pool_create(1);
  need(report_run_open(&run,
                       &(struct report_run_wanted){.path = player_directory(),
                                                   .command = "heddle view",
                                                   .restriction = &(struct restriction_options){0}},
                       pool, &(struct progress){0}, &error),
       error.message);
  pool_destroy(pool);
  server = server_start(&run.bundle, 1, 0, &error);
  need(server != NULL, error.message);
  need(sscanf(server_address(server), "http://%63[^/]/%63[^/]/", host, token) == 2, server_address(server));
  atexit(stop);
  return 0;
}

/* A line of the input with the token or host in place of byte 1; the caller frees it. */
static char *filled(const char *line, size_t length, const char *secret)
{
  char *text = malloc(length * (strlen(secret) + 1) + 1), *out = text;
  for (size_t i = 0; i < length; i++)
    if (line[i] == 1)
      out = stpcpy(out, secret);
    else if (line[i] != '\0')
      *out++ = line[i];
  *out = '\0';
  return text;
}

/* The number that an argument has, 0 without one. */
static uint64_t number_of(const struct asked *asked, const char *name)
{
  for (size_t i = 0; i < asked->argument_count; i++)
    if (strcmp(asked->arguments[i].name, name) == 0)
      return asked->arguments[i].value ? strtoull(asked->arguments[i].value, NULL, 10) : 0;
  return 0;
}

static void check(const struct asked *asked, const struct answered *answered)
{
  char page[80], blob[80], blocks[80];
  snprintf(page, sizeof page, "/%s/", token);
  snprintf(blob, sizeof blob, "/%s/blob", token);
  snprintf(blocks, sizeof blocks, "/%s/blocks", token);
  unsigned status = answered->status;
  need(status == 200 || status == 403 || status == 404 || status == 405, "a status of another kind");
  need(answered->guarded, "an answer that other pages may use");
  if (status != 200) {
    need(!strstr(answered->body, token), "the token is disclosed");
    return;
  }
  need(asked->host && (strcmp(asked->host, host) == 0 || strncmp(asked->host, "localhost:", 10) == 0), "another host");
  need(strcmp(asked->method, "GET") == 0, "another method");
  if (strcmp(asked->path, blob) == 0) {
    need(answered->size == number_of(asked, "bytes") && answered->size <= SERVER_BLOB_MOST, "not the bytes asked for");
  } else if (strcmp(asked->path, blocks) == 0) {
    json_t *json = json_loadb(answered->body, answered->size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
    need(json != NULL, "blocks that are no JSON");
    json_decref(json);
  } else {
    need(strcmp(asked->path, page) == 0, "a path that nobody knows");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  enum { LINES = 3 + ASKED_ARGUMENTS };
  char *lines[LINES] = {NULL};
  struct asked asked = {0};
  const char *at = (const char *)data, *end = at + size;
  for (int i = 0; i < LINES && at < end; i++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop_at = newline ? newline : end;
    lines[i] = filled(at, (size_t)(stop_at - at), i == 1 ? host : token);
    at = stop_at + 1;
    if (i < 3)
      continue;
    char *equals = strchr(lines[i], '=');
    if (equals)
      *equals++ = '\0';
    asked.arguments[asked.argument_count].name = lines[i];
    asked.arguments[asked.argument_count++].value = equals;
  }
  asked.method = lines[0] ? lines[0] : "";
  asked.host = lines[1];
  asked.path = lines[2] ? lines[2] : "";
  struct answered answered = mhd_ask(&asked);
  check(&asked, &answered);
  free(answered.body);
  for (int i = 0; i < LINES; i++)
    free(lines[i]);
  return 0;
}
