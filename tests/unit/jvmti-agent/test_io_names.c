/* What input and output is about: sockets by their other side and their port, files by their path. There are no more
 * names than there is room for. */
#include "jvmti-agent/io_names.h"
#include "tests/unit/unit.h"

#include "common/process/diag.h"
#include "jvmti-agent/core/class_ids.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The agent's classes: each name is asked for once. */
enum { MOST = 100000 };
static char *classes[MOST];
static uint32_t count;
static char said[256];

uint32_t class_id_of_name(const char *name)
{
  for (uint32_t i = 0; i < count && count < 100; i++)
    assert_string_not_equal(classes[i], name);
  assert_true(count < MOST);
  classes[count] = strdup(name);
  return ++count;
}

void diag_say(const char *part, ...)
{
  snprintf(said, sizeof said, "%s", part);
}

static void expect(uint64_t object, const char *name, unsigned port)
{
  assert_in_range(object >> 32, 1, count);
  assert_string_equal(classes[(object >> 32) - 1], name);
  assert_int_equal(object & UINT32_MAX, port);
}

static uint64_t object_of(int descriptor, enum io_what what)
{
  uint64_t object = 99;
  assert_int_equal(io_name_descriptor(descriptor, &object), what);
  return object;
}

static void sockets_have_addresses_and_ports(void **state)
{
  (void)state;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
  assert_int_equal(bind(server, (void *)&address, size), 0);
  assert_int_equal(object_of(server, IO_ALONE), 0);
  assert_int_equal(listen(server, 1), 0);
  assert_int_equal(getsockname(server, (void *)&address, &size), 0);
  expect(object_of(server, IO_LISTENING), "socket 127.0.0.1", ntohs(address.sin_port));
  assert_int_equal(connect(client, (void *)&address, size), 0);
  expect(object_of(client, IO_CONNECTED), "socket 127.0.0.1", ntohs(address.sin_port));
  int datagrams = socket(AF_INET, SOCK_DGRAM, 0);
  expect(object_of(datagrams, IO_ALONE), "socket 0.0.0.0", 0);
  close(server), close(client), close(datagrams);
}

static void addresses_of_six_words(void **state)
{
  (void)state;
  struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(80)};
  assert_int_equal(inet_pton(AF_INET6, "::ffff:10.0.0.7", &address.sin6_addr), 1);
  expect(io_name_address((void *)&address, sizeof address), "socket 10.0.0.7", 80);
  assert_int_equal(inet_pton(AF_INET6, "fe80::1", &address.sin6_addr), 1);
  address.sin6_scope_id = 2;
  expect(io_name_address((void *)&address, sizeof address), "socket [fe80::1%2]", 80);
  address.sin6_scope_id = 3;
  expect(io_name_address((void *)&address, sizeof address), "socket [fe80::1%3]", 80);
  address.sin6_port = htons(81);
  expect(io_name_address((void *)&address, sizeof address), "socket [fe80::1%3]", 81);
}

static void sockets_of_the_machine(void **state)
{
  (void)state;
  int pair[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  expect(object_of(pair[0], IO_CONNECTED), "socket (unnamed)", 0);
  close(pair[0]), close(pair[1]);
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/run/x.sock"};
  expect(io_name_address((void *)&address, offsetof(struct sockaddr_un, sun_path) + 12), "socket /run/x.sock", 0);
  address.sun_path[0] = 0;
  expect(io_name_address((void *)&address, offsetof(struct sockaddr_un, sun_path) + 11), "socket @run/x.sock", 0);
  memset(address.sun_path, 'x', sizeof address.sun_path); /* as long as can be, and without a zero */
  assert_int_not_equal(io_name_address((void *)&address, sizeof address), 0);
}

static void files_have_paths(void **state)
{
  (void)state;
  char path[] = "/tmp/heddle-io-XXXXXX", name[64];
  int file = mkstemp(path);
  snprintf(name, sizeof name, "file %s", path);
  expect(object_of(file, IO_FILE), name, 0);
  assert_int_equal(object_of(file, IO_FILE), object_of(file, IO_FILE));
  unlink(path);
  close(file);
  expect(io_name_host("a\xff.example.org"), "host a?.example.org", 0);
}

static void names_beyond_the_room_are_counted(void **state)
{
  (void)state;
  io_names_end(); /* those before */
  said[0] = 0;
  io_names_end();
  assert_string_equal(said, "");
  uint64_t named = 0, all = 20000;
  for (uint64_t i = 0; i < all; i++) {
    char name[32];
    snprintf(name, sizeof name, "h%llu", (unsigned long long)i);
    named += io_name_host(name) != 0;
  }
  assert_in_range(named, 12000, 12288);
  assert_int_not_equal(io_name_host("h0"), 0);
  io_names_end();
  assert_int_equal(strtoull(said, NULL, 10), all - named);
}

UNIT_TEST(io_names)
{
  io_names_open();
  const struct CMUnitTest tests[] = {cmocka_unit_test(sockets_have_addresses_and_ports),
                                     cmocka_unit_test(addresses_of_six_words), cmocka_unit_test(sockets_of_the_machine),
                                     cmocka_unit_test(files_have_paths),
                                     cmocka_unit_test(names_beyond_the_room_are_counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
