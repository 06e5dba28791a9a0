#include "analyzer/models/spectrum_sentence.h"

#include "analyzer/command/print/units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

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

void spectrum_say_period(const struct spectrum *spectrum, enum spectrum_domain domain, uint64_t ticks_per_second,
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

void spectrum_say_limits(const struct spectrum *spectrum, enum spectrum_domain domain,
                         char text[SPECTRUM_SENTENCE_SIZE])
{
  struct sentence to = {text, 0};
  char count[UNITS_SIZE], all[UNITS_SIZE];
  spectrum_sentence_add(&to,
                        "%s lines were tested; p is the probability that any of them would be as strong by chance.",
                        units_count(spectrum->lines, count));
  if (spectrum->unseen > 0 && domain == SPECTRUM_EVENT)
    spectrum_sentence_add(&to, " The last %s of %s records were not sampled: --samples sets the number of samples.",
                          units_count(spectrum->unseen, count), units_count(spectrum->records, all));
  else if (spectrum->unseen > 0)
    spectrum_sentence_add(
        &to,
        " No sample covers %s of %s records, which are shorter than the time between samples or behind the last one: "
        "--delta and --samples change the sampling.",
        units_count(spectrum->unseen, count), units_count(spectrum->records, all));
  if (!spectrum->exact)
    spectrum_sentence_add(
        &to, " The strongest lines are exact; the error of all others is about a millionth of the largest.");
}
