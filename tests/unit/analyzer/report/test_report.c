/* Parts of a report: lanes at all levels of detail against the rule itself, base64, bins, arrows, tasks, the page. */
#include "analyzer/report/elements.h"
#include "analyzer/report/lanes.h"
#include "analyzer/report/location.h"
#include "analyzer/report/page.h"
#include "analyzer/report/teamwork.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define SEGMENTS 20000
#define CODES    20   /* in mixtures */
#define APART    5000 /* so that numbers are long, too */

struct segment {
  uint64_t duration;
  uint32_t code;
  uint8_t shares[CODES]; /* shares of an elided one, by code */
};

static uint64_t next_random(uint64_t *state)
{
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return *state >> 33;
}

static uint64_t take_number(const unsigned char **at)
{
  uint64_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    unsigned char byte = *(*at)++;
    number |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80)
      return number;
  }
}

static size_t inflate_raw(const unsigned char *bytes, size_t size, unsigned char *out, size_t room)
{
  z_stream stream = {
      .next_in = (unsigned char *)bytes, .avail_in = (unsigned)size, .next_out = out, .avail_out = (unsigned)room};
  assert_int_equal(inflateInit2(&stream, -15), Z_OK);
  assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
  inflateEnd(&stream);
  return room - stream.avail_out;
}

static void take_mixture(const unsigned char **at, struct segment *segment)
{
  unsigned left = MIXTURE_WHOLE;
  for (uint64_t parts = take_number(at); parts > 0; parts--) {
    uint64_t code = take_number(at), share = parts > 1 ? take_number(at) : left;
    assert_true(code % APART == 2 && code / APART < CODES && share > 0 && share <= left);
    segment->shares[code / APART] = (uint8_t)share;
    left -= (unsigned)share;
  }
  assert_int_equal(left, 0);
}

/* Reads a level back, and checks what its blocks say of themselves. */
static size_t read_level(const struct spool *spool, const struct block_list *blocks, uint64_t begin, uint64_t end,
                         struct segment *list)
{
  static unsigned char packed[2 * BLOCK_BYTES], bytes[BLOCK_BYTES];
  size_t count = 0;
  for (uint32_t i = 0; i < blocks->count; i++) {
    const struct block *block = &blocks->list[i];
    assert_true(block->begin == begin && block->segments > 0 && block->segments <= BLOCK_SEGMENTS);
    assert_true(spool_read(spool, block->offset, packed, block->bytes));
    const unsigned char *at = bytes, *stop = bytes + inflate_raw(packed, block->bytes, bytes, sizeof bytes);
    uint64_t longest = 0;
    for (uint32_t k = 0; k < block->segments; k++) {
      struct segment *segment = &list[count++];
      *segment = (struct segment){.duration = take_number(&at)};
      segment->code = (uint32_t)take_number(&at);
      if (segment->code == CODE_ELIDED)
        take_mixture(&at, segment);
      begin += segment->duration;
      if (segment->code != CODE_ELIDED && segment->duration > longest)
        longest = segment->duration;
    }
    assert_ptr_equal(at, stop);
    assert_true(block->end == begin);
    assert_true(block->longest == longest);
  }
  assert_true(begin == end);
  return count;
}

/* What is gathered for an elided segment becomes shares that end where the parts end, rounded. */
static void tell_mixture(struct segment *segment, uint64_t ticks[CODES])
{
  double end = 0;
  unsigned before = 0;
  for (unsigned i = 0; i < CODES; i++) {
    end += (double)ticks[i];
    unsigned now = (unsigned)(end * MIXTURE_WHOLE / (double)segment->duration + 0.5);
    segment->shares[i] = (uint8_t)(now - before);
    before = now;
    ticks[i] = 0;
  }
}

/* The rule itself: what is shorter than the threshold is elided, and all that is elided in a row within a cell is one
 * segment. The lane begins at `time`. */
