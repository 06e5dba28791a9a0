#include "otf2-convert/live/live_lines.h"

#include "common/raw/live_control.h"
#include "otf2-convert/describe/names.h"
#include "otf2-convert/plan/module_map.h"
#include "otf2-convert/text_fields.h"
#include "otf2-convert/timeline/profile_rows.h"
#include "otf2-convert/timeline/record_details.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void live_lines_free(struct live_lines *lines)
{
  string_table_free(&lines->regions);
  string_table_free(&lines->codes);
  string_table_free(&lines->threads);
  string_table_free(&lines->objects);
  hash_free(&lines->object_of);
}

void live_lines_forget(struct live_lines *lines)
{
  region_cache_clear(&lines->cache);
  hash_free(&lines->object_of);
}

/* One field: no tab, no newline. */
static void put_text(FILE *out, const char *text)
{
  char plain[DEFINITIONS_TEXT_MAX];
  escape_control(text, plain, sizeof plain);
  fprintf(out, "\t%s", plain);
}

/* A line's fields as one text; NULL: memory is short. The caller frees it. */
static char *region_fields(const struct definitions *definitions, const struct region *region)
{
  char *fields = NULL, name[DEFINITIONS_TEXT_MAX], description[REGION_DESCRIPTION_SIZE];
  size_t size;
  FILE *out = open_memstream(&fields, &size);
  if (out == NULL)
    return NULL;
  region_name(definitions, region, name, sizeof name);
  region_description(region, description, sizeof description);
  fprintf(out, "%u\t%u\t%" PRIu32, (unsigned)construct_facts[region->construct].role,
          (unsigned)construct_paradigm(region->construct), region->place.line);
  put_text(out, name);
  put_text(out, region->place.function[0] != 0 ? region->place.function : name);
  put_text(out, description);
  put_text(out, region->place.file);
  return fclose(out) == 0 ? fields : NULL;
}

/* The number of a region in lines by its fields, which are freed. It is reported if it is new; STRING_TABLE_NONE:
 * memory is short.
 */
static uint32_t tell_fields(struct live_lines *lines, FILE *out, char *fields)
{
  size_t known = lines->regions.items.count;
  uint32_t number = fields == NULL ? STRING_TABLE_NONE : string_table_number(&lines->regions, fields);
  if (number == known)
    fprintf(out, LIVE_REGION "\t%" PRIu32 "\t%s\n", number, fields);
  free(fields);
  return number;
}

static uint32_t tell_region(struct live_lines *lines, FILE *out, const struct definitions *definitions, uint32_t region)
{
  return tell_fields(lines, out, region_fields(definitions, &definitions->regions.items[region]));
}

/* The same of a construct at a code; STRING_TABLE_NONE also where there is none. */
static uint32_t tell_construct(struct live_lines *lines, FILE *out, struct definitions *definitions,
                               enum construct construct, uint64_t code)
{
  if (construct == CONSTRUCT_COUNT)
    return STRING_TABLE_NONE;
  if (construct_is_user(construct))
    code = definitions_user_code(code);
  return tell_region(lines, out, definitions, definitions_region(definitions, &lines->cache, 0, construct, &code, 0));
}

/* Reports once by which code the recorder knows a region. */
static void tell_code(struct live_lines *lines, FILE *out, uint32_t region, bool user, uint64_t code)
{
  char fields[48];
  snprintf(fields, sizeof fields, "%" PRIu32 "\t%" PRIu64, region, code | (user ? RAW_CODE_USER : 0));
  size_t known = lines->codes.items.count;
  if (region != STRING_TABLE_NONE && code != 0 && string_table_number(&lines->codes, fields) == known)
    fprintf(out, LIVE_CODE "\t%s\n", fields);
}

/* A row or a metric of a thread; region: STRING_TABLE_NONE: none. */
static void put_kind(FILE *out, const char *word, const struct live_thread *thread, const char *kind, uint32_t region)
{
  fprintf(out, "%s\t%" PRIu32 "\t%s\t", word, thread->number, kind);
  if (region != STRING_TABLE_NONE)
    fprintf(out, "%" PRIu32, region);
}

