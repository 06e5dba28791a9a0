#include "analyzer/live/live_web.h"

#include "analyzer/command/print/json_writer.h"
#include "analyzer/live/live_pairs.h"
#include "analyzer/live/live_print.h"
#include "analyzer/live/loopback/loopback.h"
#include "analyzer/record/launch/live_request.h"
#include "analyzer/report/page.h"
#include "common/raw/live_control.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Pairs of a metric and a focus that a browser adds and removes. All under the caller's lock. */
struct live_web_pairs {
  struct live_pairs pairs;        /* their texts belong to this */
  struct live_requests *requests; /* to the process; NULL: it has no control file, or cannot trace */
  bool alone;                     /* the process measures nothing else */
  uint64_t from;                  /* ticks: begin of what was taken last */
};

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

/* Adds a pair, which counts from the next live_web_pairs_take() on. False: an error, and nothing has changed. */
static bool live_web_pairs_add(struct live_web_pairs *web, struct live *live, const char *text, struct error *error)
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

/* False: there is no such pair, or the process cannot be switched. */
static bool live_web_pairs_remove(struct live_web_pairs *web, const char *text, struct error *error)
{
  size_t at = live_web_pairs_place_of(&web->pairs, text);
  if (at == web->pairs.count)
    return error_set(error, "there is no such pair");
  live_web_pairs_drop(&web->pairs, at);
  return live_web_pairs_measure(web, error);
}

/* Measures the pairs alone, or all again. False: the process cannot be switched. */
static bool live_web_pairs_alone(struct live_web_pairs *web, bool alone, struct error *error)
{
  bool before = web->alone;
  web->alone = alone;
  if (live_web_pairs_measure(web, error))
    return true;
  web->alone = before;
  return false;
}

/* Adds the time between two readings. False: out of memory. */
static bool live_web_pairs_take(struct live_web_pairs *web, const struct live_reading *before,
                                const struct live_reading *now)
{
  struct live_reading between = {.threads = NULL};
  web->from = before->now;
  bool good = web->pairs.count == 0 || live_between(before, now, &between);
  good = good && (web->pairs.count == 0 || live_pairs_take(&web->pairs, &between));
  live_reading_free(&between);
  return good;
}

static void live_web_pairs_free(struct live_web_pairs *web)
{
  while (web->pairs.count > 0)
    live_web_pairs_drop(&web->pairs, web->pairs.count - 1);
}

#define LIVE_WEB_SECOND_NS 1000000000u

/* The main thread reads, the server's thread answers. */
struct web {
  pthread_mutex_t lock; /* of all below */
  struct live *live;
  uint64_t interval_ns;
  struct live_reading base, now; /* threads NULL: none yet */
  struct live_reading between;   /* what came from `base` to `now`; threads NULL: there is no `base` */
  uint64_t number;               /* of `now` */
  uint64_t due_ns;               /* when the next reading is due */
  struct live_web_pairs pairs;
  char *documents[2]; /* of `now`: since `base`, and since each thread began; NULL: nobody asked yet */
};

static uint64_t clock_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * LIVE_WEB_SECOND_NS + (uint64_t)now.tv_nsec;
}

static void drop_documents(struct web *web)
{
  for (size_t i = 0; i < 2; i++) {
    free(web->documents[i]);
    web->documents[i] = NULL;
  }
}

/*
 * Takes the place of the reading before. The last reading of a process comes after a part of an interval, which may
 * have nothing: it is shown together with the interval before.
 */
static bool replace(struct web *web, const struct live_reading *fresh)
{
  struct live_reading *before = fresh->over ? NULL : &web->base;
  live_reading_free(before ? before : &web->now);
  if (before)
    *before = web->now;
  web->now = *fresh;
  live_reading_free(&web->between);
  web->between = (struct live_reading){.threads = NULL};
  web->number++;
  drop_documents(web);
  return !web->base.threads || live_between(&web->base, &web->now, &web->between);
}