static size_t elide(const struct segment *all, size_t count, uint64_t time, uint64_t threshold, struct segment *list)
{
  uint64_t ticks[CODES] = {0}, cell = LANE_CELL * threshold;
  bool open = false;
  size_t made = 0;
  for (size_t i = 0; i < count; i++) {
    if (all[i].duration >= threshold && all[i].duration > 0) {
      if (open)
        tell_mixture(&list[made - 1], ticks);
      open = false;
      list[made++] = all[i];
      time += all[i].duration;
      continue;
    }
    for (uint64_t left = all[i].duration, part; left > 0; left -= part) {
      if (open && time % cell == 0)
        tell_mixture(&list[made - 1], ticks);
      if (!open || time % cell == 0)
        list[made++] = (struct segment){0, CODE_ELIDED, {0}};
      open = true;
      part = left < cell - time % cell ? left : cell - time % cell;
      list[made - 1].duration += part;
      ticks[all[i].code / APART] += part;
      time += part;
    }
  }
  if (open)
    tell_mixture(&list[made - 1], ticks);
  return made;
}

/* Bytes of a level's blocks. */
static uint64_t bytes_of_level(const struct lane_level *level)
{
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < level->blocks.count; i++)
    bytes += level->blocks.list[i].bytes;
  return bytes;
}

/* Writes a lane and compares each of its levels that the budget wants with the rule. `bytes` (or NULL) gets the bytes
 * of each level's own blocks. Returns how many levels are the same as the finer one. */
static unsigned check_lane_within(const struct detail *detail, const struct segment *all, size_t count,
                                  struct level_budget *budget, uint64_t *bytes)
{
  struct error error;
  struct spool *spool = spool_create(&error);
  struct deflater *deflater = deflater_create(BLOCK_BYTES);
  struct lane_writer *writer = lane_writer_create(detail, NULL, deflater, spool, budget);
  struct segment *want = calloc(count + 1, sizeof *want), *got = calloc(count + 1, sizeof *got);
  struct lane lane;
  uint64_t begin = 1000, end = begin;
  unsigned same = 0;
  assert_true(spool && deflater && writer && want && got);
  lane_writer_begin(writer, begin);
  for (size_t i = 0; i < count; i++) {
    lane_writer_put(writer, all[i].duration, all[i].code);
    end += all[i].duration;
  }
  assert_true(lane_writer_end(writer, &lane));
  assert_int_equal(lane.levels, detail->levels);
  for (unsigned level = budget ? budget->from : 0; level < lane.levels; level++) {
    size_t made = elide(all, count, begin, detail->thresholds[level], want);
    size_t read = read_level(spool, &lane.level[lane_level_of(&lane, level)].blocks, begin, end, got);
    assert_int_equal(read, made);
    for (size_t i = 0; i < made; i++)
      assert_true(got[i].duration == want[i].duration && got[i].code == want[i].code &&
                  memcmp(got[i].shares, want[i].shares, CODES) == 0);
    same += lane.level[level].same;
  }
  for (unsigned level = 0; bytes && level < lane.levels; level++)
    bytes[level] = bytes_of_level(&lane.level[level]);
  lane_free(&lane);
  lane_writer_destroy(writer);
  deflater_destroy(deflater);
  spool_destroy(spool);
  free(want);
  free(got);
  return same;
}

static unsigned check_lane(const struct detail *detail, const struct segment *all, size_t count)
{
  return check_lane_within(detail, all, count, NULL, NULL);
}

