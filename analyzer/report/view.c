#include "analyzer/report/view.h"

#include "analyzer/command/values.h"
#include "analyzer/report/report_run.h"
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
  if (!loopback_number(query, "lane", &lane) || lane > lanes->count || !loopback_number(query, "level", &level))
    return NULL;
  const struct lane *asked = lane < lanes->count ? &lanes->lanes[lane] : &lanes->threads;
  return level < asked->levels ? &asked->level[lane_level_of(asked, (unsigned)level)].blocks : NULL;
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

/* Serves until a signal. */
static bool view_serve(const struct report_runs *runs, uint16_t port, struct error *error)
{
  sigset_t ends;
  int which;
  loopback_block_ends(&ends);
  struct server *server = server_start(runs->bundles, runs->count, port, error);
  if (!server)
    return false;
  printf("%s\n", server_address(server));
  bool good = command_printed() == EXIT_DONE;
  if (good)
    sigwait(&ends, &which);
  server_stop(server);
  return good;
}

static int view_run(const struct command *command, int argc, char **argv)
{
  uint64_t port = 0;
  struct report_asked asked;
  struct report_runs runs;
  struct error error = {{0}};
  int status = report_options_take(command, &port, &asked, argc, argv);
  if (status >= 0)
    return status;
  bool good = report_runs_open(&runs, &asked, argc, argv, &error) && view_serve(&runs, (uint16_t)port, &error);
  if (!good)
    command_failed(argv[0], error.message);
  report_runs_close(&runs);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option view_own_options[] = {{.name = "port",
                                                          .letter = 'p',
                                                          .argument = "N",
                                                          .help = "the port to listen on (default: any free port)",
                                                          .take = option_number,
                                                          .least = 1,
                                                          .most = UINT16_MAX},
                                                         {.name = NULL}};

const struct command command_view = {
    .name = "view",
    .group = COMMAND_LOOK,
    .summary = "shows the page of heddle report in a browser, for a trace of any size",
    .synopsis = "[OPTION]... DIR...",
    .about = "Shows the page of `heddle report` in a browser, with the whole timeline, for a trace of any size. Prints "
             "an\n"
             "address of this machine, and serves the page there until an interrupt (Ctrl-C).\n"
             "DIR is the trace's directory or its .otf2 file. With several traces the page compares the runs.\n",
    REPORT_OPERAND,
    .options = {{.list = view_own_options}, REPORT_OPTIONS},
    .run = view_run,
};
