#include "analyzer/findings/scale/scale.h"
#include "analyzer/models/json_file/json_file.h"
#include "base/count_of.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#define NS           1e9
#define TALP_VERSION "3.6.0" /* the version of DLB that has this form of table */

enum talp_time { USEFUL, IMBALANCE, SERIALIZATION, SCHEDULING, TALP_TIMES };

static const char *const time_names[TALP_TIMES] = {[USEFUL] = "usefulTime",
                                                   [IMBALANCE] = "ompLoadImbalanceTime",
                                                   [SERIALIZATION] = "ompSerializationTime",
                                                   [SCHEDULING] = "ompSchedulingTime"};
/* Kinds of the account that stand for times that are read, and what is said of them. */
static const enum account_kind read_as[TALP_TIMES] = {[USEFUL] = ACCOUNT_WORK,
                                                      [IMBALANCE] = ACCOUNT_IMBALANCE,
                                                      [SERIALIZATION] = ACCOUNT_SERIAL,
                                                      [SCHEDULING] = ACCOUNT_RUNTIME};

bool scale_is_talp(const char *path)
{
  size_t length = strlen(path);
  return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

/* By the factor that a kind lowers. */
static void talp_times(const double seconds[ACCOUNT_KINDS], double times[TALP_TIMES])
{
  unsigned __int128 ticks[ACCOUNT_KINDS];
  double all = 0;
  for (unsigned i = 0; i < ACCOUNT_KINDS; i++) {
    ticks[i] = (unsigned __int128)(seconds[i] * NS);
    all += seconds[i];
  }
  struct efficiency of = efficiency_of(ticks);
  double before_transfer = all * of.transfer / 100, before_serialization = before_transfer * of.serialization / 100;
  times[USEFUL] = all * of.parallel / 100;
  times[IMBALANCE] = before_serialization - times[USEFUL];
  times[SERIALIZATION] = before_transfer - before_serialization;
  times[SCHEDULING] = all - before_transfer;
}

static double ratio(double of, double whole)
{
  return whole > 0 ? of / whole : 1;
}

static void put_number(json_t *object, const char *key, double value)
{
  json_object_set_new(object, key, json_integer((json_int_t)(fmax(value, 0) + 0.5)));
}

static void put_ratio(json_t *object, const char *key, double value)
{
  json_object_set_new(object, key, json_real(round(value * 10000) / 10000));
}

/* TALP's order of factors: serialization, load balance, scheduling. */
static void put_efficiencies(json_t *object, const double times[TALP_TIMES])
{
  static const char *const ones[] = {"mpiParallelEfficiency", "mpiCommunicationEfficiency", "mpiLoadBalance",
                                     "mpiLoadBalanceIn", "mpiLoadBalanceOut"};
  double serial = times[USEFUL] + times[SERIALIZATION], uneven = serial + times[IMBALANCE];
  double all = uneven + times[SCHEDULING];
  put_ratio(object, "parallelEfficiency", ratio(times[USEFUL], all));
  for (size_t i = 0; i < COUNT_OF(ones); i++)
    put_ratio(object, ones[i], 1);
  put_ratio(object, "ompParallelEfficiency", ratio(times[USEFUL], all));
  put_ratio(object, "ompLoadBalance", ratio(serial, uneven));
  put_ratio(object, "ompSchedulingEfficiency", ratio(uneven, all));
  put_ratio(object, "ompSerializationEfficiency", ratio(times[USEFUL], serial));
}

/* What was not measured is 0, as TALP has it. */
static json_t *region_object(double wall, const double seconds[ACCOUNT_KINDS], uint32_t processors)
{
  static const char *const zeros[] = {"numMpiRanks", "numGpus",         "cycles",          "instructions",
                                      "numMpiCalls", "numOmpParallels", "numOmpTasks",     "numGpuRuntimeCalls",
                                      "mpiTime",     "gpuRuntimeTime",  "minMpiNormdProc", "minMpiNormdNode"};
  double times[TALP_TIMES];
  json_t *object = json_object();
  talp_times(seconds, times);
  put_number(object, "numCpus", processors);
  put_number(object, "numNodes", 1);
  json_object_set_new(object, "avgCpus", json_real(processors));
  put_number(object, "numMeasurements", 1);
  for (size_t i = 0; i < COUNT_OF(zeros); i++)
    put_number(object, zeros[i], 0);
  put_number(object, "elapsedTime", wall * NS);
  for (unsigned i = 0; i < TALP_TIMES; i++)
    put_number(object, time_names[i], times[i] * NS);
  put_efficiencies(object, times);
  return object;
}

/* A run of one thread is not blamed for the processors that it leaves. */
static uint32_t processors_of(const struct scale_run *run)
{
  return run->threads == 1 ? 1 : run->processors;
}

static json_t *document_of(const struct scale_run *run)
{
  json_t *document = json_object(), *application = json_object(), *resources = json_object();
  char text[32] = "1970-01-01T00:00:00";
  struct tm parts;
  time_t when = (time_t)run->recorded;
  if (gmtime_r(&when, &parts))
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  json_object_set_new(document, "dlbVersion", json_string(TALP_VERSION));
  json_object_set_new(document, "writtenBy", json_string("heddle scale --talp"));
  json_object_set_new(document, "timestamp", json_string(text));
  put_number(resources, "numCpus", processors_of(run));
  put_number(resources, "numNodes", 1);
  put_number(resources, "numMpiRanks", 0);
  put_number(resources, "numGpus", 0);
  json_object_set_new(document, "resources", resources);
  json_object_set_new(application, "Global", region_object(run->duration, run->seconds, processors_of(run)));
  for (size_t i = 0; i < run->regions.count; i++) { /* a name that is no UTF-8 is dropped */
    const struct scale_region *region = &run->regions.items[i];
    json_object_set_new(application, region->name, region_object(region->wall, region->seconds, processors_of(run)));
  }
  json_object_set_new(document, "Application", application);
  return document;
}

bool scale_write_talp(const struct scale_runs *runs, const char *directory, struct error *error)
{
  if (mkdir(directory, 0777) != 0)
    return error_set(error, "%s: %s", directory, strerror(errno));
  for (size_t i = 0; i < runs->list.count; i++) {
    unsigned before = 1;
    for (size_t k = 0; k < i; k++)
      before += runs->list.items[k].threads == runs->list.items[i].threads;
    char *path;
    if (asprintf(&path, "%s/threads-%u-run-%u.json", directory, runs->list.items[i].threads, before) < 0)
      return error_set(error, "out of memory");
    json_t *document = document_of(&runs->list.items[i]);
    bool good = document ? json_file_write(document, path, error) : error_set(error, "out of memory");
    json_decref(document);
    free(path);
    if (!good)
      return false;
  }
  return true;
}

/* A time or a number; TALP writes some as reals. Missing: 0. False: an error. */
static bool take_time(const struct json_file *file, const json_t *object, const char *key, double *value)
{
  const json_t *member = json_object_get(object, key);
  *value = member ? json_number_value(member) : 0;
  if (member && (!json_is_number(member) || !isfinite(*value) || *value < 0 || *value > 1e18))
    return json_file_damaged(file, "%s is no number, or out of range", key);
  return true;
}

/* Times in MPI and on accelerators lower the transfer. */
static bool take_times(const struct json_file *file, const json_t *object, double seconds[ACCOUNT_KINDS])
{
  static const char *const others[] = {"mpiTime", "gpuRuntimeTime"};
  double value;
  for (unsigned i = 0; i < TALP_TIMES; i++) {
    if (!take_time(file, object, time_names[i], &value))
      return false;
    seconds[read_as[i]] = value / NS;
  }
  if (!take_time(file, object, "ompOutsideParallelTime", &value)) /* the name since DLB 3.8 */
    return false;
  seconds[ACCOUNT_SERIAL] += value / NS;
  for (size_t i = 0; i < COUNT_OF(others); i++) {
    if (!take_time(file, object, others[i], &value))
      return false;
    seconds[ACCOUNT_UNKNOWN] += value / NS;
  }
  return true;
}

/* A table has no sentence: the largest time is named. */
static char *table_sentence(struct scale_run *run)
{
  static const char *const words[TALP_TIMES] = {[IMBALANCE] = "threads wait for others that have more work",
                                                [SERIALIZATION] = "threads have nothing to do while others work",
                                                [SCHEDULING] = "the runtime schedules and synchronizes"};
  double all = 0;
  enum talp_time most = IMBALANCE;
  char *text;
  for (unsigned i = 0; i < ACCOUNT_KINDS; i++)
    all += run->seconds[i];
  for (enum talp_time i = IMBALANCE; i < TALP_TIMES; i++)
    if (run->seconds[read_as[i]] > run->seconds[read_as[most]])
      most = i;
  run->first_kind = read_as[most];
  return asprintf(&text, "Most is lost as %s: %.1f %% of the time of %u processors.", words[most],
                  100 * ratio(run->seconds[read_as[most]], all), run->processors) < 0
             ? NULL
             : text;
}

static bool add_table(struct scale_run *run, const struct json_file *file, const char *name, const json_t *object)
{
  double wall;
  struct scale_region region = {.name = NULL};
  struct scale_place place = {.name = NULL};
  if (!json_is_object(object))
    return json_file_damaged(file, "%s is no region", name);
  if (!take_time(file, object, "elapsedTime", &wall) || !take_times(file, object, region.seconds))
    return false;
  region.wall = wall / NS;
  place.work = region.seconds[ACCOUNT_WORK];
  region.name = strdup(name);
  if (!region.name || !vector_push(&run->regions, region)) {
    free(region.name);
    return json_file_no_memory(file);
  }
  place.name = strdup(name);
  place.file = strdup("");
  if (place.name && place.file && vector_push(&run->places, place))
    return true;
  free(place.name);
  free(place.file);
  return json_file_no_memory(file);
}

static bool take_global(struct scale_run *run, const struct json_file *file, const json_t *global)
{
  double processors, wall;
  unsigned __int128 ticks[ACCOUNT_KINDS];
  if (!json_is_object(global))
    return json_file_damaged(file, "it has no region Global");
  if (!take_time(file, global, "numCpus", &processors) || !take_time(file, global, "elapsedTime", &wall) ||
      !take_times(file, global, run->seconds))
    return false;
  if (processors < 1 || processors > 1e6 || run->seconds[ACCOUNT_WORK] <= 0)
    return json_file_damaged(file, "no processor worked");
  run->threads = run->most = run->processors = (uint32_t)processors;
  run->duration = wall / NS;
  for (unsigned i = 0; i < ACCOUNT_KINDS; i++)
    ticks[i] = (unsigned __int128)(run->seconds[i] * NS);
  run->efficiency = efficiency_of(ticks);
  run->first = table_sentence(run);
  return run->first || json_file_no_memory(file);
}

static bool take_document(struct scale_run *run, const struct json_file *file, json_t *document)
{
  json_t *application = json_object_get(document, "Application"), *object;
  const char *name;
  if (!json_is_object(application) || !json_is_string(json_object_get(document, "dlbVersion")))
    return json_file_damaged(file, "dlbVersion or Application is missing");
  if (!take_global(run, file, json_object_get(application, "Global")))
    return false;
  json_object_foreach(application, name, object)
  {
    if (strcmp(name, "Global") != 0 && !add_table(run, file, name, object))
      return false;
  }
  return true;
}

bool scale_add_talp(struct scale_runs *runs, const char *path, struct error *error)
{
  struct json_file file = {.path = path, .kind = "table", .error = error, .made_by = "TALP"};
  struct scale_run run = {.threads = 0};
  struct stat status;
  size_t size;
  json_error_t where;
  char *bytes = json_file_bytes(&file, &size);
  if (!bytes)
    return false;
  json_t *document = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &where);
  free(bytes);
  bool good = document || error_set(error, "%s: line %d: not JSON: %s", path, where.line, where.text);
  run.recorded = stat(path, &status) == 0 ? (int64_t)status.st_mtime : 0;
  good = good && take_document(&run, &file, document) && (vector_push(&runs->list, run) || json_file_no_memory(&file));
  if (!good)
    scale_run_free(&run);
  json_decref(document);
  return good;
}