static void levels_of_an_example(void **state)
{
  enum { A = 2, B = 2 + APART };
  static const struct segment all[] = {{10, A, {0}}, {3, B, {0}}, {0, A, {0}},   {5, A, {0}},
                                       {8, B, {0}},  {1, A, {0}}, {100, B, {0}}, {2, A, {0}}};
  static const struct detail detail = {.levels = 5, .thresholds = {0, 4, 8, 40, 1000}};
  struct segment list[8];
  (void)state;
  check_lane(&detail, all, sizeof all / sizeof *all);
  /* 10 A | 3 elided | 5 A | 8 B | 1 elided | 100 B | 2 elided; then 10 A | 8 elided: B 3, A 5 | 8 B ... */
  assert_int_equal(elide(all, 8, 1000, 4, list), 7);
  assert_int_equal(elide(all, 8, 1000, 8, list), 6);
  assert_true(list[1].duration == 8 && list[1].code == CODE_ELIDED);
  assert_true(list[1].shares[0] == 20 && list[1].shares[1] == 12); /* 5/8 and 3/8 of 32 */
  assert_int_equal(elide(all, 8, 1000, 1000, list), 1);
  assert_int_equal(list[0].duration, 129);
  /* A cell ends at 1024: 24 ticks before, 5 after. */
  static const struct segment across[] = {{22, A, {0}}, {7, B, {0}}};
  assert_int_equal(elide(across, 2, 1000, 32, list), 2);
  assert_true(list[0].duration == 24 && list[1].duration == 5 && list[1].shares[1] == MIXTURE_WHOLE);
  check_lane(&(struct detail){.levels = 2, .thresholds = {0, 32}}, across, 2);
}

/* Beyond what a mixture has room for, codes are lumped together: no time is lost. */
static void mixtures_keep_all_time(void **state)
{
  struct mixture mixture = {0}, other = {0};
  uint64_t total = 0;
  (void)state;
  for (uint32_t code = 2; code < 100; code++) {
    mixture_add(code % 2 ? &mixture : &other, &(struct mixture_part){code, code, code});
    total += code;
  }
  mixture_merge(&mixture, &other);
  assert_int_equal(mixture.count, MIXTURE_PARTS);
  assert_int_equal(mixture.parts[MIXTURE_PARTS - 1].code, CODE_ELIDED);
  for (unsigned i = 0; i < mixture.count; i++) {
    assert_true(i == 0 || mixture.parts[i - 1].rank < mixture.parts[i].rank);
    total -= mixture.parts[i].ticks;
  }
  assert_int_equal(total, 0);
}

/* In mixtures a state counts whatever its construct; a region counts as itself. */
static void mixtures_are_of_states(void **state)
{
  struct codes *codes = codes_create(2);
  (void)state;
  assert_non_null(codes);
  uint32_t inside = codes_of_state(codes, STATE_IDLE, 1), outside = codes_of_state(codes, STATE_IDLE, TRACE_NONE);
  uint32_t region = codes_of_region(codes, 1), other = codes_of_state(codes, STATE_RUN, 0);
  assert_true(outside < inside);
  assert_int_equal(codes_mixed(codes, inside).code, outside);
  assert_int_equal(codes_mixed(codes, outside).code, outside);
  assert_int_equal(codes_mixed(codes, region).code, region);
  assert_int_equal(codes_mixed(codes, CODE_NOTHING).code, CODE_NOTHING);
  /* Ranks are of what is shown, not of who came first. */
  assert_true(codes_mixed(codes, inside).code < codes_mixed(codes, other).code);
  assert_true((codes_mixed(codes, inside).rank < codes_mixed(codes, other).rank) == (STATE_IDLE < STATE_RUN));
  codes_destroy(codes);
}

/* From many short to few long ones, over several blocks. */
static void levels_follow_the_rule(void **state)
{
  static struct segment all[SEGMENTS];
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    uint64_t random = seed;
    for (size_t i = 0; i < SEGMENTS; i++) {
      unsigned scale = (unsigned)(next_random(&random) % (4 * seed));
      all[i] = (struct segment){next_random(&random) % ((UINT64_C(1) << scale) + 1),
                                (uint32_t)(2 + APART * (next_random(&random) % CODES)),
                                {0}};
    }
    struct detail detail = {.levels = 9, .thresholds = {0, 2, 8, 32, 128, 1024, 4096, 65536, 1 << 20}};
    check_lane(&detail, all, SEGMENTS);
  }
}

