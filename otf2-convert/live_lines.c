#include "otf2-convert/live_lines.h"

#include "common/live_words.h"
#include "otf2-convert/code_exchange.h"
#include "otf2-convert/ompt_numbers.h"
#include "otf2-convert/plain_text.h"
#include "otf2-convert/profile_row.h"
#include "otf2-convert/region_name.h"
#include "otf2-convert/thread_name.h"

#include <inttypes.h>

void live_lines_free(struct live_lines *lines)
{
  texts_free(&lines->regions);
  texts_free(&lines->threads);
}

/* One field: no tab, no newline. */
static void put_text(FILE *out, const char *text)
{
  char plain[DEFINITIONS_TEXT_MAX];
  plain_text(text, plain, sizeof plain);
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

/* The number of a region in lines, which is told if it is new; TEXTS_NONE: memory is short. */
static uint32_t tell_region(struct live_lines *lines, FILE *out, const struct definitions *definitions, uint32_t region)
{
  char *fields = region_fields(definitions, &definitions->regions.items[region]);
  size_t known = lines->regions.items.count;
  uint32_t number = fields == NULL ? TEXTS_NONE : texts_number(&lines->regions, fields);
  if (number == known)
    fprintf(out, LIVE_REGION "\t%" PRIu32 "\t%s\n", number, fields);
  free(fields);
  return number;
}

static void put_row(struct live_lines *lines, FILE *out, struct definitions *definitions,
                    const struct live_thread *thread, const struct live_row *row)
{
  uint64_t copy[CODE_EXCHANGE_WORDS];
  const struct module_map *map = &definitions->plan->processes.items[0].info.modules.map;
  const uint64_t *words = code_exchange(map, row->words, copy);
  enum construct construct;
  const char *kind = definitions->strings.items.items[profile_row_means(definitions, 0, words[0], &construct)];
  uint32_t region = TEXTS_NONE;
  if (construct != CONSTRUCT_COUNT) {
    uint64_t code = raw_value_of(words[0]);
    if (construct_is_user(construct))
      code = definitions_user_code(code);
    region =
        tell_region(lines, out, definitions, definitions_region(definitions, &lines->cache, 0, construct, &code, 0));
  }
  fprintf(out, LIVE_ROW "\t%" PRIu32 "\t%s\t", thread->number, kind);
  if (region != TEXTS_NONE)
    fprintf(out, "%" PRIu32, region);
  for (unsigned i = RAW_ROW_EXECUTIONS; i < RAW_ROW_HISTOGRAM; i++)
    fprintf(out, "\t%" PRIu64, row->words[i]);
  for (unsigned i = 0; i < RAW_ROW_BUCKETS; i++)
    if (row->words[RAW_ROW_HISTOGRAM + i] > 0)
      fprintf(out, "\t%u:%" PRIu64, i + RAW_ROW_FIRST_POWER + 1, row->words[RAW_ROW_HISTOGRAM + i]);
  putc('\n', out);
}

static bool is_root(const struct live_look *look, const struct live_thread *thread)
{
  return thread->is.type == THREAD_INITIAL || thread == look->threads.items;
}

/* The name of a thread as the archive would have it, had the process ended now. */
static void name_thread(const struct live_look *look, const struct live_thread *thread, bool openmp, uint32_t place,
                        char *name, size_t size)
{
  struct thread_names names = {.user = thread->is.user,
                               .java = thread->is.java,
                               .system = thread->is.system,
                               .java_id = thread->is.java_id,
                               .number = place,
                               .is_java = thread->is.is_java,
                               .is_root = is_root(look, thread),
                               .openmp = openmp};
  if (!names.is_root && thread->first_index != UINT32_MAX && thread->first_index != 0)
    names.number = thread->first_index;
  thread_name(&names, name, size);
}

static void tell_thread(struct live_lines *lines, FILE *out, struct live_thread *thread, const char *name)
{
  char fields[DEFINITIONS_TEXT_MAX + 128], plain[DEFINITIONS_TEXT_MAX];
  plain_text(name, plain, sizeof plain);
  snprintf(fields, sizeof fields, "%" PRIu32 "\t%" PRIu64 "\t%s\t%s", thread->number, thread->is.tid,
           thread_type_name(thread->is.is_java, thread->is.type, thread->is.java_flags), plain);
  uint32_t as = texts_number(&lines->threads, fields) + 1; /* TEXTS_NONE becomes 0 */
  if (as == 0 || as != thread->told.as)
    fprintf(out, LIVE_THREAD "\t%s\n", fields);
  thread->told.as = as;
}

static void put_thread(struct live_lines *lines, FILE *out, struct definitions *definitions,
                       const struct live_thread *thread)
{
  fprintf(out, LIVE_LOOK "\t%" PRIu32 "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t", thread->number,
          thread->over ? LIVE_ENDED : LIVE_LIVES, thread->first, thread->last, thread->seen);
  if (thread->inside < thread->rows.count && !thread->over)
    fprintf(out, "%zu", thread->inside);
  putc('\n', out);
  for (size_t i = 0; i < thread->rows.count; i++)
    put_row(lines, out, definitions, thread, &thread->rows.items[i]);
}

void live_lines_write(struct live_lines *lines, FILE *out, struct definitions *definitions, struct live_look *look,
                      uint64_t now, bool over)
{
  bool openmp = process_info_has_openmp(&definitions->plan->processes.items[0].info);
  uint32_t roots = 0, others = 0;
  fprintf(out, LIVE_READING "\t%" PRIu64 "\n", now);
  for (size_t i = 0; i < look->threads.count; i++) {
    struct live_thread *thread = &look->threads.items[i];
    char name[DEFINITIONS_TEXT_MAX];
    uint32_t place = is_root(look, thread) ? ++roots : ++others;
    if (!thread->known || thread->told.over)
      continue;
    name_thread(look, thread, openmp, place, name, sizeof name);
    tell_thread(lines, out, thread, name);
    thread->told.over = thread->over;
    put_thread(lines, out, definitions, thread);
  }
  fputs(over ? LIVE_OVER "\n" LIVE_END "\n" : LIVE_END "\n", out);
}
