#include "tests/fuzz/mhd_stand_in.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct MHD_Daemon {
  MHD_AccessHandlerCallback handler;
  void *context;
  union MHD_DaemonInfo info;
};

struct MHD_Connection {
  const struct asked *asked;
  unsigned status;
  const struct MHD_Response *response;
};

struct MHD_Response {
  unsigned references, headers;
  void *data;
  size_t size;
  bool owned;
};

static struct MHD_Daemon server;

/* The headers that server.c gives to each answer, as bits. */
static const char *const guards[] = {"X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Resource-Policy",
                                     "X-Frame-Options", "Cache-Control"};
enum { GUARDS = sizeof guards / sizeof *guards };

struct MHD_Daemon *MHD_start_daemon(unsigned flags, uint16_t port, MHD_AcceptPolicyCallback accept,
                                    void *accept_context, MHD_AccessHandlerCallback handler, void *context, ...)
{
  (void)flags, (void)port, (void)accept, (void)accept_context;
  server = (struct MHD_Daemon){handler, context, {.port = ASKED_PORT}};
  return &server;
}

void MHD_stop_daemon(struct MHD_Daemon *daemon)
{
  (void)daemon;
}

const union MHD_DaemonInfo *MHD_get_daemon_info(struct MHD_Daemon *daemon, enum MHD_DaemonInfoType type, ...)
{
  (void)type;
  return &daemon->info;
}

struct MHD_Response *MHD_create_response_from_buffer(size_t size, void *data, enum MHD_ResponseMemoryMode mode)
{
  struct MHD_Response *response = calloc(1, sizeof *response);
  if (response)
    *response = (struct MHD_Response){1, 0, data, size, mode == MHD_RESPMEM_MUST_FREE};
  return response;
}

enum MHD_Result MHD_add_response_header(struct MHD_Response *response, const char *header, const char *content)
{
  (void)content;
  for (unsigned i = 0; i < GUARDS; i++)
    if (strcasecmp(header, guards[i]) == 0)
      response->headers |= 1u << i;
  return MHD_YES;
}

void MHD_destroy_response(struct MHD_Response *response)
{
  if (--response->references > 0)
    return;
  if (response->owned)
    free(response->data);
  free(response);
}

enum MHD_Result MHD_queue_response(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response)
{
  if (connection->response)
    abort(); /* a connection has one answer */
  connection->status = status;
  connection->response = response;
  response->references++;
  return MHD_YES;
}

const char *MHD_lookup_connection_value(struct MHD_Connection *connection, enum MHD_ValueKind kind, const char *key)
{
  const struct asked *asked = connection->asked;
  if (kind == MHD_HEADER_KIND)
    return strcasecmp(key, "Host") == 0 ? asked->host : NULL;
  for (size_t i = 0; i < asked->argument_count; i++)
    if (strcmp(asked->arguments[i].name, key) == 0)
      return asked->arguments[i].value;
  return NULL;
}

struct answered mhd_ask(const struct asked *asked)
{
  struct MHD_Connection connection = {asked, 0, NULL};
  struct answered answered = {0};
  size_t nothing = 0;
  void *state = NULL;
  enum MHD_Result result =
      server.handler(server.context, &connection, asked->path, asked->method, "HTTP/1.1", NULL, &nothing, &state);
  if (result != MHD_YES || !connection.response)
    return answered;
  const struct MHD_Response *response = connection.response;
  answered.status = connection.status;
  answered.guarded = response->headers == (1u << GUARDS) - 1;
  answered.size = response->size;
  answered.body = malloc(response->size + 1);
  if (!answered.body)
    abort();
  memcpy(answered.body, response->data, response->size);
  answered.body[response->size] = '\0';
  MHD_destroy_response((struct MHD_Response *)response);
  return answered;
}
