#include "analyzer/findings/scale/scale.h"
#include "analyzer/models/prediction/form.h"

#include <math.h>

/* A growth below this is noise: no law is drawn from it. */
#define NOISE 0.02

enum { TERMS = 3 };

double scale_law_at(const struct scale_law *law, double threads)
{
  return 1 + law->serial * (threads - 1) + law->crosstalk * threads * (threads - 1);
}

static void terms_of(unsigned threads, double terms[TERMS])
{
  terms[0] = 1;
  terms[1] = threads - 1.0;
  terms[2] = threads * (threads - 1.0);
}

/* Fits with some terms alone. False: they don't follow from the runs, or work would become less. */
static bool fit_terms(const struct scale_work *works, size_t count, const unsigned *use, unsigned used,
                      struct scale_law *law, double *error)
{
  struct least_squares squares = {.n = used};
  double c[LEAST_SQUARES_MAX], all[TERMS], row[LEAST_SQUARES_MAX], full[TERMS] = {0}, sum = 0;
  for (size_t i = 0; i < count; i++) {
    terms_of(works[i].threads, all);
    for (unsigned k = 0; k < used; k++)
      row[k] = all[use[k]];
    least_squares_add(&squares, row, works[i].work, 1 / works[i].work);
  }
  if (!least_squares_solve(&squares, c) || c[0] <= 0)
    return false;
  for (unsigned k = 0; k < used; k++)
    full[use[k]] = c[k];
  *law = (struct scale_law){full[1] / full[0], full[2] / full[0]};
  for (size_t i = 0; i < count; i++) {
    double off = full[0] * scale_law_at(law, works[i].threads) / works[i].work - 1;
    sum += off * off;
  }
  *error = count > used ? sqrt(sum / (double)(count - used)) : 0;
  return law->serial >= 0 && law->crosstalk >= 0;
}

static unsigned numbers_of(const struct scale_work *works, size_t count)
{
  unsigned numbers = 0;
  for (size_t i = 0; i < count; i++) {
    bool known = false;
    for (size_t j = 0; j < i; j++)
      known |= works[j].threads == works[i].threads;
    numbers += !known;
  }
  return numbers;
}

/* Two numbers of threads can't distinguish the terms: the straight one counts, and both are the ends. */
void scale_fit(const struct scale_work *works, size_t count, struct scale_law *law, struct scale_law *low,
               struct scale_law *high)
{
  static const unsigned straight[] = {0, 1}, square[] = {0, 2}, both[] = {0, 1, 2};
  struct scale_law one = {0}, other = {0}, full;
  double error_one = INFINITY, error_other = INFINITY, error_full;
  unsigned numbers = numbers_of(works, count), most = 1;
  *law = *low = *high = (struct scale_law){0};
  for (size_t i = 0; i < count; i++)
    most = works[i].threads > most ? works[i].threads : most;
  if (numbers < 2 || !fit_terms(works, count, straight, 2, &one, &error_one))
    return;
  *high = one;
  if (scale_law_at(&one, most) < 1 + NOISE)
    return;
  *law = one;
  if (!fit_terms(works, count, square, 2, &other, &error_other))
    return;
  *high = other;
  if (numbers > 2 && error_other < error_one)
    *law = other;
  if (numbers > 3 && fit_terms(works, count, both, 3, &full, &error_full) && error_full < error_one &&
      error_full < error_other)
    *law = full;
  if (numbers > 2)
    *low = one;
}
