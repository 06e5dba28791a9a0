/* Objects of blocked calls: from descriptors of this process, and from lines as the kernel writes them. */
#include "analyzer/record/launch/blocked_calls.h"
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *on(uint32_t call, uint64_t argument)
{
  static char text[BLOCKED_ON_SIZE];
  return blocked_on((uint32_t)getpid(), call, argument, text) ? text : NULL;
}

static void a_file_has_its_path(void **state)
{
  (void)state;
  FILE *file = fopen("/proc/self/exe", "r");
  char path[BLOCKED_ON_SIZE] = "";
  assert_true(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
  assert_string_equal(on(SYS_read, (uint64_t)fileno(file)), path);
  fclose(file);
}

static void a_pipe_is_a_pipe(void **state)
{
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_string_equal(on(SYS_write, (uint64_t)ends[1]), "pipe");
  close(ends[0]);
  close(ends[1]);
  assert_null(on(SYS_read, (uint64_t)ends[0]));
}

static void a_socket_has_its_peer(void **state)
{
  (void)state;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  char expected[64];
  int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0), pair[2];
  assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
  assert_int_equal(listen(listener, 1), 0);
  assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
  assert_int_equal(connect(client, (struct sockaddr *)&address, size), 0);
  snprintf(expected, sizeof expected, "TCP 127.0.0.1:%u", ntohs(address.sin_port));
  assert_string_equal(on(SYS_recvfrom, (uint64_t)client), expected);
  assert_string_equal(on(SYS_accept, (uint64_t)listener), expected);
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  assert_string_equal(on(SYS_read, (uint64_t)pair[0]), "UNIX socket");
  close(pair[0]);
  close(pair[1]);
  close(client);
  close(listener);
}

static void other_calls_have_none_but_a_futex(void **state)
{
  (void)state;
  assert_null(on(SYS_clock_nanosleep, 0));
  assert_null(on(SYS_read, UINT64_MAX));
  assert_string_equal(on(SYS_futex, 0x7f00abcd), "0x7f00abcd");
}

static const char *of_line(const char *protocol, const char *line)
{
  static char text[128];
  return socket_name_of_line(line, protocol, 4711, text, sizeof text) ? text : NULL;
}

/* A process that waits for a futex, or else for a pipe. */
static pid_t waiting(bool futex, int pipe_end)
{
  pid_t child = fork();
  int word = 0;
  char byte;
  if (child != 0)
    return child;
  alarm(20);
  _exit(futex ? (int)syscall(SYS_futex, &word, 0, 0, NULL, NULL, 0) : (int)read(pipe_end, &byte, 1));
}

/* The caller's process may not be looked at everywhere. */
static bool is_seen(pid_t child, bool futex, struct kernel_registers *registers, void *stack, size_t *size)
{
  bool seen = false, is_futex;
  for (int i = 0; i < 200 && !seen; i++) {
    usleep(10000);
    *size = 1024;
    seen = blocked_calls_look((uint64_t)child << 32 | (uint32_t)child, registers, stack, size, &is_futex) &&
           is_futex == futex;
  }
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  return seen;
}

static void a_wait_has_its_stack(void **state)
{
  (void)state;
  struct kernel_registers registers;
  uint64_t stack[128], here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  size_t size;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  for (int futex = 0; futex < 2; futex++) {
    if (!is_seen(waiting(futex, ends[0]), futex, &registers, stack, &size))
      continue;
    assert_true(size > 0 && size <= sizeof stack && size % 8 == 0);
    assert_true(registers.ip != 0 && registers.sp < here && here - registers.sp < 1 << 16);
  }
  close(ends[0]);
  close(ends[1]);
}

static void lines_of_the_kernel_are_read(void **state)
{
  (void)state;
  assert_string_equal(
      of_line("UDP", "  99: 0100007F:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000 0 0 4711 2"),
      "UDP 127.0.0.1:53");
  assert_string_equal(of_line("TCP", "   0: 00000000000000000000000001000000:1F90 "
                                     "00000000000000000000000001000000:C350 01 0:0 00:0 0 0 0 4711 1"),
                      "TCP [::1]:50000");
  assert_string_equal(of_line("UNIX", "0000000000000000: 00000003 00000000 00000000 0001 03 4711 /run/a b\n"),
                      "UNIX socket /run/a b");
  assert_null(of_line("TCP", "   0: 0100007F:0035 00000000:0000 07 0:0 00:0 0 0 0 4712 1"));
  assert_null(of_line("TCP", "   0: 01007F:0035 0000:0000 07 0:0 00:0 0 0 0 4711 1"));
  assert_null(of_line("TCP", "  sl  local_address rem_address   st"));
  assert_null(of_line("UNIX", "Num       RefCount Protocol Flags    Type St Inode Path\n"));
}

UNIT_TEST(blocked_on)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_has_its_path),          cmocka_unit_test(a_pipe_is_a_pipe),
      cmocka_unit_test(a_socket_has_its_peer),        cmocka_unit_test(other_calls_have_none_but_a_futex),
      cmocka_unit_test(lines_of_the_kernel_are_read), cmocka_unit_test(a_wait_has_its_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
