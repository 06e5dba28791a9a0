/* Records of stacks: where a copy ends, what it has in common with the one before, and which waits get one. */
#include "tests/unit/common/recorded_child.h"

#include "common/recorder/clock_choice.h"
#include "common/recorder/recorder.h"
#include "common/recorder/stack_record.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE  4096u
#define PAGES 4u /* of memory that is full of different words; then comes one that nobody may read */

static uint64_t *memory;

static void make_memory(void)
{
  memory = mmap(NULL, (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect((char *)memory + PAGES * PAGE, PAGE, PROT_NONE) != 0)
    _exit(9);
  for (size_t i = 0; i < PAGES * PAGE / sizeof *memory; i++)
    memory[i] = i * 0x9e3779b97f4a7c15u + 1;
}

static void begin(void)
{
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  recorder_thread_begin(1);
  make_memory();
}

static void put(size_t offset)
{
  struct stack_record stack = {.kind = RAW_STACK_WAIT, .from = 1, .to = 2, .period = 3};
  stack.at = (struct stack_registers){.bx = 4, .bp = 5, .sp = (uintptr_t)memory + offset, .ip = 6, .r15 = 7};
  errno = 4711;
  if (!stack_record_put(&stack) || errno != 4711)
    _exit(8);
}

/* What the reader finds of a record. */
struct stack_found {
  uint64_t time, rest, bytes, sp, words[RAW_STACK_MOST / 8];
};

static unsigned read_stacks(struct stack_found *found, unsigned most)
{
  struct raw_dir dir;
  struct raw_iter iter;
  static uint64_t buffer[RAW_ITER_WORDS];
  struct raw_mark start = {0};
  unsigned count = 0;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  raw_iter_start(&iter, &dir.logs[0], &start, UINT64_MAX, buffer);
  for (const uint64_t *record; (record = raw_iter_next(&iter));) {
    if (raw_kind_of(*record) != RAW_STACK)
      continue;
    assert_true(count < most);
    struct stack_found *one = &found[count++];
    *one =
        (struct stack_found){.time = record[1], .rest = record[RAW_STACK_REST], .sp = record[RAW_STACK_REGISTERS + 2]};
    one->bytes = raw_value_of(*record) >> RAW_STACK_BYTES_AT;
    assert_int_equal(raw_value_of(*record) & 0xff, RAW_STACK_WAIT);
    assert_true(RAW_STACK_COPY + one->bytes / 8 <= raw_record_words(*record));
    assert_int_equal(one->bytes % 8, 0);
    memcpy(one->words, &record[RAW_STACK_COPY], one->bytes);
  }
  raw_dir_close(&dir);
  return count;
}

/* The words that make_memory has put at an offset. */
static void assert_words(const struct stack_found *found, size_t offset)
{
  for (size_t i = 0; i < found->bytes / 8; i++)
    assert_int_equal(found->words[i], (offset / 8 + i) * 0x9e3779b97f4a7c15u + 1);
}

static const size_t near_the_end[] = {PAGE, 2 * PAGE - 200, 3 * PAGE + 8, PAGES *PAGE - 200, PAGES *PAGE - 8};
#define ENDS (sizeof near_the_end / sizeof *near_the_end)

static void record_ends(void)
{
  begin();
  for (size_t i = 0; i < ENDS; i++) {
    put(near_the_end[i]);
    recorder_flush();
  }
}

static void expect_ends(void (*record)(void))
{
  struct stack_found found[ENDS];
  in_good_child(record);
  assert_int_equal(read_stacks(found, ENDS), ENDS);
  for (size_t i = 0; i < ENDS; i++) {
    size_t rest = PAGES * PAGE - near_the_end[i];
    assert_int_equal(found[i].bytes, rest < RAW_STACK_MOST ? rest : RAW_STACK_MOST);
    assert_words(&found[i], near_the_end[i]);
  }
}

static void a_copy_ends_where_memory_does(void **state)
{
  (void)state;
  expect_ends(record_ends);
}

/* A sandbox: the kernel does not copy. */
static void record_without_the_kernel(void)
{
  begin();
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    _exit(7);
  record_ends();
}

static void without_the_kernel_a_copy_is_the_same(void **state)
{
  (void)state;
  expect_ends(record_without_the_kernel);
}

static void record_repeated(void)
{
  begin();
  put(1000 * 8);
  memory[1010] = 1;
  put(1000 * 8); /* 0: all but the first eleven words again */
  put(990 * 8);  /* ten words more, further down */
  put(1016 * 8); /* up to nowhere near the end of the first one: it reaches further up */
  recorder_flush();
  put(1000 * 8); /* another chunk */
}

static void a_copy_goes_on_in_one_before_it(void **state)
{
  (void)state;
  struct stack_found found[5];
  in_good_child(record_repeated);
  assert_int_equal(read_stacks(found, 5), 5);
  assert_int_equal(found[0].bytes, RAW_STACK_MOST);
  assert_int_equal(found[0].rest, 0);
  assert_int_equal(found[1].bytes, 11 * 8);
  assert_int_equal(found[1].rest, found[0].time);
  assert_int_equal(found[2].bytes, 21 * 8);
  assert_int_equal(found[2].rest, found[0].time);
  assert_int_equal(found[3].bytes, RAW_STACK_MOST);
  assert_int_equal(found[3].rest, 0);
  assert_int_equal(found[4].bytes, RAW_STACK_MOST);
  assert_int_equal(found[4].rest, 0);
}

static void wait_for(long ms)
{
  struct timespec rest = {.tv_nsec = ms * 1000000};
  uint64_t before;
  recorder_emit(RAW_WAIT_BEGIN, 3, 0);
  nanosleep(&rest, NULL);
  before = wait_stacks_before();
  recorder_emit(RAW_WAIT_END, 3, 0);
  wait_stacks_after(before);
}

static void record_waits(void)
{
  begin();
  clock_choose();
  wait_for(20); /* nobody wants to know */
  wait_stacks_begin(1000000000);
  wait_for(20); /* not for so long */
  wait_stacks_begin(10000000);
  wait_for(20);
  wait_for(20);
  recording_pause();
  wait_for(20); /* it is not measured */
  recording_resume();
  recorder_flush();
}

static void long_waits_get_one(void **state)
{
  (void)state;
  struct stack_found found[2];
  in_good_child(record_waits);
  assert_int_equal(read_stacks(found, 2), 2);
  assert_int_equal(read_only_thread().gap_events, 2); /* the two records of the wait that was not measured */
}

UNIT_TEST(stack_record)
{
  const struct CMUnitTest tests[] = {
      TEST(a_copy_ends_where_memory_does),
      TEST(without_the_kernel_a_copy_is_the_same),
      TEST(a_copy_goes_on_in_one_before_it),
      TEST(long_waits_get_one),
  };
  return cmocka_run_group_tests_name("stack_record", tests, NULL, NULL);
}