/* Under the lock. */
static bool take_now(struct web *web, struct error *error)
{
  struct live_reading fresh;
  if (!live_read(web->live, &fresh, error))
    return false;
  bool good = !web->now.threads || live_web_pairs_take(&web->pairs, &web->now, &fresh);
  good = replace(web, &fresh) && good;
  web->due_ns = clock_ns() + web->interval_ns;
  return good || error_set(error, "out of memory");
}

static bool take(struct web *web, struct error *error)
{
  pthread_mutex_lock(&web->lock);
  bool good = take_now(web, error);
  pthread_mutex_unlock(&web->lock);
  return good;
}

/* The document of `heddle live --json`; NULL: out of memory. */
static char *make_document(const struct web *web, bool whole)
{
  static const struct live_view view = {.format = PRINT_JSON};
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  const struct live_reading *reading = whole || !web->between.threads ? &web->now : &web->between;
  bool good = live_print_to(file, &view, web->live, reading);
  if (fclose(file) == 0 && good)
    return text;
  free(text);
  return NULL;
}

/* The document of `heddle live --pair --json`; NULL: out of memory. */
static char *make_pairs(const struct web *web)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  bool good = live_pairs_put(&web->pairs.pairs, file, web->live, &web->now, web->pairs.from);
  if (fclose(file) == 0 && good)
    return text;
  free(text);
  return NULL;
}

/* Seconds since the first thread began. */
static double age_of(const struct live_reading *reading)
{
  return (double)(reading->now - live_began(reading)) / (double)reading->trace->ticks_per_second;
}

/* The caller frees the text. NULL: no memory. */
static char *make_answer(struct web *web, bool whole, uint64_t after, size_t *size)
{
  char *text = NULL;
  bool known = after == web->number, over = web->now.over;
  uint64_t now = clock_ns(), left = web->due_ns > now ? web->due_ns - now : 0;
  char **document = &web->documents[whole];
  if (!known && !*document && !(*document = make_document(web, whole)))
    return NULL;
  char *pairs = make_pairs(web);
  FILE *file = pairs ? open_memstream(&text, size) : NULL;
  if (!file) {
    free(pairs);
    return NULL;
  }
  struct json_writer json = json_writer(file);
  json_put_object(&json, NULL);
  json_put_count(&json, "number", web->number);
  json_put_real(&json, "interval", (double)web->interval_ns / LIVE_WEB_SECOND_NS);
  json_put_real(&json, "age", age_of(&web->now));
  if (over)
    json_put_raw(&json, "next", NULL);
  else
    json_put_real(&json, "next", (double)left / LIVE_WEB_SECOND_NS);
  json_put_raw(&json, "over", over ? "true" : "false");
  json_put_raw(&json, "reading", known ? NULL : *document);
  json_put_raw(&json, "pairs", pairs);
  json_put_raw(&json, "alone", web->pairs.alone ? "true" : "false");
  json_put_end(&json);
  free(pairs);
  if (fclose(file) == 0)
    return text;
  free(text);
  return NULL;
}

/* A change of the pairs: what begins or ends with it is in readings of its own. False: there is no such change. */
static bool change_pairs(struct web *web, const struct loopback_query *query, bool *good, struct error *error)
{
  const char *add = loopback_text(query, "add"), *remove = loopback_text(query, "remove");
  uint64_t alone = 0;
  if ((add != NULL) + (remove != NULL) + loopback_number(query, "alone", &alone) != 1 || alone > 1)
    return false;
  bool reads = !web->now.over && (remove || take_now(web, error));
  *good = web->now.over ? error_set(error, "the program has ended")
          : !reads      ? false
          : add         ? live_web_pairs_add(&web->pairs, web->live, add, error)
          : remove      ? live_web_pairs_remove(&web->pairs, remove, error)
                        : live_web_pairs_alone(&web->pairs, alone == 1, error);
  return true;
}

/* Says what is against a change, or null. */
static char *make_said(const char *error, size_t *size)
{
  char *text = NULL;
  FILE *file = open_memstream(&text, size);
  if (!file)
    return NULL;
  struct json_writer json = json_writer(file);
  json_put_object(&json, NULL);
  if (error)
    json_put_text(&json, "error", error);
  else
    json_put_raw(&json, "error", NULL);
  json_put_array(&json, "metrics");
  for (size_t i = 0; i < live_asked_metric_count; i++) {
    json_put_object(&json, NULL);
    json_put_text(&json, "metric", live_asked_metrics[i].name);
    json_put_text(&json, "meaning", live_asked_metrics[i].help);
    json_put_end(&json);
  }
  json_put_end(&json);
  json_put_end(&json);
  if (fclose(file) == 0)
    return text;
  free(text);
  return NULL;
}