static void live_lines_put_row(struct live_lines *lines, FILE *out, struct definitions *definitions,
                               const struct live_thread *thread, const struct live_row *row)
{
  uint64_t copy[CODE_EXCHANGE_WORDS];
  const struct module_map *map = &definitions->plan->processes.items[0].info.modules.map;
  const uint64_t *words = code_exchange(map, row->words, copy);
  enum construct construct;
  const char *kind = definitions->strings.items.items[profile_row_means(definitions, 0, words[0], &construct)];
  uint32_t region = tell_construct(lines, out, definitions, construct, raw_value_of(words[0]));
  tell_code(lines, out, region, construct_is_user(construct), raw_value_of(row->words[0]));
  put_kind(out, LIVE_ROW, thread, kind, region);
  for (unsigned i = RAW_ROW_EXECUTIONS; i < RAW_ROW_HISTOGRAM; i++)
    fprintf(out, "\t%" PRIu64, row->words[i]);
  if (raw_kind_of(row->words[0]) == RAW_PROFILE_TEAM_ROW)
    fprintf(out, "\t" LIVE_MEMBER "%" PRIu64, row->words[RAW_ROW_MEMBER_NUMBER]);
  for (unsigned i = 0; i < RAW_ROW_BUCKETS; i++)
    if (row->words[RAW_ROW_HISTOGRAM + i] > 0)
      fprintf(out, "\t%u:%" PRIu64, i + RAW_ROW_FIRST_POWER + 1, row->words[RAW_ROW_HISTOGRAM + i]);
  putc('\n', out);
}

/* Debug information is searched once for each. */
static const char *object_name(struct live_lines *lines, struct definitions *definitions, const uint64_t *words)
{
  char name[DEFINITIONS_TEXT_MAX];
  unsigned metric = raw_detail_of(words[0]) >> 4;
  bool is_event = metric == RAW_METRIC_EVENT || metric == RAW_METRIC_VALUE;
  uint64_t key = hash_mix(words[RAW_METRIC_OBJECT] + hash_mix((is_event ? raw_value_of(words[0]) : 0) << 4 | metric));
  const uint64_t *known = hash_find(&lines->object_of, key);
  if (known != NULL)
    return lines->objects.items.items[*known];
  profile_metric_object(definitions, 0, words, name, sizeof name);
  uint32_t number = string_table_number(&lines->objects, name);
  if (number == STRING_TABLE_NONE || hash_add(&lines->object_of, key, number) == NULL)
    return "";
  return lines->objects.items.items[number];
}

static void put_real(FILE *out, uint64_t word)
{
  double real;
  memcpy(&real, &word, sizeof real);
  fprintf(out, "\t%.17g", real);
}

static void put_metric(struct live_lines *lines, FILE *out, struct definitions *definitions,
                       const struct live_thread *thread, const struct live_metric *metric)
{
  uint64_t copy[CODE_EXCHANGE_WORDS];
  const struct module_map *map = &definitions->plan->processes.items[0].info.modules.map;
  const uint64_t *words = code_exchange(map, metric->words, copy);
  enum construct construct;
  const char *kind = definitions->strings.items.items[profile_metric_means(definitions, 0, words, &construct)];
  uint32_t region = tell_construct(lines, out, definitions, construct, raw_value_of(words[0]));
  put_kind(out, LIVE_METRIC, thread, kind, region);
  if (metric->around == SIZE_MAX)
    fputs("\t", out);
  else
    fprintf(out, "\t%zu", metric->around);
  put_text(out, object_name(lines, definitions, words));
  put_text(out, profile_metric_attribute(definitions, 0, words));
  for (unsigned i = RAW_METRIC_COUNT; i < RAW_METRIC_SUM; i++)
    fprintf(out, "\t%" PRIu64, words[i]);
  if (profile_metric_is_real(words)) {
    fputs("\t" LIVE_REAL, out);
    put_real(out, words[RAW_METRIC_SUM]);
    put_real(out, words[RAW_METRIC_LAST]);
  } else {
    fprintf(out, "\t\t%" PRIi64 "\t%" PRIi64, (int64_t)words[RAW_METRIC_SUM], (int64_t)words[RAW_METRIC_LAST]);
  }
  putc('\n', out);
}

static void put_allocated(FILE *out, const struct live_thread *thread)
{
  put_kind(out, LIVE_METRIC, thread, LIVE_ALLOCATED, STRING_TABLE_NONE);
  fprintf(out, "\t\t\t\t%" PRIu64, thread->allocated);
  for (unsigned i = RAW_METRIC_CONTENDED; i < RAW_METRIC_SUM; i++)
    fputs("\t0", out);
  fputs("\t\t0\t0\n", out);
}

