#include "analyzer/report/server.h"

#include "analyzer/report/timeline_json.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Any program, and any page in a browser, can open connections and say nothing: there is room for a lot of those. */
enum { TOKEN_BYTES = 16, TOKEN_TEXT = 2 * TOKEN_BYTES + 1, CONNECTIONS = 500, IDLE_SECONDS = 15 };

struct server {
  const struct bundle_run *runs;
  size_t run_count;
  struct MHD_Daemon *daemon;
  struct MHD_Response *page;
  char token[TOKEN_TEXT];
  char hosts[2][32]; /* what the Host header may be */
  char address[64 + TOKEN_TEXT];
};

/* Nothing of it is to be kept by the browser, or used by other pages. */
static struct MHD_Response *finish_response(struct MHD_Response *response, const char *type)
{
  if (!response)
    return NULL;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
  MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
  MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
  MHD_add_response_header(response, "X-Frame-Options", "DENY");
  return response;
}

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response)
{
  if (!response)
    return MHD_NO;
  enum MHD_Result result = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, const char *text)
{
  struct MHD_Response *response =
      MHD_create_response_from_buffer(strlen(text), (char *)text, MHD_RESPMEM_PERSISTENT); /* only read */
  return answer(connection, status, finish_response(response, "text/plain; charset=utf-8"));
}

static enum MHD_Result not_found(struct MHD_Connection *connection)
{
  return refuse(connection, MHD_HTTP_NOT_FOUND, "There is nothing here.\n");
}

/* A number of the query; false: it is not there or none. */
static bool take_number(struct MHD_Connection *connection, const char *name, uint64_t *number)
{
  const char *text = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
  char *end;
  errno = 0;
  if (!text || *text < '0' || *text > '9')
    return false;
  *number = strtoull(text, &end, 10);
  return *end == '\0' && errno == 0;
}

static const struct timeline *take_run(const struct server *server, struct MHD_Connection *connection)
{
  uint64_t run;
  bool good = take_number(connection, "run", &run) && run < server->run_count;
  return good ? server->runs[run].timeline : NULL;
}

/* The blocks that a query asks for, or NULL. */
static const struct block_list *find_blocks(const struct timeline *timeline, struct MHD_Connection *connection)
{
  uint64_t location, lane, level;
  if (!take_number(connection, "location", &location) || location >= timeline->trace->location_count)
    return NULL;
  const struct location_lanes *lanes = &timeline->locations[location];
  if (!take_number(connection, "lane", &lane) || lane >= lanes->count || !take_number(connection, "level", &level) ||
      level >= lanes->lanes[lane].levels)
    return NULL;
  return &lanes->lanes[lane].level[lane_level_of(&lanes->lanes[lane], (unsigned)level)].blocks;
}

static enum MHD_Result give_blocks(const struct server *server, struct MHD_Connection *connection)
{
  const struct timeline *timeline = take_run(server, connection);
  const struct block_list *blocks = timeline ? find_blocks(timeline, connection) : NULL;
  char *text = NULL;
  size_t size;
  if (!blocks)
    return not_found(connection);
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return MHD_NO;
  struct json_writer json = json_writer(file);
  timeline_put_blocks(&json, NULL, blocks, UINT64_MAX);
  if (fclose(file) != 0) {
    free(text);
    return MHD_NO;
  }
  struct MHD_Response *response = MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE);
  if (!response)
    free(text);
  return answer(connection, MHD_HTTP_OK, finish_response(response, "application/json"));
}

static enum MHD_Result give_blob(const struct server *server, struct MHD_Connection *connection)
{
  const struct timeline *timeline = take_run(server, connection);
  uint64_t offset, bytes;
  if (!timeline || !take_number(connection, "offset", &offset) || !take_number(connection, "bytes", &bytes) ||
      bytes > SERVER_BLOB_MOST || offset > spool_size(timeline->spool) || bytes > spool_size(timeline->spool) - offset)
    return not_found(connection);
  char *data = malloc(bytes + 1);
  if (!data || !spool_read(timeline->spool, offset, data, bytes)) {
    free(data);
    return MHD_NO;
  }
  struct MHD_Response *response = MHD_create_response_from_buffer(bytes, data, MHD_RESPMEM_MUST_FREE);
  if (!response)
    free(data);
  return answer(connection, MHD_HTTP_OK, finish_response(response, "application/octet-stream"));
}

