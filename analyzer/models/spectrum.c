#include "analyzer/models/spectrum/spectrum.h"
#include "analyzer/command/print/units.h"
#include "analyzer/command/shared_options.h"
#include "analyzer/command/values.h"
#include "analyzer/findings/prints.h"
#include "analyzer/models/sequence_show.h"
#include "base/count_of.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPECTRUM_SENTENCE_SIZE 1024

struct sentence {
  char *text;
  size_t used;
};

__attribute__((format(printf, 2, 3))) static void spectrum_sentence_add(struct sentence *to, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  int length = vsnprintf(to->text + to->used, SPECTRUM_SENTENCE_SIZE - to->used, format, list);
  va_end(list);
  to->used += length > 0 ? (size_t)length : 0;
  if (to->used >= SPECTRUM_SENTENCE_SIZE)
    to->used = SPECTRUM_SENTENCE_SIZE - 1;
}

static void add_length(struct sentence *to, double length, enum spectrum_domain domain, uint64_t ticks_per_second)
{
  char text[UNITS_SIZE];
  if (domain == SPECTRUM_EVENT)
    spectrum_sentence_add(to, "%.4g", length);
  else
    spectrum_sentence_add(to, "%s", units_mean(length, ticks_per_second, text));
}

static void add_p(struct sentence *to, double p)
{
  if (p < 1e-99)
    spectrum_sentence_add(to, "p < 1e-99");
  else
    spectrum_sentence_add(to, p < 0.001 ? "p = %.0e" : "p = %.2g", p);
}

/* "; what repeats 2, 3 and 5 times as often belongs to it" */
static void add_harmonics(struct sentence *to, const struct spectrum *spectrum)
{
  unsigned found = 0, said = 0;
  for (size_t i = 0; i < spectrum->strongest_count; i++) {
    if (spectrum->strongest[i].harmonic > 1)
      found |= 1u << spectrum->strongest[i].harmonic;
  }
  if (!found)
    return;
  spectrum_sentence_add(to, ", with harmonics");
  for (unsigned h = 2; h < 32; h++) {
    if (!(found & 1u << h))
      continue;
    spectrum_sentence_add(to, "%s%u", said == 0 ? " " : found >> (h + 1) ? ", " : " and ", h);
    said++;
  }
}

static void add_found(struct sentence *to, const struct spectrum *spectrum, enum spectrum_domain domain,
                      uint64_t ticks_per_second)
{
  double base = (double)spectrum->base;
  spectrum_sentence_add(to, "A period of ");
  add_length(to, 1 / spectrum_frequency(spectrum, base), domain, ticks_per_second);
  spectrum_sentence_add(to, "%s stands out (the line has all between ", domain == SPECTRUM_EVENT ? " events" : "");
  add_length(to, 1 / spectrum_frequency(spectrum, base + .5), domain, ticks_per_second);
  spectrum_sentence_add(to, " and ");
  add_length(to, 1 / spectrum_frequency(spectrum, base - .5), domain, ticks_per_second);
  spectrum_sentence_add(to, "; %zu repetitions)", spectrum->base);
  add_harmonics(to, spectrum);
  spectrum_sentence_add(to, ": noise would have such a line with ");
  add_p(to, spectrum->p_base);
  spectrum_sentence_add(to, ".");
}

/* Writes a sentence on the period and its significance. */
static void spectrum_say_period(const struct spectrum *spectrum, enum spectrum_domain domain, uint64_t ticks_per_second,
                                char text[SPECTRUM_SENTENCE_SIZE])
{
  struct sentence to = {text, 0};
  switch (spectrum->verdict) {
  case SPECTRUM_PERIOD:
    add_found(&to, spectrum, domain, ticks_per_second);
    break;
  case SPECTRUM_CONSTANT:
    spectrum_sentence_add(&to, "No period: the signal is the same in all samples.");
    break;
  case SPECTRUM_NOISE:
    spectrum_sentence_add(&to, "No period stands out: white noise would have a line as strong as the strongest with ");
    add_p(&to, spectrum->p_white);
    spectrum_sentence_add(&to, ".");
    break;
  case SPECTRUM_SLOW:
    spectrum_sentence_add(&to, "No period stands out: the signal is not white noise (");
    add_p(&to, spectrum->p_white);
    spectrum_sentence_add(
        &to, "), but none of its strongest lines both repeats 4 times and exceeds those around it, as when states "
             "last long and change irregularly.");
  }
}