/* The region of a function. */
static uint32_t tell_function(struct live_lines *lines, FILE *out, const char *name, const char *file)
{
  char *fields = NULL;
  size_t size;
  FILE *text = open_memstream(&fields, &size);
  if (text == NULL)
    return STRING_TABLE_NONE;
  fprintf(text, "%u\t%u\t0", (unsigned)OTF2_REGION_ROLE_FUNCTION, (unsigned)OTF2_PARADIGM_SAMPLING);
  put_text(text, name);
  put_text(text, name);
  put_text(text, "");
  put_text(text, file);
  if (fclose(text) == 0)
    return tell_fields(lines, out, fields);
  free(fields);
  return STRING_TABLE_NONE;
}

static void put_function(FILE *out, const struct live_thread *thread, const struct live_function *function,
                         uint32_t region)
{
  put_kind(out, LIVE_METRIC, thread, LIVE_SAMPLES, region);
  fprintf(out, "\t\t\t\t%" PRIu64, function->self);
  for (unsigned k = RAW_METRIC_CONTENDED; k < RAW_METRIC_SUM; k++)
    fputs("\t0", out);
  fprintf(out, "\t\t%" PRIu64 "\t0\n", function->total < INT64_MAX ? function->total : INT64_MAX);
}

static void put_samples(struct live_lines *lines, FILE *out, const struct definitions *definitions,
                        const struct live_sampled_functions *samples, const struct live_thread *thread)
{
  size_t count;
  const struct java_names *names = &definitions->plan->processes.items[0].info.java;
  const struct live_function *functions = live_samples_of(samples, thread->number, &count);
  for (size_t i = 0; i < count; i++) {
    uint32_t function = functions[i].function;
    const struct java_place *place = java_place(names, samples->places.items[function]);
    put_function(out, thread, &functions[i],
                 tell_function(lines, out, samples->functions.items.items[function], place ? place->file : ""));
  }
}

static void put_native(struct live_lines *lines, FILE *out, const struct live_native *native,
                       const struct live_thread *thread)
{
  size_t count;
  const struct live_function *functions = live_native_of(native, thread->number, &count);
  for (size_t i = 0; i < count; i++) {
    int bytes;
    char name[8192];
    const char *file, *text = live_paths_text(live_native_paths(native), functions[i].function, &bytes, &file);
    snprintf(name, sizeof name, "%.*s", bytes, text);
    put_function(out, thread, &functions[i], tell_function(lines, out, name, file));
  }
}

static bool live_lines_is_root(const struct live_look *look, const struct live_thread *thread)
{
  return thread->is.type == THREAD_INITIAL || thread == look->threads.items;
}

/* The name of a thread as the archive would have it, had the process ended now. */
static void name_thread(const struct live_thread *thread, bool openmp, const struct thread_number *number, char *name,
                        size_t size)
{
  struct thread_names names = {.user = thread->is.user,
                               .java = thread->is.java,
                               .system = thread->is.system,
                               .java_id = thread->is.java_id,
                               .number = number->number,
                               .is_java = thread->is.is_java,
                               .is_virtual = (thread->is.java_flags & RAW_JAVA_VIRTUAL) != 0,
                               .is_root = number->is_root,
                               .openmp = openmp};
  thread_name(&names, name, size);
}

static void tell_thread(struct live_lines *lines, FILE *out, struct definitions *definitions,
                        struct live_thread *thread, const char *name)
{
  char fields[2 * DEFINITIONS_TEXT_MAX + 128], plain[DEFINITIONS_TEXT_MAX], start[DEFINITIONS_TEXT_MAX] = "";
  escape_control(name, plain, sizeof plain);
  if (thread->is.start != 0)
    escape_control(definitions_place(definitions, 0, thread->is.start).function, start, sizeof start);
  snprintf(fields, sizeof fields, "%" PRIu32 "\t%" PRIu64 "\t%s\t%s\t%s", thread->number, thread->is.tid,
           thread_type_name(thread->is.is_java, thread->is.type, thread->is.java_flags), plain, start);
  uint32_t as = string_table_number(&lines->threads, fields) + 1; /* STRING_TABLE_NONE becomes 0 */
  if (as == 0 || as != thread->told.as)
    fprintf(out, LIVE_THREAD "\t%s\n", fields);
  thread->told.as = as;
}

