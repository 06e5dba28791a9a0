/* Periodograms: the thesis' example to the last digit, sums of powers, periods that are known, and noise that has none.
 */
#include "tests/unit/analyzer/example.h"
#include "tests/unit/unit.h"

#include "analyzer/models/spectrum/fourier.h"
#include "analyzer/models/spectrum/periods.h"
#include "analyzer/models/spectrum/samples.h"
#include "analyzer/models/spectrum/spectrum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(a) (sizeof(a) / sizeof *(a))

static struct spectrum *compute(struct pes_stream *stream, struct spectrum_options options, const char *signal)
{
  struct error error = {{0}};
  options.top = options.top ? options.top : 10;
  assert_true(spectrum_parse_signal(signal, &options.signal));
  struct spectrum *spectrum = spectrum_compute(stream, &options, &error);
  if (!spectrum)
    fail_msg("%s", error.message);
  return spectrum;
}

static uint64_t draw(uint64_t *seed)
{
  *seed += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t mixed = (*seed ^ *seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
  return mixed ^ mixed >> 31;
}

static double uniform(uint64_t *seed)
{
  return ((double)(draw(seed) >> 11) + .5) * 0x1p-53;
}

/* A sequence of one component; states are values 0 to 25. */
static struct pes_stream *sequence(const uint32_t *values, const uint64_t *ticks, size_t count)
{
  struct pes_program *program = pes_program_create("signal", 1000);
  struct pes_states *states = pes_states_create(1);
  struct pes_record *records = calloc(count, sizeof *records);
  struct error error = {{0}};
  uint32_t set = pes_program_add_set(program);
  uint64_t time = 77;
  for (int64_t i = 0; i < 26; i++)
    pes_program_add_value(program, set, i, (char[]){(char)('a' + i), 0}, (char[]){(char)('A' + i), 0});
  pes_program_add_component(program, "value", set);
  for (size_t i = 0; i < count; i++) {
    records[i] = (struct pes_record){time, pes_states_intern(states, &values[i])};
    time += ticks ? ticks[i] : 1;
  }
  struct pes_stream *stream =
      pes_from_memory(program, states, records, count, (struct pes_end){time, PES_NONE}, &error);
  assert_non_null(stream);
  free(records);
  return stream;
}

/* The thesis prints no numbers; these are its formulas applied to its example, to as many digits as are given. */
static void expect_powers(struct spectrum_options options, const char *signal, const double *expected, size_t count,
                          double half_a_digit, double sum)
{
  struct pes_stream *stream = example_thesis();
  struct spectrum *spectrum = compute(stream, options, signal);
  assert_int_equal(spectrum->lines + 1, count);
  for (size_t k = 0; k < count; k++) {
    if (fabs(spectrum->power[k] - expected[k]) > half_a_digit)
      fail_msg("%s: P_%zu is %.6f, should be %.4f", signal, k, spectrum->power[k], expected[k]);
  }
  assert_true(fabs(spectrum->powers - sum) < 1e-9 && fabs(spectrum->squares - sum) < 1e-9);
  assert_int_equal(spectrum->strongest[0].k, 2);
  spectrum_free(spectrum);
  pes_close(stream);
}

static void worked_example(void **state)
{
  (void)state;
  static const double first[] = {105.8, 1.3898, 29.8962, 5.0632, 7.8159, 5.0, .6038, 4.0673, .8841, 1.4797, 0};
  static const double second[] = {72.2, 8.3042, 15.7026, 6.8511, .4528, 5.0, .4974, 2.1489, 1.3472, .6958, .8};
  static const double both[] = {480.2, 39.0998, 85.5381, 39.6306, 2.7695, 20, 1.4619, 10.2887, 9.0305, .9808, 5};
  static const double timed[] = {201.524, 12.381, 38.466, 13.280, 2.085, 15.316, .347, 4.429, 1.792, 1.404, 2.6,
                                 .323,    3.704,  1.498,  .333,   2.316, .192,   .463, .092,  .590,  .865,  0};
  const struct spectrum_options event = {.domain = SPECTRUM_EVENT}, time = {.domain = SPECTRUM_TIME, .delta = 5};
  expect_powers(event, "component=0", first, LENGTH(first), 5.01e-5, 162);
  expect_powers(event, "component=Philosopher 1", second, LENGTH(second), 5.01e-5, 114);
  expect_powers(event, "states", both, LENGTH(both), 5.01e-5, 694);
  expect_powers(time, "component=0", timed, LENGTH(timed), 5.01e-4, 304);
}

/* Powers add up, in both precisions, even and odd; what the fast transform says is what the direct sum says. */
static void powers_add_up(void **state)
{
  (void)state;
  static const size_t sizes[] = {4, 5, 97, 1000, 4096, 4097, 5000, 10125, 65536};
  uint64_t seed = 1;
  for (size_t i = 0; i < LENGTH(sizes); i++) {
    size_t n = sizes[i];
    uint32_t *values = calloc(n, sizeof *values);
    for (size_t k = 0; k < n; k++)
      values[k] = (uint32_t)(draw(&seed) % 26);
    struct pes_stream *stream = sequence(values, NULL, n);
    struct spectrum *spectrum = compute(stream, (struct spectrum_options){.samples = n}, "component=0");
    double sum = 0, squares = 0;
    for (size_t k = 0; k < n; k++)
      squares += (double)values[k] * values[k];
    for (size_t k = 0; k <= spectrum->lines; k++)
      sum += spectrum->power[k];
    assert_int_equal(spectrum->exact, n <= SPECTRUM_EXACT_MAX);
    assert_true(fabs(spectrum->squares - squares) <= 1e-12 * squares);
    assert_true(fabs(sum - squares) <= (spectrum->exact ? 1e-11 : 1e-5) * squares);
    double bins[7], binned = 0;
    spectrum_bins(spectrum, 7, bins);
    for (size_t k = 0; k < 7; k++)
      binned += bins[k];
    assert_true(fabs(binned + spectrum->power[0] - sum) <= 1e-9 * sum);
    /* A weak line by its definition. */
    size_t k = spectrum->lines / 3 + 1;
    long double a = 0, b = 0;
    for (size_t j = 0; j < n; j++) {
      a += values[j] * cosl(2 * M_PIl * (long double)(j * k % n) / (long double)n);
      b += values[j] * sinl(2 * M_PIl * (long double)(j * k % n) / (long double)n);
    }
    double direct = (double)((2 * k == n ? 1 : 2) * (a * a + b * b) / (long double)n);
    assert_true(fabs(spectrum->power[k] - direct) <= (spectrum->exact ? 1e-11 : 1e-5) * spectrum->strongest[0].power);
    spectrum_free(spectrum);
    pes_close(stream);
    free(values);
  }
}

/* Two states in turn: all that varies is at 1/2. Four: at 1/4 and 1/2. */
static void exact_periods(void **state)
{
  (void)state;
  uint32_t values[5000];
  for (size_t i = 0; i < LENGTH(values); i++)
    values[i] = i % 2;
  struct pes_stream *stream = sequence(values, NULL, 1000);
  struct spectrum *spectrum = compute(stream, (struct spectrum_options){0}, "component=0");
  assert_int_equal(spectrum->verdict, SPECTRUM_PERIOD);
  assert_int_equal(spectrum->base, 500);
  assert_true(fabs(spectrum->power[500] - 250) < 1e-9);
  spectrum_free(spectrum);
  pes_close(stream);
  for (size_t i = 0; i < LENGTH(values); i++)
    values[i] = i % 10;
  /* One state of ten: an impulse each 10, so that all harmonics are as strong. */
  stream = sequence(values, NULL, 5000);
  spectrum = compute(stream, (struct spectrum_options){0}, "state=C");
  assert_int_equal(spectrum->verdict, SPECTRUM_PERIOD);
  assert_int_equal(spectrum->base, 500);
  for (size_t i = 0; i < 5; i++) {
    assert_int_equal(spectrum->strongest[i].k, 500 * spectrum->strongest[i].harmonic);
    assert_true(fabs(spectrum->strongest[i].power - (spectrum->strongest[i].k == 2500 ? 50 : 100)) < 1e-9);
  }
  spectrum_free(spectrum);
  pes_close(stream);
}

/* A cycle of three states whose times vary by some percent: its mean is found within the resolution of a line. */
static void jitter_keeps_the_period(void **state)
{
  (void)state;
  enum { CYCLES = 300 };
  static const uint64_t usual[] = {500, 300, 200};
  uint32_t values[3 * CYCLES];
  uint64_t ticks[3 * CYCLES];
  for (uint64_t seed = 1; seed <= 20; seed++) {
    uint64_t random = seed, all = 0;
    for (size_t i = 0; i < LENGTH(values); i++) {
      values[i] = i % 3;
      ticks[i] = (uint64_t)((double)usual[i % 3] * (.96 + .08 * uniform(&random)));
      all += ticks[i];
    }
    struct pes_stream *stream = sequence(values, ticks, LENGTH(values));
    struct spectrum *spectrum = compute(stream, (struct spectrum_options){.domain = SPECTRUM_TIME}, "state=A");
    double mean = (double)all / CYCLES;
    assert_int_equal(spectrum->verdict, SPECTRUM_PERIOD);
    assert_true(fabs((double)spectrum->base - CYCLES) <= 1);
    assert_true(fabs(1 / spectrum_frequency(spectrum, (double)spectrum->base) - mean) < .01 * mean);
    assert_true(spectrum->p_base < 1e-6);
    spectrum_free(spectrum);
    pes_close(stream);
  }
}

/* Independent random states: Fisher's p is evenly spread, and periods are named in about one of a hundred at most. */
static void white_noise_has_no_period(void **state)
{
  (void)state;
  enum { SEEDS = 200, RECORDS = 1000 };
  unsigned below[4] = {0}, named = 0;
  static const double limits[] = {.01, .1, .5, .9};
  uint32_t values[RECORDS];
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    uint64_t random = seed * 1000003;
    for (size_t i = 0; i < RECORDS; i++)
      values[i] = (uint32_t)(draw(&random) % 26);
    struct pes_stream *stream = sequence(values, NULL, RECORDS);
    struct spectrum *spectrum = compute(stream, (struct spectrum_options){0}, "component=0");
    for (size_t i = 0; i < LENGTH(limits); i++)
      below[i] += spectrum->p_white <= limits[i];
    named += spectrum->verdict == SPECTRUM_PERIOD;
    spectrum_free(spectrum);
    pes_close(stream);
  }
  print_message("white noise: p <= .01, .1, .5, .9 in %u %u %u %u of %d, %u periods\n", below[0], below[1], below[2],
                below[3], SEEDS, named);
  /* Four standard deviations of the binomial distribution. */
  for (size_t i = 0; i < LENGTH(limits); i++)
    assert_true(fabs(below[i] - SEEDS * limits[i]) <= 4 * sqrt(SEEDS * limits[i] * (1 - limits[i])));
  assert_true(named <= below[0]);
}

