#include "analyzer/live/loopback/loopback.h"

#include "analyzer/live/loopback/waiting.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>

/* Any program, and any page in a browser, can open connections and say nothing: there is room for a lot of those. */
enum { TOKEN_BYTES = 16, TOKEN_TEXT = 2 * TOKEN_BYTES + 1, CONNECTIONS = 500, IDLE_SECONDS = 15 };

struct loopback {
  loopback_give *give;
  void *context;
  struct MHD_Daemon *daemon;
  struct waiting *waiting;
  char token[TOKEN_TEXT];
  char hosts[2][32]; /* what the Host header may be */
  char address[64 + TOKEN_TEXT];
};

struct loopback_query {
  struct MHD_Connection *connection;
};

/* Nothing of it is to be kept by the browser, or used by other pages. Destroys the response. */
static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response,
                              const char *type)
{
  if (!response)
    return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
  MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
  MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
  MHD_add_response_header(response, "X-Frame-Options", "DENY");
  enum MHD_Result result = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, const char *text)
{
  struct MHD_Response *response =
      MHD_create_response_from_buffer(strlen(text), (char *)text, MHD_RESPMEM_PERSISTENT); /* only read */
  return answer(connection, status, response, "text/plain; charset=utf-8");
}

static enum MHD_Result not_found(struct MHD_Connection *connection)
{
  return refuse(connection, MHD_HTTP_NOT_FOUND, "There is nothing here.\n");
}

const char *loopback_text(const struct loopback_query *query, const char *name)
{
  return MHD_lookup_connection_value(query->connection, MHD_GET_ARGUMENT_KIND, name);
}

bool loopback_number(const struct loopback_query *query, const char *name, uint64_t *number)
{
  const char *text = MHD_lookup_connection_value(query->connection, MHD_GET_ARGUMENT_KIND, name);
  char *end;
  errno = 0;
  if (!text || *text < '0' || *text > '9')
    return false;
  *number = strtoull(text, &end, 10);
  return *end == '\0' && errno == 0;
}

static bool is_our_host(const struct loopback *loopback, struct MHD_Connection *connection)
{
  const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
  return host && (strcmp(host, loopback->hosts[0]) == 0 || strcmp(host, loopback->hosts[1]) == 0);
}

/*
 * Whether a page of another server asks, as its browser says. Pages of ours, which ask for themselves, and programs say
 * nothing, or our name.
 */
static bool is_from_elsewhere(const struct loopback *loopback, struct MHD_Connection *connection)
{
  static const char scheme[] = "http://";
  const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ORIGIN);
  const char *site = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site");
  if (site && (strcmp(site, "cross-site") == 0 || strcmp(site, "same-site") == 0))
    return true;
  if (!origin)
    return false;
  const char *host = strncmp(origin, scheme, sizeof scheme - 1) == 0 ? origin + sizeof scheme - 1 : "";
  return strcmp(host, loopback->hosts[0]) != 0 && strcmp(host, loopback->hosts[1]) != 0;
}

/* What stands behind "/<token>/", or NULL. Looks at the whole token however early it is wrong. */
static const char *behind_token(const struct loopback *loopback, const char *path)
{
  size_t length = strlen(loopback->token);
  unsigned wrong = 0;
  if (strlen(path) < length + 2)
    return NULL;
  for (size_t i = 0; i < length; i++)
    wrong |= (unsigned char)path[1 + i] ^ (unsigned char)loopback->token[i];
  return wrong == 0 && path[0] == '/' && path[length + 1] == '/' ? path + length + 2 : NULL;
}

static enum MHD_Result give(const struct loopback *loopback, struct MHD_Connection *connection, const char *path)
{
  struct loopback_query query = {connection};
  struct loopback_answer found = {.type = NULL};
  if (!loopback->give(loopback->context, path, &query, &found))
    return not_found(connection);
  if (!found.bytes)
    return MHD_NO;
  struct MHD_Response *response = MHD_create_response_from_buffer(
      found.size, found.bytes, found.stays ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE);
  if (!response && !found.stays)
    free(found.bytes);
  return answer(connection, MHD_HTTP_OK, response, found.type);
}

static struct waiting_connection *waiting_of(struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

static void connection_changes(void *context, struct MHD_Connection *connection, void **place,
                               enum MHD_ConnectionNotificationCode what)
{
  struct loopback *loopback = context;
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *place = info ? waiting_add(loopback->waiting, info->connect_fd) : NULL;
  } else if (*place) {
    waiting_remove(loopback->waiting, *place);
  }
}