/* A file has room for the two coarsest of four levels: these are whole, and little is written of the others. */
static void levels_that_cannot_fit_are_not_written(void **state)
{
  static struct segment all[SEGMENTS];
  static const struct detail detail = {.levels = 4, .thresholds = {0, 2, 65536, 1 << 20}};
  uint64_t random = 7, bytes[4], within[4];
  (void)state;
  for (size_t i = 0; i < SEGMENTS; i++) {
    unsigned scale = (unsigned)(next_random(&random) % 16);
    all[i] = (struct segment){
        1 + next_random(&random) % (UINT64_C(1) << scale), (uint32_t)(2 + APART * (next_random(&random) % CODES)), {0}};
  }
  check_lane_within(&detail, all, SEGMENTS, NULL, bytes);
  assert_true(bytes[0] > 2 * (bytes[2] + bytes[3]) && bytes[1] > bytes[2] && bytes[2] > 0);
  struct level_budget budget = {.limit = base64_size(bytes[2] + bytes[3]), .levels = detail.levels};
  check_lane_within(&detail, all, SEGMENTS, &budget, within);
  assert_int_equal(budget.from, 2);
  assert_true(within[0] == 0 && within[1] == 0 && within[2] == bytes[2] && within[3] == bytes[3]);
  assert_true(budget.bytes[0] + budget.bytes[1] < (bytes[0] + bytes[1]) / 2);
  /* The coarsest level is always wanted. */
  budget = (struct level_budget){.limit = 1, .levels = detail.levels};
  check_lane_within(&detail, all, SEGMENTS, &budget, within);
  assert_int_equal(budget.from, 3);
  assert_int_equal(within[3], bytes[3]);
}

static void equal_levels_are_not_kept_twice(void **state)
{
  static const struct segment all[] = {{5000, 2, {0}}, {6000, 2 + APART, {0}}, {7000, 2, {0}}};
  static const struct detail detail = {.levels = 4, .thresholds = {0, 1024, 4096, 16384}};
  (void)state;
  assert_int_equal(check_lane(&detail, all, 3), 2);
}

static void detail_fits_the_duration(void **state)
{
  (void)state;
  assert_int_equal(detail_of(0).levels, 1);
  assert_int_equal(detail_of(1024 * 64 - 1).levels, 1);
  struct detail detail = detail_of(UINT64_C(1) << 52);
  assert_true(detail.levels > 10 && detail.levels <= LEVELS_MAX);
  assert_int_equal(detail.thresholds[0], 0);
  assert_int_equal(detail.thresholds[1], 1024);
  for (unsigned i = 2; i < detail.levels; i++)
    assert_true(detail.thresholds[i] == 4 * detail.thresholds[i - 1]);
}

static void base64_as_in_the_standard(void **state)
{
  static const char *const pairs[][2] = {{"", ""},
                                         {"f", "Zg=="},
                                         {"fo", "Zm8="},
                                         {"foo", "Zm9v"},
                                         {"foob", "Zm9vYg=="},
                                         {"fooba", "Zm9vYmE="},
                                         {"foobar", "Zm9vYmFy"}};
  (void)state;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    for (size_t cut = 0; cut <= strlen(pairs[i][0]); cut++) {
      char *text;
      size_t size;
      FILE *file = open_memstream(&text, &size);
      struct base64 base = base64(file);
      base64_put(&base, pairs[i][0], cut);
      base64_put(&base, pairs[i][0] + cut, strlen(pairs[i][0]) - cut);
      base64_end(&base);
      fclose(file);
      assert_string_equal(text, pairs[i][1]);
      assert_int_equal(size, base64_size(strlen(pairs[i][0])));
      free(text);
    }
  }
}