/* Two states that last exponential times: far from white, and no period. */
static void slow_noise_has_no_period(void **state)
{
  (void)state;
  enum { SEEDS = 200, RECORDS = 400 };
  unsigned verdicts[4] = {0};
  uint32_t values[RECORDS];
  uint64_t ticks[RECORDS];
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    uint64_t random = seed * 7919;
    for (size_t i = 0; i < RECORDS; i++) {
      values[i] = i % 2;
      ticks[i] = 1 + (uint64_t)(-1000 * log(uniform(&random)));
    }
    struct pes_stream *stream = sequence(values, ticks, RECORDS);
    struct spectrum *spectrum =
        compute(stream, (struct spectrum_options){.domain = SPECTRUM_TIME, .samples = 1024}, "component=0");
    verdicts[spectrum->verdict]++;
    spectrum_free(spectrum);
    pes_close(stream);
  }
  print_message("slow noise: %u slow, %u periods of %d\n", verdicts[SPECTRUM_SLOW], verdicts[SPECTRUM_PERIOD], SEEDS);
  assert_true(verdicts[SPECTRUM_SLOW] >= SEEDS / 2);
  assert_true(verdicts[SPECTRUM_PERIOD] <= 2 + 4 * 1.41); /* 1 % and four deviations */
}

static void fisher(void **state)
{
  (void)state;
  /* Two lines: 2 (1 - g). Three: 3 (1-g)^2 - 3 (1-2g)^2 below 1/2. The table of Fisher (1929): m = 50, 5 %: g = .13135.
   */
  assert_true(fabs(significance_fisher(.75, 2) - .5) < 1e-12);
  assert_true(fabs(significance_fisher(.4, 3) - (3 * .36 - 3 * .04)) < 1e-12);
  assert_true(fabs(significance_fisher(.13135, 50) - .05) < 1e-4);
  assert_true(significance_fisher(1, 10) == 0 && significance_fisher(.1, 10) == 1);
  assert_true(significance_fisher(.5, 1) == 1 && significance_fisher(.99, 1 << 23) == 0);
  double before = 1;
  for (double g = 1e-7; g < 1; g *= 1.01) {
    double p = significance_fisher(g, 1 << 23);
    assert_true(p >= 0 && p <= before + 1e-5);
    before = p;
  }
}