/* Writes sentences on the number of tested lines, records without a sample, and the precision of the lines. */
static void spectrum_say_limits(const struct spectrum *spectrum, enum spectrum_domain domain,
                                char text[SPECTRUM_SENTENCE_SIZE])
{
  struct sentence to = {text, 0};
  char count[UNITS_SIZE], all[UNITS_SIZE];
  spectrum_sentence_add(&to,
                        "%s lines were tested; p is the probability that any of them would be as strong by chance.",
                        units_count(spectrum->lines, count));
  if (spectrum->not_sampled > 0 && domain == SPECTRUM_EVENT)
    spectrum_sentence_add(&to, " The last %s of %s records were not sampled: --samples sets the number of samples.",
                          units_count(spectrum->not_sampled, count), units_count(spectrum->records, all));
  else if (spectrum->not_sampled > 0)
    spectrum_sentence_add(
        &to,
        " No sample covers %s of %s records, which are shorter than the time between samples or behind the last one. "
        "--delta and --samples change the sampling.",
        units_count(spectrum->not_sampled, count), units_count(spectrum->records, all));
  if (!spectrum->exact)
    spectrum_sentence_add(
        &to, " The strongest lines are exact; the error of all others is about a millionth of the largest.");
}

enum { BINS_MAX = 100000, BAR = 40 };

struct spectrum_own_options {
  struct spectrum_options compute;
  const char *signal;
  uint64_t top, bins;
  bool lines;
};

static int take_signal(const struct option_given *given, void *into)
{
  struct spectrum_own_options *options = into;
  options->signal = given->value;
  if (spectrum_parse_signal(given->value, &options->compute.signal))
    return -1;
  return command_usage(given->command, "--signal %s: give states, state=NAME, component=0 or threads-in=VALUE",
                       given->value);
}

struct spectrum_view {
  const struct spectrum *spectrum;
  const struct spectrum_own_options *options;
  const struct pes_program *program;
  enum print_format format;
  double not_measured; /* percentage of the threads' time */
};

static bool in_time(const struct spectrum_view *view)
{
  return view->options->compute.domain == SPECTRUM_TIME;
}

/* Frequencies are per second if the clock is known, else per tick or event. */
static double frequency(const struct spectrum_view *view, double k)
{
  double unit = in_time(view) && view->program->ticks_per_second ? (double)view->program->ticks_per_second : 1;
  return unit * spectrum_frequency(view->spectrum, k);
}

static const char *frequency_title(const struct spectrum_view *view)
{
  return !in_time(view) ? "Per event" : view->program->ticks_per_second ? "Frequency, Hz" : "Per tick";
}

static enum print_type length_type(const struct spectrum_view *view)
{
  return in_time(view) ? PRINT_MEAN : PRINT_REAL;
}

/* Share of the power without the mean. */
static struct print_cell part(const struct spectrum_view *view, double power)
{
  return view->spectrum->varying > 0 ? print_real(100 * power / view->spectrum->varying) : print_none();
}

static void spectrum_put_facts(struct print *print, const struct spectrum_view *view)
{
  const struct spectrum *spectrum = view->spectrum;
  bool varies = spectrum->verdict != SPECTRUM_CONSTANT, found = spectrum->verdict == SPECTRUM_PERIOD;
  print_csv_facts(print);
  print_fact(print, "program", "Program", PRINT_STRING, print_string(view->program->name));
  not_measured_put_fact(print, view->not_measured);
  print_fact(print, "signal", "Signal", PRINT_STRING, print_string(view->options->signal));
  print_fact(print, "domain", "Domain", PRINT_STRING, print_string(in_time(view) ? "time" : "event"));
  print_fact(print, "records", "Records", PRINT_COUNT, print_number(spectrum->records));
  print_fact(print, "samples", "Samples", PRINT_COUNT, print_number(spectrum->samples));
  print_fact(print, "not_sampled", "Records not sampled", PRINT_COUNT, print_number(spectrum->not_sampled));
  if (in_time(view))
    print_fact(print, "delta", "From sample to sample", PRINT_MEAN, print_real(spectrum->delta));
  print_fact(print, "mean", "Mean", PRINT_REAL, print_real(spectrum->mean));
  print_fact(print, "mean_power", "Power of the mean", PRINT_REAL, print_real(spectrum->power[0]));
  print_fact(print, "varying_power", "Power that varies", PRINT_REAL, print_real(spectrum->varying));
  print_fact(print, "power", "Sum of powers", PRINT_REAL, print_real(spectrum->powers));
  print_fact(print, "squares", "Sum of squares", PRINT_REAL, print_real(spectrum->squares));
  print_fact(print, "tested", "Lines tested", PRINT_COUNT, print_number(spectrum->lines));
  print_fact(print, "p_white", "p, white noise", PRINT_PROBABILITY,
             varies ? print_real(spectrum->p_white) : print_none());
  print_fact(print, "period", "Period", length_type(view),
             found ? print_real(1 / spectrum_frequency(spectrum, (double)spectrum->base)) : print_none());
  print_fact(print, "p_period", "p, lines around", PRINT_PROBABILITY,
             found ? print_real(spectrum->p_base) : print_none());
}

