/* Loops of machine code that wait for another thread, and loops that work. */
#include "otf2-convert/symbols/spin_loop.h"
#include "tests/unit/unit.h"

#include <string.h>

/* Compiled by gcc 12 and clang 19; `at` is an instruction of the loop. */
struct loop {
  const char *what;
  bool waits;
  size_t at, count;
  const char *bytes;
};

static const struct loop loops[] = {
    {"while (test_and_set(&f));", true, 2, 13, "\x89\xd0\x86\x05\0\0\0\0\x84\xc0\x75\xf4\xc3"},
    {"... its last instruction", true, 10, 13, "\x89\xd0\x86\x05\0\0\0\0\x84\xc0\x75\xf4\xc3"},
    {"... and what follows it", false, 12, 13, "\x89\xd0\x86\x05\0\0\0\0\x84\xc0\x75\xf4\xc3"},
    {"while (w) pause();", true, 2, 13, "\xf3\x90\x8b\x05\0\0\0\0\x85\xc0\x75\xf4\xc3"},
    {"while (load(&a));", true, 6, 11, "\x8b\x05\0\0\0\0\x85\xc0\x75\xf6\xc3"},
    {"while (!compare_exchange(&a, &e, x));", true, 10, 13, "\x89\xd0\xf0\x0f\xb1\x3d\0\0\0\0\x75\xf4\xc3"},
    {"for (...) fetch_add(&a, i);", false, 0, 15, "\xf0\x01\x05\0\0\0\0\x83\xc0\x01\x39\xc7\x75\xf2\xc3"},
    {"for (...) w = fetch_add(&a, i);", false, 2, 24,
     "\x89\xc2\xf0\x0f\xc1\x15\0\0\0\0\x89\x15\0\0\0\0\x83\xc0\x01\x39\xc7\x75\xe9\xc3"},
    {"for (...) x[i] = exchange(&a, i);", false, 2, 21,
     "\x89\xc2\x87\x15\0\0\0\0\x89\x14\x87\x48\x83\xc0\x01\x48\x39\xf0\x75\xec\xc3"},
    {"for (...) s += x[i];", false, 0, 12, "\x03\x10\x48\x83\xc0\x04\x48\x39\xc8\x75\xf5\xc3"},
    {"while (x) x = x->next;", false, 0, 9, "\x48\x8b\x3f\x48\x85\xff\x75\xf8\xc3"},
    {"while (s[n]) n++;", false, 4, 11, "\x48\x83\xc0\x01\x80\x3c\x07\x00\x75\xf6\xc3"},
    {"while (w) g();", false, 5, 16, "\xe8\0\0\0\0\x8b\x05\0\0\0\0\x85\xc0\x75\xf1\xc3"},
    {"for (...) s += x[i] * 2;", false, 0, 22,
     "\xf2\x0f\x10\x00\xf2\x0f\x58\xc0\xf2\x0f\x58\xc8\x48\x83\xc0\x08\x48\x39\xd0\x75\xeb\xc3"},
};

static void loops_that_wait_are_known(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
    uint8_t bytes[64];
    memset(bytes, 0xcc, sizeof bytes);
    memcpy(bytes + 8, loops[i].bytes, loops[i].count);
    if (spin_loop_has(bytes, sizeof bytes, loops[i].at + 8) != loops[i].waits)
      fail_msg("%s: %s", loops[i].what, loops[i].waits ? "waits" : "does not wait");
  }
}

/* A timer stops a thread behind the instruction that took long. */
static void atomic_instructions_are_known(void **state)
{
  (void)state;
  static const uint8_t add[] = {0x90, 0x90, 0xf0, 0x01, 0x05, 0,    0,    0,    0,
                                0x83, 0xc0, 0x01, 0x39, 0xc7, 0x75, 0xf2, 0xc3, 0xcc};
  static const uint8_t exchange[] = {0x90, 0x87, 0x15, 0,    0,    0,    0,    0x89,
                                     0x14, 0x87, 0xc3, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc};
  static const uint8_t plain[] = {0x90, 0x01, 0x05, 0, 0, 0, 0, 0x83, 0xc0, 0x01, 0xc3, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc};
  assert_true(spin_loop_is_atomic(add, sizeof add, 2));
  assert_true(spin_loop_is_atomic(add, sizeof add, 9));
  assert_false(spin_loop_is_atomic(add, sizeof add, 12));
  assert_true(spin_loop_is_atomic(exchange, sizeof exchange, 7));
  assert_false(spin_loop_is_atomic(exchange, sizeof exchange, 10));
  assert_false(spin_loop_is_atomic(plain, sizeof plain, 7));
}

/* Nothing is read outside of the bytes; the sanitizers watch. */
static void any_bytes_will_do(void **state)
{
  (void)state;
  uint64_t seed = 1;
  for (unsigned run = 0; run < 20000; run++) {
    uint8_t bytes[48];
    size_t count = run % (sizeof bytes + 1);
    for (size_t i = 0; i < sizeof bytes; i++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      bytes[i] = (uint8_t)(seed >> 56);
    }
    for (size_t at = 0; at <= count; at++)
      (void)(spin_loop_has(bytes, count, at) + spin_loop_is_atomic(bytes, count, at));
  }
}

UNIT_TEST(spin_loop)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_that_wait_are_known),
      cmocka_unit_test(atomic_instructions_are_known),
      cmocka_unit_test(any_bytes_will_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
