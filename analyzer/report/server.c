#include "analyzer/report/server.h"

#include "analyzer/report/timeline_json.h"

#include <stdlib.h>
#include <string.h>

struct server {
  const struct bundle_run *runs;
  size_t run_count;
  char *page;
  size_t page_size;
  struct loopback *loopback;
};

static const struct timeline *take_run(const struct server *server, const struct loopback_query *query)
{
  uint64_t run;
  bool good = loopback_number(query, "run", &run) && run < server->run_count;
  return good ? server->runs[run].timeline : NULL;
}

/* The blocks that a query asks for, or NULL. */
static const struct block_list *find_blocks(const struct timeline *timeline, const struct loopback_query *query)
{
  uint64_t location, lane, level;
  if (!loopback_number(query, "location", &location) || location >= timeline->trace->location_count)
    return NULL;
  const struct location_lanes *lanes = &timeline->locations[location];
  if (!loopback_number(query, "lane", &lane) || lane >= lanes->count || !loopback_number(query, "level", &level) ||
      level >= lanes->lanes[lane].levels)
    return NULL;
  return &lanes->lanes[lane].level[lane_level_of(&lanes->lanes[lane], (unsigned)level)].blocks;
}

static bool give_blocks(const struct server *server, const struct loopback_query *query, struct loopback_answer *answer)
{
  const struct timeline *timeline = take_run(server, query);
  const struct block_list *blocks = timeline ? find_blocks(timeline, query) : NULL;
  char *text = NULL;
  size_t size;
  if (!blocks)
    return false;
  *answer = (struct loopback_answer){.type = "application/json"};
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return true;
  struct json_writer json = json_writer(file);
  timeline_put_blocks(&json, NULL, blocks, UINT64_MAX);
  if (fclose(file) != 0) {
    free(text);
    return true;
  }
  answer->bytes = text;
  answer->size = size;
  return true;
}

static bool give_blob(const struct server *server, const struct loopback_query *query, struct loopback_answer *answer)
{
  const struct timeline *timeline = take_run(server, query);
  uint64_t offset, bytes;
  if (!timeline || !loopback_number(query, "offset", &offset) || !loopback_number(query, "bytes", &bytes) ||
      bytes > SERVER_BLOB_MOST || offset > spool_size(timeline->spool) || bytes > spool_size(timeline->spool) - offset)
    return false;
  char *data = malloc(bytes + 1);
  if (data && !spool_read(timeline->spool, offset, data, bytes)) {
    free(data);
    data = NULL;
  }
  *answer = (struct loopback_answer){.type = "application/octet-stream", .bytes = data, .size = bytes};
  return true;
}

static bool give(void *context, const char *path, const struct loopback_query *query, struct loopback_answer *answer)
{
  const struct server *server = context;
  if (*path == '\0') {
    *answer = (struct loopback_answer){
        .type = "text/html; charset=utf-8", .bytes = server->page, .size = server->page_size, .stays = true};
    return true;
  }
  if (strcmp(path, "blocks") == 0)
    return give_blocks(server, query, answer);
  return strcmp(path, "blob") == 0 && give_blob(server, query, answer);
}

struct server *server_start(const struct bundle_run *runs, size_t run_count, uint16_t port, struct error *error)
{
  struct server *server = calloc(1, sizeof *server);
  bool good = server != NULL;
  if (good) {
    server->runs = runs;
    server->run_count = run_count;
    good = bundle_write_view(&server->page, &server->page_size, runs, run_count);
  }
  if (!good)
    error_set(error, "out of memory");
  if (good && (server->loopback = loopback_start(port, give, server, error)))
    return server;
  server_stop(server);
  return NULL;
}

void server_stop(struct server *server)
{
  if (!server)
    return;
  loopback_stop(server->loopback);
  free(server->page);
  free(server);
}

const char *server_address(const struct server *server)
{
  return loopback_address(server->loopback);
}
