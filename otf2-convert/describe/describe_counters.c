/* The metrics of counters: one of each name, and for each process a class of those that its threads read. */
#include "otf2-convert/describe/describer.h"
#include "otf2-convert/scan/counters.h"

#include "common/raw/archive_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FIRST_MEMBER 3u /* after METRICS */

/* A name, and its source, of which the unit depends. */
static OTF2_MetricMemberRef member_of(struct describer *d, struct string_table *members, const char *name, char source)
{
  char key[COUNTER_NAME_SIZE + 4];
  snprintf(key, sizeof key, "%c %s", source, name);
  size_t known = members->items.count;
  uint32_t number = string_table_number(members, key);
  if (number == STRING_TABLE_NONE) {
    d->error = ENOMEM;
    return FIRST_MEMBER;
  }
  if (members->items.count == known)
    return FIRST_MEMBER + number;
  int64_t exponent;
  const char *unit = counter_unit(source, &exponent);
  OTF2_StringRef name_ref = describer_string(d, name), unit_ref = describer_string(d, unit);
  OTF2_StringRef description = describer_string(d, "counted for the thread since its first reading");
  archive_check(d->archive,
                OTF2_GlobalDefWriter_WriteMetricMember(d->writer, FIRST_MEMBER + number, name_ref, description,
                                                       counter_type(source), OTF2_METRIC_ACCUMULATED_START,
                                                       OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, exponent, unit_ref));
  return FIRST_MEMBER + number;
}

static void write_classes(struct describer *d)
{
  struct string_table members = {0};
  for (uint32_t i = 0; i < d->plan->processes.count; i++) {
    struct counter_names names = counter_names(&d->plan->processes.items[i].info);
    OTF2_MetricMemberRef refs[COUNTER_NAMES_MOST];
    for (unsigned k = 0; k < names.count; k++)
      refs[k] = member_of(d, &members, names.list[k].name, names.list[k].source);
    if (names.count > 0)
      archive_check(d->archive, OTF2_GlobalDefWriter_WriteMetricClass(
                                    d->writer, d->plan->processes.items[i].counter_class, (uint8_t)names.count, refs,
                                    OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
  }
  string_table_free(&members);
}

void describe_counters(struct describer *d)
{
  char number[32];
  uint64_t lost = 0;
  double ns = 0;
  for (uint32_t i = 0; i < d->plan->processes.count; i++) {
    const struct process *process = &d->plan->processes.items[i];
    lost += process->info.counters_lost;
    if (ns == 0 && process->frequency > 0)
      ns = (double)process->info.counter_ticks * 1e9 / process->frequency;
  }
  if (d->converted->counts.counters > 0) {
    write_classes(d);
    snprintf(number, sizeof number, "%" PRIu64, d->converted->counts.counters);
    archive_set_property(d->archive, ARCHIVE_COUNTERS, number);
  }
  if (ns > 0 && ns < 1e9) {
    snprintf(number, sizeof number, "%.0f", ns);
    archive_set_property(d->archive, ARCHIVE_COUNTERS_PRICE, number);
  }
  if (lost > 0) {
    snprintf(number, sizeof number, "%" PRIu64, lost);
    archive_set_property(d->archive, ARCHIVE_COUNTERS_LOST, number);
  }
}

bool describe_counters_scaled(const struct location *location, char *names, size_t size)
{
  struct counter_names all = counter_names(&location->process->info);
  names[0] = 0;
  for (unsigned i = 0; i < all.count; i++) {
    size_t used = strlen(names);
    if ((location->facts.counters_scaled >> i & 1) != 0)
      snprintf(names + used, size - used, "%s%s", used > 0 ? "," : "", all.list[i].name);
  }
  return names[0] != 0;
}