static void fast_sizes(void **state)
{
  (void)state;
  for (uint64_t most = 2; most < 3000; most++) {
    uint64_t best = 2;
    for (uint64_t i = 2; i <= most; i += 2) {
      uint64_t left = i;
      for (uint64_t prime = 2; prime <= 5; prime++) {
        while (left % prime == 0)
          left /= prime;
      }
      best = left == 1 ? i : best;
    }
    assert_int_equal(spectrum_fast_size(most), best);
  }
  assert_int_equal(spectrum_fast_size(1 << 24), 1 << 24);
  assert_true(spectrum_size_is_fair(1 << 24) && spectrum_size_is_fair(10000000) && !spectrum_size_is_fair(16777213));
}

static void expect_fault(struct spectrum_options options, const char *signal, const char *part)
{
  struct error error = {{0}};
  struct pes_stream *stream = example_thesis();
  options.top = 10;
  assert_true(spectrum_parse_signal(signal, &options.signal));
  assert_null(spectrum_compute(stream, &options, &error));
  if (!strstr(error.message, part))
    fail_msg("%s: \"%s\" is not in \"%s\"", signal, part, error.message);
  pes_close(stream);
}

static void faults(void **state)
{
  (void)state;
  const struct spectrum_options event = {0}, time = {.domain = SPECTRUM_TIME};
  struct spectrum_options much = {.samples = 21}, fine = {.domain = SPECTRUM_TIME, .samples = 16777213};
  struct spectrum_options longer = {.domain = SPECTRUM_TIME, .delta = 11, .samples = 21};
  struct spectrum_options coarse = {.domain = SPECTRUM_TIME, .delta = 100};
  struct spectrum_signal signal;
  expect_fault(event, "component=2", "no component 2");
  expect_fault(event, "component=18446744073709551616", "no component");
  expect_fault(event, "component=nobody", "nobody");
  expect_fault(event, "state=XY", "no state XY");
  expect_fault(event, "state=#12", "no state #12");
  expect_fault(time, "threads-in=Nowhere", "Nowhere");
  expect_fault(much, "states", "20 records");
  expect_fault(fine, "states", "try --samples 16588800");
  expect_fault(longer, "states", "longer than");
  expect_fault(coarse, "states", "too few");
  assert_false(spectrum_parse_signal("state=", &signal));
  assert_false(spectrum_parse_signal("", &signal));
  assert_false(spectrum_parse_signal("thread=1", &signal));
}