static bool is_our_host(const struct server *server, struct MHD_Connection *connection)
{
  const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
  return host && (strcmp(host, server->hosts[0]) == 0 || strcmp(host, server->hosts[1]) == 0);
}

/* What stands behind "/<token>/", or NULL. Looks at the whole token however early it is wrong. */
static const char *behind_token(const struct server *server, const char *path)
{
  size_t length = strlen(server->token);
  unsigned wrong = 0;
  if (strlen(path) < length + 2)
    return NULL;
  for (size_t i = 0; i < length; i++)
    wrong |= (unsigned char)path[1 + i] ^ (unsigned char)server->token[i];
  return wrong == 0 && path[0] == '/' && path[length + 1] == '/' ? path + length + 2 : NULL;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *data, size_t *data_size, void **state)
{
  const struct server *server = context;
  (void)version;
  (void)data;
  (void)data_size;
  (void)state;
  if (!is_our_host(server, connection))
    return refuse(connection, MHD_HTTP_FORBIDDEN, "This server has another name.\n");
  if (strcmp(method, MHD_HTTP_METHOD_GET) != 0)
    return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET.\n");
  const char *rest = behind_token(server, path);
  if (!rest)
    return not_found(connection);
  if (*rest == '\0')
    return MHD_queue_response(connection, MHD_HTTP_OK, server->page);
  if (strcmp(rest, "blocks") == 0)
    return give_blocks(server, connection);
  if (strcmp(rest, "blob") == 0)
    return give_blob(server, connection);
  return not_found(connection);
}

static bool make_token(struct server *server)
{
  unsigned char bytes[TOKEN_BYTES];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
    return false;
  for (size_t i = 0; i < sizeof bytes; i++)
    snprintf(server->token + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

static bool make_page(struct server *server)
{
  char *html = NULL;
  size_t size;
  if (!bundle_write_view(&html, &size, server->runs, server->run_count)) {
    free(html);
    return false;
  }
  server->page = MHD_create_response_from_buffer(size, html, MHD_RESPMEM_MUST_FREE);
  if (!server->page)
    free(html);
  return finish_response(server->page, "text/html; charset=utf-8") != NULL;
}

static bool start(struct server *server, uint16_t port, struct error *error)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  errno = 0;
  server->daemon =
      MHD_start_daemon(MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, port, NULL, NULL, handle, server,
                       MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT,
                       (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_END);
  const union MHD_DaemonInfo *info =
      server->daemon ? MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
  if (!info)
    return error_set(error, "port %u of 127.0.0.1 cannot be listened to: %s; give another one with --port", port,
                     strerror(errno ? errno : EADDRINUSE));
  snprintf(server->hosts[0], sizeof server->hosts[0], "127.0.0.1:%u", info->port);
  snprintf(server->hosts[1], sizeof server->hosts[1], "localhost:%u", info->port);
  snprintf(server->address, sizeof server->address, "http://%s/%s/", server->hosts[0], server->token);
  return true;
}

struct server *server_start(const struct bundle_run *runs, size_t run_count, uint16_t port, struct error *error)
{
  struct server *server = calloc(1, sizeof *server);
  bool good = server != NULL;
  if (good) {
    server->runs = runs;
    server->run_count = run_count;
    good = make_token(server) && make_page(server);
  }
  if (!good)
    error_set(error, "out of memory");
  if (good && start(server, port, error))
    return server;
  server_stop(server);
  return NULL;
}

void server_stop(struct server *server)
{
  if (!server)
    return;
  if (server->daemon)
    MHD_stop_daemon(server->daemon);
  if (server->page)
    MHD_destroy_response(server->page);
  free(server);
}

const char *server_address(const struct server *server)
{
  return server->address;
}
