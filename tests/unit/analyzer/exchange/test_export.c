/* Parts of export/: numbers as text, messages of Protocol Buffers, ticks as nanoseconds. */
#include "analyzer/exchange/export/feed.h"
#include "analyzer/exchange/export/sink.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What a function writes, as a string. */
static void written(void (*write)(struct sink *), char *text, size_t room)
{
  char path[] = "/tmp/heddle-export-XXXXXX";
  struct error error;
  struct sink *sink = calloc(1, sizeof *sink);
  close(mkstemp(path));
  assert_non_null(sink);
  assert_true(sink_open(sink, path, &error));
  write(sink);
  assert_true(sink_close(sink, true, &error));
  FILE *file = fopen(path, "r");
  text[fread(text, 1, room - 1, file)] = '\0';
  fclose(file);
  unlink(path);
  free(sink);
}

static void write_numbers(struct sink *sink)
{
  sink_number(sink, 0);
  sink_char(sink, ' ');
  sink_number(sink, UINT64_MAX);
  sink_char(sink, ' ');
  sink_signed(sink, INT64_MIN);
  sink_char(sink, ' ');
  sink_fraction(sink, 0, 9);
  sink_char(sink, ' ');
  sink_fraction(sink, 1002003, 3);
  sink_char(sink, ' ');
  sink_fraction(sink, UINT64_MAX, 9);
}

static void numbers_are_exact(void **state)
{
  (void)state;
  char text[200];
  written(write_numbers, text, sizeof text);
  assert_string_equal(text, "0 18446744073709551615 -9223372036854775808 0.000000000 1002.003 18446744073.709551615");
}

/* Longer than the sink's room, in parts and at once. */
static void write_much(struct sink *sink)
{
  static char text[SINK_ROOM + 1000];
  memset(text, 'x', sizeof text);
  for (int i = 0; i < 1000; i++)
    sink_bytes(sink, text, 100);
  sink_bytes(sink, text, sizeof text);
  sink_text(sink, "end");
}

static void nothing_is_lost(void **state)
{
  (void)state;
  static char text[4 * SINK_ROOM];
  written(write_much, text, sizeof text);
  size_t length = 100000 + SINK_ROOM + 1000;
  assert_int_equal(strlen(text), length + 3);
  assert_int_equal(strspn(text, "x"), length);
  assert_string_equal(text + length, "end");
}

static void a_failed_write_is_told(void **state)
{
  (void)state;
  struct error error = {""};
  struct sink *sink = calloc(1, sizeof *sink);
  assert_non_null(sink);
  assert_true(sink_open(sink, "/dev/full", &error));
  sink_text(sink, "something");
  assert_false(sink_close(sink, true, &error));
  assert_non_null(strstr(error.message, "No space left"));
  free(sink);
}

static void ticks_are_rounded_down(void **state)
{
  (void)state;
  const uint64_t rates[] = {1, 3, 1000000000, 2599998140, 18446744073, 18446744074, UINT64_MAX};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    struct clock clock = {1000, rates[i]};
    const uint64_t ticks[] = {0, 1, 2, 999, 1000000007, 12345678901};
    for (size_t k = 0; k < sizeof ticks / sizeof *ticks; k++) {
      uint64_t exact = (uint64_t)((unsigned __int128)ticks[k] * 1000000000 / rates[i]);
      assert_int_equal(clock_ns(&clock, 1000 + ticks[k]), exact);
    }
  }
}

static void expect_bytes(struct protobuf *buffer, const char *bytes, size_t length)
{
  assert_false(buffer->failed);
  assert_int_equal(buffer->bytes.count, length);
  assert_memory_equal(buffer->bytes.items, bytes, length);
  protobuf_free(buffer);
}

static void messages_have_the_bytes_of_protobuf(void **state)
{
  (void)state;
  struct protobuf buffer = {0};
  protobuf_number(&buffer, 1, 0);
  protobuf_number(&buffer, 15, 127);
  protobuf_number(&buffer, 16, 128);
  protobuf_number(&buffer, 2, (uint64_t)-1);
  size_t outer = protobuf_open(&buffer, 3);
  protobuf_fixed64(&buffer, 47, 0x0102030405060708);
  protobuf_close(&buffer, protobuf_open(&buffer, 8));
  protobuf_string(&buffer, 4, "text");
  protobuf_close(&buffer, outer);
  static const char bytes[] = "\x08\x00\x78\x7f\x80\x01\x80\x01\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x1a\x12"
                              "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01\x42\x00\x22\x04text";
  expect_bytes(&buffer, bytes, sizeof bytes - 1);
}

/* A message in a message, with a text; its length takes 1 to 3 bytes. */
static void long_messages_have_long_lengths(void **state)
{
  (void)state;
  static char text[20000];
  const size_t lengths[] = {100,   123,   124,   125,   126,   127,   128,
                            16379, 16380, 16381, 16382, 16383, 16384, sizeof text - 1};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    struct protobuf buffer = {0}, wanted = {0};
    memset(text, 'x', lengths[i]);
    text[lengths[i]] = '\0';
    size_t outer = protobuf_open(&buffer, 1), inner = protobuf_open(&buffer, 2);
    protobuf_string(&buffer, 3, text);
    protobuf_close(&buffer, inner);
    protobuf_close(&buffer, outer);
    size_t text_size = lengths[i] + (lengths[i] < 128 ? 2 : lengths[i] < 16384 ? 3 : 4);
    size_t inner_size = text_size + (text_size < 128 ? 2 : text_size < 16384 ? 3 : 4);
    assert_true(protobuf_grow(&wanted, 100));
    protobuf_key(&wanted, 1, PROTOBUF_BYTES);
    protobuf_put(&wanted, inner_size);
    protobuf_key(&wanted, 2, PROTOBUF_BYTES);
    protobuf_put(&wanted, text_size);
    protobuf_string(&wanted, 3, text);
    expect_bytes(&buffer, (const char *)wanted.bytes.items, wanted.bytes.count);
    protobuf_free(&wanted);
  }
}

UNIT_TEST(export)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_exact),
      cmocka_unit_test(nothing_is_lost),
      cmocka_unit_test(a_failed_write_is_told),
      cmocka_unit_test(messages_have_the_bytes_of_protobuf),
      cmocka_unit_test(long_messages_have_long_lengths),
      cmocka_unit_test(ticks_are_rounded_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
