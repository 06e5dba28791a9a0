/* Where return addresses are kept (calls-layer/shadow.h), and that hooks keep vector registers. */
#include "calls-layer/keep_registers.h"
#include "calls-layer/shadow.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK ((uintptr_t)1 << SHADOW_BLOCK_BITS)

static uintptr_t *place_of(uintptr_t at)
{
  char *block = shadow_block(at);
  assert_non_null(block);
  assert_ptr_equal(shadow_known(at), block);
  return shadow_place(block, at);
}

static void places_are_distinct_and_stay(void **state)
{
  (void)state;
  uintptr_t stacks[] = {0x10000, 0x7ffffff00000, 0x7f1234560000, 0x7f1234570000, 0x7f12b4560000, 8 * BLOCK};
  enum { STACKS = sizeof stacks / sizeof *stacks };
  errno = 77;
  for (uintptr_t i = 0; i < STACKS; i++)
    for (uintptr_t at = stacks[i]; at < stacks[i] + 2 * BLOCK; at += 8)
      *place_of(at) = at ^ 0x5a5a;
  for (uintptr_t i = 0; i < STACKS; i++)
    for (uintptr_t at = stacks[i]; at < stacks[i] + 2 * BLOCK; at += 8)
      assert_int_equal(*place_of(at), at ^ 0x5a5a);
  assert_int_equal(errno, 77);
}

static void other_addresses_have_none(void **state)
{
  (void)state;
  assert_null(shadow_known(0x6f0000000000));
  assert_null(shadow_block(0x7f0000000004));
  assert_null(shadow_block((uintptr_t)1 << 47));
  assert_null(shadow_known((uintptr_t)1 << 47));
  assert_null(shadow_block(UINTPTR_MAX & ~(uintptr_t)7));
  assert_non_null(shadow_block(((uintptr_t)1 << 47) - 8));
}

enum { THREADS = 8, BLOCKS = 200 };
static char *found[THREADS][BLOCKS];
static pthread_barrier_t together;

static void *find(void *thread)
{
  pthread_barrier_wait(&together);
  for (uintptr_t i = 0; i < BLOCKS; i++)
    found[(uintptr_t)thread][i] = shadow_block(0x600000000000 + i * BLOCK);
  return NULL;
}

static void threads_agree(void **state)
{
  (void)state;
  pthread_t threads[THREADS];
  pthread_barrier_init(&together, NULL, THREADS);
  for (uintptr_t i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, find, (void *)i), 0);
  for (uintptr_t i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (uintptr_t i = 0; i < BLOCKS; i++)
    for (uintptr_t thread = 0; thread < THREADS; thread++) {
      assert_non_null(found[thread][i]);
      assert_ptr_equal(found[thread][i], found[0][i]);
      assert_true(i == 0 || found[0][i] != found[0][i - 1]);
    }
}

static void a_child_has_them(void **state)
{
  (void)state;
  int status;
  uintptr_t *place = place_of(0x7f4400001230);
  *place = 4711;
  pid_t child = fork();
  if (child == 0) {
    bool same = *place == 4711;
    *place = 1;
    _exit(same ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(*place, 4711);
}

/* All that is in registers which a call may change. */
struct registers {
  unsigned char before[3][32], after[3][32]; /* vectors 0, 7 and 15 */
  double x87_before, x87_after;
  uintptr_t (*function)(uintptr_t a, uintptr_t b);
  uintptr_t result;
};

/* clang-format off */
#define CALL_BETWEEN(move, vector, all)                                                                                \
  __asm__ volatile("mov %%rsp, %%r12\n sub $256, %%rsp\n and $-16, %%rsp\n" /* not into the red zone */                \
                   "fldl %c[x87_before](%%rbx)\n"                                                                      \
                   move " (%%rbx), %%" vector "0\n" move " 32(%%rbx), %%" vector "7\n" move " 64(%%rbx), %%" vector "15\n" \
                   "mov %c[function](%%rbx), %%rdi\n mov $4, %%esi\n mov $2, %%edx\n"                                 \
                   "call keep_registers_call\n"                                                                            \
                   "mov %%rax, %c[result](%%rbx)\n"                                                                    \
                   move " %%" vector "0, 96(%%rbx)\n" move " %%" vector "7, 128(%%rbx)\n" move " %%" vector "15, 160(%%rbx)\n" \
                   "fstpl %c[x87_after](%%rbx)\n"                                                                      \
                   "mov %%r12, %%rsp\n" all                                                                            \
                   :                                                                                                   \
                   : "b"(registers), [x87_before] "i"(offsetof(struct registers, x87_before)),                         \
                     [x87_after] "i"(offsetof(struct registers, x87_after)),                                           \
                     [function] "i"(offsetof(struct registers, function)),                                             \
                     [result] "i"(offsetof(struct registers, result))                                                  \
                   : "memory", "cc", "r12", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0",       \
                     "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",         \
                     "xmm12", "xmm13", "xmm14", "xmm15", "st")
/* clang-format on */

static void call_between(struct registers *registers)
{
  CALL_BETWEEN("movups", "xmm", "");
}

__attribute__((target("avx"))) static void call_between_wide(struct registers *registers)
{
  CALL_BETWEEN("vmovups", "ymm", "vzeroupper\n");
}

static uintptr_t change(uintptr_t a, uintptr_t b)
{
  __asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n pcmpeqd %%xmm7, %%xmm7\n pcmpeqd %%xmm15, %%xmm15\n fldpi\n fstp %%st(0)\n"
                   "fninit"
                   :
                   :
                   : "xmm0", "xmm7", "xmm15", "st");
  return 10 * a + b;
}

__attribute__((target("avx"))) static uintptr_t change_wide(uintptr_t a, uintptr_t b)
{
  __asm__ volatile("vzeroall" : : : "xmm0", "xmm7", "xmm15");
  return change(a, b);
}

static void check(void (*between)(struct registers *), uintptr_t (*function)(uintptr_t, uintptr_t), size_t width)
{
  struct registers registers = {.x87_before = 2.5, .function = function};
  for (size_t i = 0; i < sizeof registers.before; i++)
    registers.before[i / 32][i % 32] = (unsigned char)(7 * i + 1);
  between(&registers);
  for (unsigned i = 0; i < 3; i++)
    assert_memory_equal(registers.after[i], registers.before[i], width);
  assert_true(registers.x87_after == 2.5);
  assert_int_equal(registers.result, 42);
}

static void vector_registers_stay(void **state)
{
  (void)state;
  uint32_t size = keep_registers_size, compact = keep_registers_compact;
  keep_registers_begin();
  uint32_t with_xsave = keep_registers_size, found_compact = keep_registers_compact;
  for (int i = 0; i < 20; i++) {
    check(call_between, change, 16);
    if (with_xsave != 0 && __builtin_cpu_supports("avx"))
      check(call_between_wide, change_wide, 32);
    keep_registers_compact = i % 2 ? found_compact : 0;
  }
  keep_registers_size = 0; /* as without xsave */
  check(call_between, change, 16);
  keep_registers_size = size;
  keep_registers_compact = compact;
}

UNIT_TEST(entries)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(places_are_distinct_and_stay),
                                     cmocka_unit_test(other_addresses_have_none), cmocka_unit_test(threads_agree),
                                     cmocka_unit_test(a_child_has_them), cmocka_unit_test(vector_registers_stay)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