static void put_strongest(struct print *print, const struct spectrum_view *view)
{
  const struct print_column columns[] = {
      {"line", "Line", PRINT_NUMBER, false},          {"frequency", frequency_title(view), PRINT_REAL, false},
      {"period", "Period", length_type(view), false}, {"power", "Power", PRINT_REAL, false},
      {"part", "Part", PRINT_PERCENT, false},         {"p", "p", PRINT_PROBABILITY, false},
      {"harmonic", "Harmonic", PRINT_NUMBER, true}};
  print_table(print, "strongest", "Strongest lines", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < view->spectrum->strongest_count && view->spectrum->varying > 0; i++) {
    const struct spectrum_line *line = &view->spectrum->strongest[i];
    struct print_cell cells[] = {print_number(line->k),
                                 print_real(frequency(view, (double)line->k)),
                                 print_real(1 / spectrum_frequency(view->spectrum, (double)line->k)),
                                 print_real(line->power),
                                 part(view, line->power),
                                 print_real(line->p),
                                 line->harmonic ? print_number(line->harmonic) : print_none()};
    print_row(print, cells);
  }
  print_table_end(print);
}

/* Only text has bars; they show the column before. */
static bool put_bins(struct print *print, const struct spectrum_view *view)
{
  const struct print_column columns[] = {{"from", frequency_title(view), PRINT_REAL, false},
                                         {"to", "to", PRINT_REAL, false},
                                         {"power", "Power", PRINT_REAL, false},
                                         {"part", "Part", PRINT_PERCENT, false},
                                         {"bar", "Bar", PRINT_STRING, false}};
  size_t count = view->options->bins;
  double *power = malloc(count * sizeof *power), most = 0, half = (double)view->spectrum->samples / 2;
  char bar[BAR + 1];
  if (!power)
    return false;
  spectrum_bins(view->spectrum, count, power);
  for (size_t i = 0; i < count; i++)
    most = power[i] > most ? power[i] : most;
  print_table(print, "bins", "Power by frequency", columns, COUNT_OF(columns) - (view->format != PRINT_TEXT), false);
  for (size_t i = 0; i < count; i++) {
    size_t length = most > 0 ? (size_t)(BAR * power[i] / most + .5) : 0;
    memset(bar, '#', length);
    bar[length] = '\0';
    struct print_cell cells[] = {print_real(frequency(view, half * (double)i / (double)count)),
                                 print_real(frequency(view, half * (double)(i + 1) / (double)count)),
                                 print_real(power[i]), part(view, power[i]), print_string(bar)};
    print_row(print, cells);
  }
  print_table_end(print);
  free(power);
  return true;
}

static void put_lines(struct print *print, const struct spectrum_view *view)
{
  const struct print_column columns[] = {{"line", "Line", PRINT_NUMBER, false},
                                         {"frequency", frequency_title(view), PRINT_REAL, false},
                                         {"power", "Power", PRINT_REAL, false}};
  print_table(print, "lines", "All lines", columns, COUNT_OF(columns), true);
  for (size_t k = 0; k <= view->spectrum->lines; k++) {
    struct print_cell cells[] = {print_number(k), print_real(frequency(view, (double)k)),
                                 print_real(view->spectrum->power[k])};
    print_row(print, cells);
  }
  print_table_end(print);
}

/* False: out of memory. */
static bool spectrum_put_all(struct print *print, const struct spectrum_view *view)
{
  char text[SPECTRUM_SENTENCE_SIZE];
  uint64_t ticks_per_second = view->program->ticks_per_second;
  enum spectrum_domain domain = view->options->compute.domain;
  spectrum_put_facts(print, view);
  put_strongest(print, view);
  bool good = view->options->bins == 0 || put_bins(print, view);
  if (view->options->lines)
    put_lines(print, view);
  spectrum_say_period(view->spectrum, domain, ticks_per_second, text);
  print_sentence(print, "verdict", text);
  spectrum_say_limits(view->spectrum, domain, text);
  print_sentence(print, "limits", text);
  return good;
}