static void request_ends(void *context, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode how)
{
  struct loopback *loopback = context;
  struct waiting_connection *waits = waiting_of(connection);
  (void)state;
  (void)how;
  if (waits)
    waiting_again(loopback->waiting, waits);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *data, size_t *data_size, void **state)
{
  const struct loopback *loopback = context;
  (void)version;
  (void)data;
  (void)data_size;
  (void)state;
  struct waiting_connection *waits = waiting_of(connection);
  if (waits)
    waiting_whole(loopback->waiting, waits);
  if (!is_our_host(loopback, connection))
    return refuse(connection, MHD_HTTP_FORBIDDEN, "This server has another name.\n");
  if (strcmp(method, MHD_HTTP_METHOD_GET) != 0)
    return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET.\n");
  const char *rest = behind_token(loopback, path);
  if (rest && *rest && is_from_elsewhere(loopback, connection)) /* any page may show a link to ours */
    return refuse(connection, MHD_HTTP_FORBIDDEN, "This is for the server's own page.\n");
  return rest ? give(loopback, connection, rest) : not_found(connection);
}

static bool make_token(struct loopback *loopback, struct error *error)
{
  unsigned char bytes[TOKEN_BYTES];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
    return error_set(error, "there are no random numbers: %s", strerror(errno));
  for (size_t i = 0; i < sizeof bytes; i++)
    snprintf(loopback->token + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

/* Half of the files that this process may open are for others. */
static unsigned most_connections(void)
{
  struct rlimit limit;
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 2 < CONNECTIONS ? (unsigned)limit.rlim_cur / 2 + 1
                                                                                   : CONNECTIONS;
}

static bool listen_to(struct loopback *loopback, uint16_t port, struct error *error)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  errno = 0;
  loopback->daemon = MHD_start_daemon(MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, port, NULL, NULL, handle,
                                      loopback, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
                                      MHD_OPTION_CONNECTION_LIMIT, most_connections(), MHD_OPTION_CONNECTION_TIMEOUT,
                                      (unsigned)IDLE_SECONDS, MHD_OPTION_NOTIFY_CONNECTION, connection_changes,
                                      loopback, MHD_OPTION_NOTIFY_COMPLETED, request_ends, loopback, MHD_OPTION_END);
  const union MHD_DaemonInfo *info =
      loopback->daemon ? MHD_get_daemon_info(loopback->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
  if (!info)
    return error_set(error, "port %u of 127.0.0.1 cannot be listened to: %s; give another one with --port", port,
                     strerror(errno ? errno : EADDRINUSE));
  snprintf(loopback->hosts[0], sizeof loopback->hosts[0], "127.0.0.1:%u", info->port);
  snprintf(loopback->hosts[1], sizeof loopback->hosts[1], "localhost:%u", info->port);
  snprintf(loopback->address, sizeof loopback->address, "http://%s/%s/", loopback->hosts[0], loopback->token);
  return true;
}

struct loopback *loopback_start(uint16_t port, loopback_give *give_answer, void *context, struct error *error)
{
  struct loopback *loopback = calloc(1, sizeof *loopback);
  if (!loopback) {
    error_set(error, "out of memory");
    return NULL;
  }
  loopback->give = give_answer;
  loopback->context = context;
  loopback->waiting = waiting_begin(most_connections());
  if (!loopback->waiting)
    error_set(error, "out of memory");
  else if (make_token(loopback, error) && listen_to(loopback, port, error))
    return loopback;
  loopback_stop(loopback);
  return NULL;
}

void loopback_stop(struct loopback *loopback)
{
  if (!loopback)
    return;
  if (loopback->daemon)
    MHD_stop_daemon(loopback->daemon);
  waiting_end(loopback->waiting);
  free(loopback);
}

const char *loopback_address(const struct loopback *loopback)
{
  return loopback->address;
}

void loopback_block_ends(sigset_t *ends)
{
  sigemptyset(ends);
  sigaddset(ends, SIGINT);
  sigaddset(ends, SIGTERM);
  sigaddset(ends, SIGHUP);
  pthread_sigmask(SIG_BLOCK, ends, NULL);
  signal(SIGPIPE, SIG_IGN);
}