/* Who sees what: the sum over all samples of the indicator and of the count is known by hand. */
static void signals(void **state)
{
  (void)state;
  struct pes_stream *stream = example_thesis();
  struct spectrum *spectrum = compute(stream, (struct spectrum_options){0}, "threads-in=Eat");
  assert_true(fabs(spectrum->mean * 20 - 8) < 1e-12);
  spectrum_free(spectrum);
  spectrum = compute(stream, (struct spectrum_options){.domain = SPECTRUM_TIME, .delta = 1}, "threads-in=E");
  assert_true(fabs(spectrum->mean * 210 - 105) < 1e-9); /* 50 and 55 ticks */
  assert_int_equal(spectrum->not_sampled, 0);
  spectrum_free(spectrum);
  spectrum = compute(stream, (struct spectrum_options){.domain = SPECTRUM_TIME, .delta = 15}, "state=EA1");
  assert_int_equal(spectrum->samples, 14);
  assert_true(spectrum->not_sampled > 0);
  spectrum_free(spectrum);
  pes_close(stream);
}

UNIT_TEST(spectrum)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(worked_example),
                                     cmocka_unit_test(powers_add_up),
                                     cmocka_unit_test(exact_periods),
                                     cmocka_unit_test(jitter_keeps_the_period),
                                     cmocka_unit_test(white_noise_has_no_period),
                                     cmocka_unit_test(slow_noise_has_no_period),
                                     cmocka_unit_test(fisher),
                                     cmocka_unit_test(fast_sizes),
                                     cmocka_unit_test(faults),
                                     cmocka_unit_test(signals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