bool spectrum_put(struct print *print, enum print_format format, const struct spectrum *spectrum,
                  const struct pes_program *program, const struct spectrum_shown *shown)
{
  struct spectrum_own_options options = {.compute = shown->compute, .signal = shown->signal, .bins = shown->bins};
  struct spectrum_view view = {spectrum, &options, program, format, 0};
  return spectrum_put_all(print, &view);
}

static bool spectrum_show(const struct spectrum_view *view, struct error *error)
{
  struct print *print = print_open(view->format, stdout, view->program->ticks_per_second);
  if (!print)
    return error_set(error, "out of memory");
  bool good = spectrum_put_all(print, view) || error_set(error, "out of memory");
  return print_close(print) && good;
}

static int spectrum_run(const struct command *command, int argc, char **argv)
{
  struct spectrum_own_options options = {.signal = "states", .top = 10};
  struct shared_options shared = {.format = PRINT_TEXT};
  struct spectrum_view view = {.options = &options};
  struct error error = {{0}};
  int status = command_take(command, (void *[OPTION_SETS]){&options, &shared}, argc, argv);
  if (status >= 0)
    return status;
  view.format = shared.format;
  if (options.compute.delta > 0 && options.compute.domain == SPECTRUM_EVENT)
    return command_usage(argv[0], "--delta goes with --domain time: in the event domain it is one record");
  options.compute.top = (unsigned)options.top;
  struct pes_state_totals totals = {0};
  struct pes_stream *stream = pes_open(argv[optind], &error);
  struct spectrum *spectrum = stream ? spectrum_compute(stream, &options.compute, &error) : NULL;
  bool good = spectrum && pes_state_totals_read(&totals, stream, &error);
  if (good) {
    view.not_measured = not_measured_of_totals(stream, &totals);
    view.spectrum = spectrum;
    view.program = stream->program;
    good = spectrum_show(&view, &error);
  }
  if (!good)
    command_failed(argv[0], error.message);
  pes_state_totals_free(&totals);
  spectrum_free(spectrum);
  pes_close(stream);
  return good ? EXIT_DONE : EXIT_FAULT;
}

static const struct command_option spectrum_own_options[] = {
    {.name = "domain",
     .words = "event|time",
     .help = "a sample a record (default), or a sample every TICKS of --delta",
     .take = option_word,
     .at = offsetof(struct spectrum_own_options, compute.domain)},
    {.name = "signal",
     .argument = "SIGNAL",
     .words = "states|state=|component=|threads-in=",
     .help = "the number that is analyzed:\n"
             "states: the number of the state, by first appearance (default)\n"
             "state=NAME: 1 in this state, else 0; #3 is state number 3\n"
             "component=I: the value of a component, by its number or name\n"
             "threads-in=VALUE: how many components have the value",
     .take = take_signal},
    {.name = "delta",
     .argument = "TICKS",
     .help = "time domain: ticks between two samples",
     .take = option_number,
     .at = offsetof(struct spectrum_own_options, compute.delta),
     .least = 1,
     .most = INT64_MAX},
    {.name = "samples",
     .argument = "N",
     .help = "how many samples (default: event domain: all, if their transform is quick; time domain: 4096)",
     .take = option_number,
     .at = offsetof(struct spectrum_own_options, compute.samples),
     .least = 4,
     .most = SPECTRUM_SAMPLES_MAX},
    {.name = "top",
     .argument = "K",
     .help = "the K strongest lines (default: 10, at most 100)",
     .take = option_number,
     .at = offsetof(struct spectrum_own_options, top),
     .least = 1,
     .most = SPECTRUM_TOP_MAX},
    {.name = "bins",
     .argument = "B",
     .help = "the power in B equal ranges of frequency",
     .take = option_number,
     .at = offsetof(struct spectrum_own_options, bins),
     .least = 1,
     .most = BINS_MAX},
    {.name = "lines",
     .help = "all lines, in order of frequency",
     .take = option_flag,
     .at = offsetof(struct spectrum_own_options, lines)},
    {.name = NULL}};

const struct command command_spectrum = {
    .name = "spectrum",
    .group = COMMAND_MODEL,
    .summary = "prints the periods of a sequence of program states",
    .synopsis = "[OPTION]... FILE",
    .about = "Prints the periods of a program execution sequence (heddle pes) and their significance: the power of a "
             "signal at\n"
             "each frequency, the strongest lines first.\n",
    .operand = "one sequence, as `heddle pes` writes it",
    .least = 1,
    .most = 1,
    .options = {{.list = spectrum_own_options}, {.list = format_options}},
    .run = spectrum_run,
};
