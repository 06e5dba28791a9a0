/* Handling of answers over the attach protocol: a JVM's, damaged ones, and none. Who answers is a thread. */
#include "analyzer/record/jvm/talk.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct peer {
  int fd;
  const char *answer;
  size_t size;
  bool endless, slow, closes;
};

/* As a JVM does: the version, the command and three arguments. */
static void take_request(int fd)
{
  char byte;
  for (int parts = 0; parts < 5 && recv(fd, &byte, 1, 0) == 1;)
    parts += byte == 0;
}

/* Gives the answer, again and again if it is endless, a byte at a time if it is slow; to somebody who may go away. */
static void *play(void *of)
{
  struct peer *peer = of;
  bool there = true;
  take_request(peer->fd);
  do
    for (size_t at = 0; there && at < peer->size;) {
      size_t n = peer->slow ? 1 : peer->size - at;
      there = send(peer->fd, peer->answer + at, n, MSG_NOSIGNAL) == (ssize_t)n;
      at += n;
      if (peer->slow)
        usleep(1000);
    }
  while (there && peer->endless);
  if (peer->closes)
    close(peer->fd);
  return NULL;
}

static bool ask(struct peer peer, double seconds, char message[JVM_ATTACH_MESSAGE])
{
  int fds[2];
  pthread_t thread;
  memset(message, 0, JVM_ATTACH_MESSAGE);
  assert_return_code(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  peer.fd = fds[1];
  assert_int_equal(pthread_create(&thread, NULL, play, &peer), 0);
  bool good = jvm_talk_load(fds[0], 17, "/agent.so", "dir=/x", jvm_talk_clock() + seconds, message);
  close(fds[0]);
  pthread_join(thread, NULL);
  if (!peer.closes)
    close(fds[1]);
  return good;
}

static void an_answer_is_understood(void **state)
{
  (void)state;
  static const struct {
    const char *answer, *said; /* NULL: it is good */
  } cases[] = {
      {"0\nreturn code: 0\n", NULL},
      {"0\nreturn code: 0", NULL},
      {"0\nreturn code: 0\nmore\n", NULL},
      {"0\nreturn code: 101\n", "the agent refused in the JVM 17: it is not being recorded"},
      {"0\nreturn code: 102\n", "is being recorded already"},
      {"0\nreturn code: 103\n", "HEDDLE=off"},
      {"0\nreturn code: -1\n", "its standard error says why"},
      {"0\nreturn code: 99999999999999999999\n", "its standard error says why"},
      {"0\n/agent.so was not loaded.\n", "cannot load the agent: /agent.so was not loaded."},
      {"100\nno such command\n", "cannot load the agent: no such command"},
      {"0\nreturn code: 0x\n", "cannot load the agent"},
      {"0", "broke off its answer"},
      {"0\n", "broke off its answer"},
      {"", "did not answer"},
      {"\n", "does not answer like a JVM"},
      {"zero\nreturn code: 0\n", "does not answer like a JVM: zero"},
      {"HTTP/1.1 400 Bad Request\r\n\r\n", "does not answer like a JVM"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int slow = 0; slow < 2; slow++) {
      char message[JVM_ATTACH_MESSAGE];
      struct peer peer = {.answer = cases[i].answer, .size = strlen(cases[i].answer), .slow = slow, .closes = true};
      bool good = ask(peer, 60, message);
      assert_int_equal(good, cases[i].said == NULL);
      if (cases[i].said && !strstr(message, cases[i].said))
        fail_msg("%s: %s", cases[i].answer, message);
    }
}

/* Nothing, one byte after the other, or as much as there is place for: it ends, in time. */
static void whoever_does_not_end_is_not_waited_for(void **state)
{
  (void)state;
  static const struct peer peers[] = {{.answer = "", .size = 0},
                                      {.answer = "0", .size = 1, .slow = true, .endless = true},
                                      {.answer = "0", .size = 1},
                                      {.answer = "0\nreturn", .size = 8}};
  for (size_t i = 0; i < sizeof peers / sizeof *peers; i++) {
    char message[JVM_ATTACH_MESSAGE];
    assert_false(ask(peers[i], 0.2, message));
    assert_non_null(strstr(message, "17 does not answer"));
  }
}

static void an_endless_answer_is_not_read_to_its_end(void **state)
{
  (void)state;
  char message[JVM_ATTACH_MESSAGE], zeros[512] = {0};
  static const char text[] = "x0123456789";
  assert_false(ask((struct peer){.answer = text, .size = sizeof text - 1, .endless = true}, 60, message));
  assert_non_null(strstr(message, "does not answer like a JVM: x0123456789x"));
  assert_false(ask((struct peer){.answer = zeros, .size = sizeof zeros, .endless = true}, 60, message));
  assert_non_null(strstr(message, "does not answer like a JVM"));
}

/* A request that is larger than what the socket takes, and nobody who reads it. */
static void a_request_that_nobody_takes_ends(void **state)
{
  (void)state;
  int fds[2];
  char message[JVM_ATTACH_MESSAGE], *options = malloc(8 << 20);
  assert_non_null(options);
  memset(options, 'x', (8 << 20) - 1);
  options[(8 << 20) - 1] = 0;
  assert_return_code(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  assert_false(jvm_talk_load(fds[0], 17, "/agent.so", options, jvm_talk_clock() + 0.2, message));
  assert_non_null(strstr(message, "does not accept the request"));
  close(fds[0]);
  close(fds[1]);
  free(options);
}

UNIT_TEST(jvm_talk)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_answer_is_understood),
      cmocka_unit_test(whoever_does_not_end_is_not_waited_for),
      cmocka_unit_test(an_endless_answer_is_not_read_to_its_end),
      cmocka_unit_test(a_request_that_nobody_takes_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
