#include "analyzer/live/live_web_pairs.h"

#include "common/raw/live_control.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_TEXT = 1000 };

/* Has the process measure what is needed. One that began with all measured, and all that others need, stays so. */
static bool live_web_pairs_measure(const struct live_web_pairs *web, struct error *error)
{
  if (!web->requests->control || !live_requests_can_trace(web->requests))
    return !web->alone ||
           error_set(error, "this process measures all that it does: it was not started with `heddle record --live`");
  return live_requests_observe(web->requests, live_pairs_needs(&web->pairs) | (web->alone ? 0 : LIVE_NEED_ALL), error);
}

static size_t live_web_pairs_place_of(const struct live_pairs *pairs, const char *text)
{
  size_t i = 0;
  while (i < pairs->count && strcmp(pairs->asked[i].text, text) != 0)
    i++;
  return i;
}

static void live_web_pairs_drop(struct live_pairs *pairs, size_t at)
{
  live_asked_free(&pairs->asked[at]);
  free((char *)pairs->asked[at].text);
  pairs->count--;
  for (size_t i = at; i < pairs->count; i++) {
    pairs->asked[i] = pairs->asked[i + 1];
    pairs->values[i] = pairs->values[i + 1];
    pairs->sums[i] = pairs->sums[i + 1];
  }
}

bool live_web_pairs_add(struct live_web_pairs *web, struct live *live, const char *text, struct error *error)
{
  struct live_pairs *pairs = &web->pairs;
  if (pairs->count == LIVE_PAIRS)
    return error_set(error, "at most %u pairs", LIVE_PAIRS);
  if (strlen(text) > LONGEST_TEXT)
    return error_set(error, "a pair has at most %d bytes", LONGEST_TEXT);
  if (live_web_pairs_place_of(pairs, text) < pairs->count)
    return error_set(error, "this pair is there already");
  char *own = strdup(text);
  if (!own)
    return error_set(error, "out of memory");
  if (!live_asked_take(own, &pairs->asked[pairs->count], error)) {
    free(own);
    return false;
  }
  pairs->values[pairs->count] = pairs->sums[pairs->count] = (struct live_amount){.total = 0};
  pairs->count++;
  if (live_pairs_by_member(pairs))
    live_keep_apart(live);
  if (live_web_pairs_measure(web, error))
    return true;
  live_web_pairs_drop(pairs, pairs->count - 1);
  return false;
}

bool live_web_pairs_remove(struct live_web_pairs *web, const char *text, struct error *error)
{
  size_t at = live_web_pairs_place_of(&web->pairs, text);
  if (at == web->pairs.count)
    return error_set(error, "there is no such pair");
  live_web_pairs_drop(&web->pairs, at);
  return live_web_pairs_measure(web, error);
}

bool live_web_pairs_alone(struct live_web_pairs *web, bool alone, struct error *error)
{
  bool before = web->alone;
  web->alone = alone;
  if (live_web_pairs_measure(web, error))
    return true;
  web->alone = before;
  return false;
}

bool live_web_pairs_take(struct live_web_pairs *web, const struct live_reading *before, const struct live_reading *now)
{
  struct live_reading between = {.threads = NULL};
  web->from = before->now;
  bool good = web->pairs.count == 0 || live_between(before, now, &between);
  good = good && (web->pairs.count == 0 || live_pairs_take(&web->pairs, &between));
  live_reading_free(&between);
  return good;
}

void live_web_pairs_free(struct live_web_pairs *web)
{
  while (web->pairs.count > 0)
    live_web_pairs_drop(&web->pairs, web->pairs.count - 1);
}