static void put_thread(struct live_lines *lines, FILE *out, struct definitions *definitions,
                       const struct live_sampled_functions *samples, const struct live_native *native,
                       const struct live_thread *thread)
{
  fprintf(out, LIVE_LOOK "\t%" PRIu32 "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t", thread->number,
          thread->over ? LIVE_HAS_ENDED : LIVE_LIVES, thread->first, thread->last, thread->seen);
  if (thread->inside < thread->rows.count && !thread->over)
    fprintf(out, "%zu", thread->inside);
  putc('\n', out);
  for (size_t i = 0; i < thread->rows.count; i++)
    live_lines_put_row(lines, out, definitions, thread, &thread->rows.items[i]);
  for (size_t i = 0; i < thread->metrics.count; i++)
    put_metric(lines, out, definitions, thread, &thread->metrics.items[i]);
  if (thread->allocated > 0)
    put_allocated(out, thread);
  put_samples(lines, out, definitions, samples, thread);
  if (native != NULL)
    put_native(lines, out, native, thread);
}

/* Samples of a thread that has ended may be in calls whose names come yet. */
static bool live_lines_is_whole(const struct live_look *look, const struct live_thread *thread)
{
  return thread->over && !live_samples_wait(&look->samples, thread->number);
}

/* One a thread of the look; the caller frees them. NULL: no memory. */
static struct thread_number *number_threads(const struct live_look *look)
{
  size_t count = look->threads.count;
  struct thread_number *numbers = calloc(count + 1, sizeof *numbers);
  for (size_t i = 0; numbers != NULL && i < count; i++) {
    const struct live_thread *thread = &look->threads.items[i];
    numbers[i] = (struct thread_number){.is_root = live_lines_is_root(look, thread), .in_team = thread->first_index};
  }
  if (numbers == NULL || thread_numbers(numbers, count))
    return numbers;
  free(numbers);
  return NULL;
}

/* The constructs of all threads, also of threads that have ended and are not reported again: code was outlined for
 * some. */
static void know_constructs(struct live_lines *lines, struct definitions *definitions, const struct live_look *look)
{
  uint64_t copy[CODE_EXCHANGE_WORDS];
  const struct module_map *map = &definitions->plan->processes.items[0].info.modules.map;
  for (size_t i = 0; i < look->threads.count; i++)
    for (size_t k = 0; k < look->threads.items[i].rows.count; k++) {
      const uint64_t *words = code_exchange(map, look->threads.items[i].rows.items[k].words, copy);
      enum construct construct;
      profile_row_means(definitions, 0, words[0], &construct);
      uint64_t code = raw_value_of(words[0]);
      if (construct != CONSTRUCT_COUNT && !construct_is_user(construct))
        definitions_region(definitions, &lines->cache, 0, construct, &code, 0);
    }
}

static bool sum_samples(struct live_lines *lines, struct definitions *definitions, struct live_look *look,
                        struct live_native *native, bool over)
{
  const struct process_info *info = &definitions->plan->processes.items[0].info;
  if (native != NULL)
    know_constructs(lines, definitions, look);
  return live_samples_sum(&look->samples, &info->java_calls, &info->java, over) &&
         (native == NULL || live_native_sum(native, over));
}

void live_lines_write(struct live_lines *lines, FILE *out, struct definitions *definitions, struct live_look *look,
                      struct live_native *native, uint64_t now, bool over)
{
  const struct process_info *info = &definitions->plan->processes.items[0].info;
  struct thread_number *numbers = number_threads(look);
  if (numbers == NULL || !sum_samples(lines, definitions, look, native, over)) {
    free(numbers);
    atomic_store(&definitions->out_of_memory, true);
    return;
  }
  fprintf(out, LIVE_READING "\t%" PRIu64 "\n", now);
  for (size_t i = 0; i < look->threads.count; i++) {
    struct live_thread *thread = &look->threads.items[i];
    char name[DEFINITIONS_TEXT_MAX];
    bool news = native != NULL && live_native_has_news(native, thread->number);
    if (!thread->known || (thread->told.over && !news))
      continue;
    name_thread(thread, process_info_has_openmp(info), &numbers[i], name, sizeof name);
    tell_thread(lines, out, definitions, thread, name);
    thread->told.over = live_lines_is_whole(look, thread);
    put_thread(lines, out, definitions, &look->samples, native, thread);
  }
  free(numbers);
  fputs(over ? LIVE_OVER "\n" LIVE_END "\n" : LIVE_END "\n", out);
}