/* A file is compressed to what it was, also when it is larger than any buffer and can't be compressed. */
static void deflated_files_are_whole(void **state)
{
  enum { SIZE = 1 << 20 };
  unsigned char *bytes, *all = malloc(SIZE), *back = malloc(SIZE);
  size_t size;
  uint64_t random = 7;
  (void)state;
  for (size_t i = 0; i < SIZE; i++)
    all[i] = i < SIZE / 2 ? (unsigned char)next_random(&random) : 'x';
  FILE *file = deflated_open(&bytes, &size);
  assert_int_equal(fwrite(all, 1, SIZE, file), SIZE);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(inflate_raw(bytes, size, back, SIZE), SIZE);
  assert_memory_equal(all, back, SIZE);
  free(bytes);
  free(all);
  free(back);
}

static void bins_add_up(void **state)
{
  static const uint64_t durations[] = {1, 7, BINS_COUNT - 1, BINS_COUNT, 1000003, (UINT64_C(1) << 53) - 1};
  struct bins *bins = calloc(1, sizeof *bins);
  (void)state;
  for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
    uint64_t random = i + 1, time = 0, want[STATES] = {0};
    memset(bins, 0, sizeof *bins);
    bins->duration = durations[i];
    while (time < durations[i]) {
      uint64_t left = durations[i] - time, step = 1 + next_random(&random) % (durations[i] / 50 + 1);
      unsigned which = (unsigned)(next_random(&random) % STATES);
      step = step < left ? step : left;
      bins_add(bins, (enum state)which, time, time + step);
      want[which] += step;
      time += step;
    }
    for (unsigned bin = 0; bin < BINS_COUNT; bin++) { /* each bin is full: there is one thread */
      uint64_t sum = 0;
      for (unsigned which = 0; which < STATES; which++)
        sum += bins->ticks[which][bin];
      assert_true(sum == bins_begin(bins, bin + 1) - bins_begin(bins, bin));
    }
    for (unsigned which = 0; which < STATES; which++) {
      uint64_t sum = 0;
      for (unsigned bin = 0; bin < BINS_COUNT; bin++)
        sum += bins->ticks[which][bin];
      assert_true(sum == want[which]);
    }
  }
  free(bins);
}

static void the_longest_arrows_are_kept(void **state)
{
  struct arrows arrows = {0};
  uint64_t random = 3;
  uint32_t all = 3 * ARROWS_OF_KIND;
  (void)state;
  for (uint32_t i = 0; i < all; i++) {
    struct arrow arrow = {.kind = ARROW_TASK, .weight = (uint64_t)i * 7919 % all, .time = next_random(&random)};
    assert_true(arrows_add(&arrows, &arrow));
  }
  arrows_sort(&arrows);
  const struct arrow_heap *heap = &arrows.kinds[ARROW_TASK];
  assert_int_equal(heap->count, ARROWS_OF_KIND);
  assert_int_equal(heap->beyond_limit, all - ARROWS_OF_KIND);
  for (uint32_t i = 0; i < heap->count; i++)
    assert_int_equal(heap->list[i].weight, all - 1 - i);
  arrows_free(&arrows);
}

static void the_page_has_one_marker(void **state)
{
  struct page page = page_get();
  (void)state;
  assert_true(page.head_size > 0 && page.tail_size > 0);
  assert_null(memmem(page.tail, page.tail_size, PAGE_MARKER, strlen(PAGE_MARKER)));
}

UNIT_TEST(report)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(levels_of_an_example),
      cmocka_unit_test(mixtures_keep_all_time),
      cmocka_unit_test(mixtures_are_of_states),
      cmocka_unit_test(levels_follow_the_rule),
      cmocka_unit_test(levels_that_cannot_fit_are_not_written),
      cmocka_unit_test(equal_levels_are_not_kept_twice),
      cmocka_unit_test(detail_fits_the_duration),
      cmocka_unit_test(base64_as_in_the_standard),
      cmocka_unit_test(deflated_files_are_whole),
      cmocka_unit_test(bins_add_up),
      cmocka_unit_test(the_longest_arrows_are_kept),
      cmocka_unit_test(the_page_has_one_marker),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
