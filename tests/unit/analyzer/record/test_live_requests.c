/* What a process that is sampled beside is asked for. */
#include "analyzer/record/launch/live_request.h"
#include "tests/unit/unit.h"

#include "common/raw/live_control.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
  char trace[64], raw[80], directory[96], kernel[80], control[128], log[128];
};

static void write_file(const char *path, const void *bytes, size_t size)
{
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, bytes, size), size);
  close(fd);
}

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);
  snprintf(f->trace, sizeof f->trace, "/tmp/heddle-live-requests-XXXXXX");
  assert_non_null(mkdtemp(f->trace));
  snprintf(f->raw, sizeof f->raw, "%s/raw", f->trace);
  snprintf(f->directory, sizeof f->directory, "%s/h.1.1", f->raw);
  snprintf(f->kernel, sizeof f->kernel, "%s/kernel", f->trace);
  snprintf(f->control, sizeof f->control, "%s/" LIVE_CONTROL_FILE, f->directory);
  snprintf(f->log, sizeof f->log, "%s/h.9.log", f->kernel);
  assert_int_equal(mkdir(f->raw, 0700) | mkdir(f->directory, 0700) | mkdir(f->kernel, 0700), 0);
  write_file(f->log, "", 0);
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;
  unlink(f->log);
  unlink(f->control);
  rmdir(f->kernel);
  rmdir(f->directory);
  rmdir(f->raw);
  int error = rmdir(f->trace);
  free(f);
  return error;
}

/* What is asked of a process with such an offer, which has answered already. */
static uint32_t asked_of(struct fixture *f, uint32_t offers)
{
  static union {
    struct live_control control;
    char bytes[LIVE_CONTROL_SIZE];
  } page;
  page.control = (struct live_control){.magic = LIVE_CONTROL_MAGIC,
                                       .version = LIVE_CONTROL_VERSION,
                                       .live = 1,
                                       .answer = 1u << LIVE_NUMBER_AT,
                                       .offers = offers};
  write_file(f->control, &page, sizeof page);
  struct live_process process = {.pid = getpid(), .directory = f->directory};
  struct live_requests requests;
  struct error error;
  assert_true(live_requests_open(&requests, &process, &error));
  assert_true(live_requests_observe(&requests, LIVE_NEED_SAMPLES | LIVE_NEED_SYNC, &error));
  uint32_t needs = (uint32_t)requests.control->observers[requests.slot].needs;
  live_requests_close(&requests);
  return needs;
}

/* Below a script that is sampled there may be a JVM, which samples Java code itself. */
static void samples_are_asked_of_who_offers_them(void **state)
{
  struct fixture *f = *state;
  assert_int_equal(asked_of(f, 0), LIVE_NEED_SYNC);
  assert_int_equal(asked_of(f, LIVE_NEED_SAMPLES), LIVE_NEED_SAMPLES | LIVE_NEED_SYNC);
}

UNIT_TEST(live_requests)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(samples_are_asked_of_who_offers_them, set_up, tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
