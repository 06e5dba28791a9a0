#include "jvmti-agent/io_names.h"

#include "common/budget/mix.h"
#include "common/process/diag.h"
#include "common/process/text.h"
#include "common/raw/raw_trace.h"
#include "jvmti-agent/core/class_ids.h"
#include "jvmti-agent/core/names.h"
#include "jvmti-agent/core/pair_table.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define IO_NAMES_TABLE_SIZE 16384u /* three quarters of it can be used */
#define TEXT_SIZE           1024u
#define NO_ROOM             UINT32_MAX

/* Addresses by their bytes, and texts by two hashes of them: ids of classes. */
static struct {
  pthread_mutex_t lock;
  struct pair_table addresses, texts;
  atomic_uint_fast64_t lost;
} io_names_state = {.lock = PTHREAD_MUTEX_INITIALIZER};

void io_names_open(void)
{
  if (!io_names_state.addresses.entries)
    (void)(pair_table_open(&io_names_state.addresses, IO_NAMES_TABLE_SIZE) &&
           pair_table_open(&io_names_state.texts, IO_NAMES_TABLE_SIZE));
}

static uint64_t lose(void)
{
  atomic_fetch_add_explicit(&io_names_state.lost, 1, memory_order_relaxed);
  return 0;
}

static uint64_t object_of_class(uint32_t id, unsigned port)
{
  return id != 0 && id != NO_ROOM ? (uint64_t)id << 32 | port : lose();
}

/* A pair that has no number yet gets its name's number. */
static uint32_t io_names_add(struct pair_table *table, uint64_t first, uint64_t second, const char *name)
{
  pthread_mutex_lock(&io_names_state.lock);
  uint32_t id = pair_table_find(table, first, second);
  bool room = table->used + 1 < table->size / 4 * 3;
  if (!id && room) {
    id = class_id_of_name(name);
    id = id ? id : NO_ROOM;
    pair_table_add(table, first, second, id);
  }
  pthread_mutex_unlock(&io_names_state.lock);
  return id;
}

static uint64_t hash_of(const char *text, uint64_t hash, uint64_t factor)
{
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * factor;
  return hash ^ hash >> 29;
}

/* Valid UTF-8 with bytes below 0x20 as they are: the process file escapes them, and so does who shows them. */
static uint64_t name_text(const char *kind, const char *name)
{
  char text[TEXT_SIZE];
  snprintf(text, sizeof text, "%s%s", kind, name);
  name_to_utf8(text);
  if (!io_names_state.texts.entries)
    return lose();
  uint64_t first = hash_of(text, 14695981039346656037ull, 1099511628211ull);
  uint64_t second = hash_of(text, mix(1), 0xd6e8feb86659fd93ull);
  uint32_t id = pair_table_find(&io_names_state.texts, first, second);
  return object_of_class(id ? id : io_names_add(&io_names_state.texts, first, second, text), 0);
}

uint64_t io_name_host(const char *name)
{
  return name_text(RAW_HOST, name);
}

static uint64_t name_unix(const struct sockaddr_un *address, unsigned size)
{
  char path[sizeof address->sun_path + 2] = "(unnamed)";
  size_t length = size > offsetof(struct sockaddr_un, sun_path) ? size - offsetof(struct sockaddr_un, sun_path) : 0;
  if (length > sizeof address->sun_path)
    length = sizeof address->sun_path;
  if (length > 0) {
    memcpy(path, address->sun_path, length);
    path[length] = 0;
    if (path[0] == 0) /* an abstract one, as ss(8) shows them */
      path[0] = '@';
  }
  return name_text(RAW_SOCKET, path);
}

static uint64_t name_ip(uint64_t first, uint64_t second, int family, const void *bytes, uint32_t scope, unsigned port)
{
  char text[INET6_ADDRSTRLEN], name[TEXT_SIZE];
  if (!io_names_state.texts.entries)
    return lose();
  uint32_t id = pair_table_find(&io_names_state.addresses, first, second);
  if (!id && inet_ntop(family, bytes, text, sizeof text)) {
    if (family == AF_INET)
      snprintf(name, sizeof name, "%s%s", RAW_SOCKET, text);
    else if (scope == 0)
      snprintf(name, sizeof name, "%s[%s]", RAW_SOCKET, text);
    else
      snprintf(name, sizeof name, "%s[%s%%%u]", RAW_SOCKET, text, (unsigned)scope);
    id = io_names_add(&io_names_state.addresses, first, second, name);
  }
  return object_of_class(id, port);
}

uint64_t io_name_address(const struct sockaddr *address, unsigned size)
{
  if (address->sa_family == AF_INET) {
    const struct sockaddr_in *in = (const void *)address;
    return name_ip(0, (uint64_t)0xffff << 32 | in->sin_addr.s_addr, AF_INET, &in->sin_addr, 0, ntohs(in->sin_port));
  }
  if (address->sa_family == AF_INET6) {
    const struct sockaddr_in6 *in = (const void *)address;
    uint64_t words[2];
    uint32_t last;
    memcpy(words, &in->sin6_addr, sizeof words);
    memcpy(&last, in->sin6_addr.s6_addr + 12, sizeof last);
    if (IN6_IS_ADDR_V4MAPPED(&in->sin6_addr)) /* Java's sockets are IPv6's also where the address is not */
      return name_ip(0, (uint64_t)0xffff << 32 | last, AF_INET, &last, 0, ntohs(in->sin6_port));
    /* Only addresses that begin with fe80 have a scope, and they have no more bytes up to the 8th. */
    uint64_t scope = (uint64_t)in->sin6_scope_id << 32;
    return name_ip(words[0] ^ scope, words[1], AF_INET6, &in->sin6_addr, in->sin6_scope_id, ntohs(in->sin6_port));
  }
  return address->sa_family == AF_UNIX ? name_unix((const void *)address, size) : lose();
}

static uint64_t name_path(int descriptor)
{
  char link[64], path[TEXT_SIZE];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0)
    return lose();
  path[length] = 0;
  return name_text(RAW_FILE, path);
}

/* -1: there is no such socket. */
static int option_of(int descriptor, int option)
{
  int value;
  socklen_t size = sizeof value;
  return getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

enum io_what io_name_descriptor(int descriptor, uint64_t *object)
{
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  if (getpeername(descriptor, (void *)&address, &size) == 0) {
    *object = io_name_address((const void *)&address, size);
    return IO_CONNECTED;
  }
  if (errno == ENOTSOCK) {
    *object = name_path(descriptor);
    return IO_FILE;
  }
  bool listens = option_of(descriptor, SO_ACCEPTCONN) == 1;
  size = sizeof address;
  if (!listens && option_of(descriptor, SO_TYPE) != SOCK_DGRAM) /* not connected yet, or no more */
    *object = 0;
  else if (getsockname(descriptor, (void *)&address, &size) == 0)
    *object = io_name_address((const void *)&address, size);
  else
    *object = lose();
  return listens ? IO_LISTENING : IO_ALONE;
}

void io_names_count_lost(void)
{
  (void)lose();
}

void io_names_end(void)
{
  char number[32];
  uint64_t lost = atomic_exchange(&io_names_state.lost, 0);
  if (lost == 0)
    return;
  snprintf(number, sizeof number, "%llu", (unsigned long long)lost);
  diag_say(number,
           " waits for input and output have no address or path: too many different ones, or the "
           "socket was closed before its address was read",
           NULL);
}