static bool give_pairs(struct web *web, const struct loopback_query *query, struct loopback_answer *answer)
{
  struct error error;
  bool good = true;
  pthread_mutex_lock(&web->lock);
  bool known = loopback_text(query, "metrics") || change_pairs(web, query, &good, &error);
  pthread_mutex_unlock(&web->lock);
  *answer = (struct loopback_answer){.type = "application/json"};
  if (known)
    answer->bytes = make_said(good ? NULL : error.message, &answer->size);
  return known;
}

static bool give(void *context, const char *path, const struct loopback_query *query, struct loopback_answer *answer)
{
  struct web *web = context;
  uint64_t whole, after = 0;
  if (*path == '\0') {
    struct live_page page = live_page_get();
    *answer = (struct loopback_answer){
        .type = "text/html; charset=utf-8", .bytes = (void *)page.text, .size = page.size, .stays = true};
    return true;
  }
  if (strcmp(path, "pairs") == 0)
    return give_pairs(web, query, answer);
  if (strcmp(path, "reading") != 0 || !loopback_number(query, "whole", &whole) || whole > 1 ||
      !loopback_number(query, "after", &after))
    return false;
  *answer = (struct loopback_answer){.type = "application/json"};
  pthread_mutex_lock(&web->lock);
  answer->bytes = make_answer(web, whole, after, &answer->size);
  pthread_mutex_unlock(&web->lock);
  return true;
}

/* Waits for the signals that end us. False: none came in time. */
static bool is_interrupted(const sigset_t *ends, uint64_t ns)
{
  struct timespec left = {.tv_sec = (time_t)(ns / LIVE_WEB_SECOND_NS), .tv_nsec = (long)(ns % LIVE_WEB_SECOND_NS)};
  return sigtimedwait(ends, NULL, &left) > 0;
}

static bool live_web_serve(struct web *web, const sigset_t *ends, struct error *error)
{
  while (!is_interrupted(ends, web->interval_ns)) {
    if (!take(web, error))
      return is_interrupted(ends, 0); /* an interrupt at the terminal also ends the program that reads for us */
    if (!web->now.over)
      continue;
    int which;
    live_print_end(&(struct live_view){.format = PRINT_TEXT}, web->live, true);
    fflush(stdout);
    sigwait(ends, &which);
    break;
  }
  return true;
}

/* The pairs that are given at the start; nobody else is here yet. */
static bool add_pairs(struct web *web, const struct live_web_options *options, struct error *error)
{
  struct error wrong;
  web->pairs.alone = options->pair_count > 0;
  for (size_t i = 0; i < options->pair_count; i++)
    if (!live_web_pairs_add(&web->pairs, web->live, options->pairs[i].text, &wrong))
      return error_set(error, "--pair %s: %s", options->pairs[i].text, wrong.message);
  return true;
}

bool live_web(struct live *live, struct live_requests *requests, const struct live_web_options *options,
              struct error *error)
{
  struct web web = {.lock = PTHREAD_MUTEX_INITIALIZER,
                    .live = live,
                    .interval_ns = options->interval_ns,
                    .pairs = {.requests = requests}};
  sigset_t ends;
  loopback_block_ends(&ends);
  struct loopback *loopback = NULL;
  if (take(&web, error) && add_pairs(&web, options, error))
    loopback = loopback_start(options->port, give, &web, error);
  bool good = loopback != NULL;
  if (good) {
    printf("%s\n", loopback_address(loopback));
    good = fflush(stdout) == 0 && live_web_serve(&web, &ends, error);
  }
  loopback_stop(loopback);
  live_reading_free(&web.between);
  live_reading_free(&web.base);
  live_reading_free(&web.now);
  live_web_pairs_free(&web.pairs);
  drop_documents(&web);
  return good;
}
