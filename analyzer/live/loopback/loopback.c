#include "analyzer/live/loopback/loopback.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#define PATIENCE_NS 10000000000u
#define SPARE       8 /* a part of all places, which is kept free: MHD accepts several connections at once */

struct waiting_connection {
  int fd; /* -1: the place is free */
  bool waits;
  uint64_t since;
};

struct waiting {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_t thread;
  bool ends;
  size_t most, count;
  struct waiting_connection connections[];
};

static uint64_t now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* NULL: none waits. */
static struct waiting_connection *oldest(struct waiting *waiting)
{
  struct waiting_connection *found = NULL;
  for (size_t i = 0; i < waiting->most; i++) {
    struct waiting_connection *connection = &waiting->connections[i];
    if (connection->fd >= 0 && connection->waits && (!found || connection->since < found->since))
      found = connection;
  }
  return found;
}

/* The server finds its end, and closes it. */
static void drop(struct waiting_connection *connection)
{
  shutdown(connection->fd, SHUT_RDWR);
  connection->waits = false;
}

static void *watch(void *argument)
{
  struct waiting *waiting = argument;
  pthread_mutex_lock(&waiting->lock);
  while (!waiting->ends) {
    struct waiting_connection *first = oldest(waiting);
    uint64_t until = first ? first->since + PATIENCE_NS : 0;
    if (!first) {
      pthread_cond_wait(&waiting->changed, &waiting->lock);
    } else if (until <= now_ns()) {
      drop(first);
    } else {
      struct timespec time = {.tv_sec = (time_t)(until / 1000000000u), .tv_nsec = (long)(until % 1000000000u)};
      pthread_cond_timedwait(&waiting->changed, &waiting->lock, &time);
    }
  }
  pthread_mutex_unlock(&waiting->lock);
  return NULL;
}

static struct waiting *waiting_begin(size_t most)
{
  struct waiting *waiting = calloc(1, sizeof *waiting + most * sizeof *waiting->connections);
  if (!waiting)
    return NULL;
  waiting->most = most;
  for (size_t i = 0; i < most; i++)
    waiting->connections[i].fd = -1;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&waiting->lock, NULL);
  pthread_cond_init(&waiting->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  if (pthread_create(&waiting->thread, NULL, watch, waiting) == 0)
    return waiting;
  free(waiting);
  return NULL;
}

static void waiting_end(struct waiting *waiting)
{
  if (!waiting)
    return;
  pthread_mutex_lock(&waiting->lock);
  waiting->ends = true;
  pthread_cond_signal(&waiting->changed);
  pthread_mutex_unlock(&waiting->lock);
  pthread_join(waiting->thread, NULL);
  pthread_cond_destroy(&waiting->changed);
  pthread_mutex_destroy(&waiting->lock);
  free(waiting);
}

static struct waiting_connection *waiting_add(struct waiting *waiting, int fd)
{
  struct waiting_connection *place = NULL;
  pthread_mutex_lock(&waiting->lock);
  for (size_t i = 0; i < waiting->most && !place; i++)
    if (waiting->connections[i].fd < 0)
      place = &waiting->connections[i];
  if (place) {
    *place = (struct waiting_connection){.fd = fd, .waits = true, .since = now_ns()};
    waiting->count++;
  }
  struct waiting_connection *first = waiting->count > waiting->most - waiting->most / SPARE ? oldest(waiting) : NULL;
  if (first && first != place)
    drop(first);
  pthread_cond_signal(&waiting->changed);
  pthread_mutex_unlock(&waiting->lock);
  return place;
}

static void waiting_whole(struct waiting *waiting, struct waiting_connection *connection)
{
  pthread_mutex_lock(&waiting->lock);
  connection->waits = false;
  pthread_mutex_unlock(&waiting->lock);
}

static void waiting_again(struct waiting *waiting, struct waiting_connection *connection)
{
  pthread_mutex_lock(&waiting->lock);
  connection->waits = true;
  connection->since = now_ns();
  pthread_cond_signal(&waiting->changed);
  pthread_mutex_unlock(&waiting->lock);
}

static void waiting_remove(struct waiting *waiting, struct waiting_connection *connection)
{
  pthread_mutex_lock(&waiting->lock);
  connection->fd = -1;
  waiting->count--;
  pthread_mutex_unlock(&waiting->lock);
}

/* Any program, and any page in a browser, can open connections and say nothing: there is room for a lot of these. */
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

/* The path after "/<token>/", or NULL. Compares the whole token, also if its begin is wrong. */
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
