#include "analyzer/exchange/export/export.h"

#include "analyzer/exchange/export/formats.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct export_kind export_kinds[EXPORT_FORMATS] = {
    [EXPORT_PARAVER] = {"paraver", ".prv", true, .write = export_paraver},
    [EXPORT_PERFETTO] = {"perfetto", ".pftrace", false, .write = export_perfetto},
    [EXPORT_CHROME] = {"chrome", ".chrome.json", false, .write = export_chrome},
    [EXPORT_PAJE] = {"paje", ".trace", false, .write = export_paje},
    [EXPORT_CSV] = {"csv", ".states.csv", false, .write = export_csv},
    [EXPORT_FOLDED] = {"folded", ".folded", false, .write_stacks = export_folded},
    [EXPORT_PPROF] = {"pprof", ".pb.gz", false, .write_stacks = export_pprof},
};

/* The last part of a path without a suffix: its begin, and how long it is. */
static const char *stem_of(const char *path, const char *suffix, int *length)
{
  const char *slash = strrchr(path, '/');
  const char *begin = slash ? slash + 1 : path;
  size_t whole = strlen(begin), end = strlen(suffix);
  if (whole > end && strcmp(begin + whole - end, suffix) == 0)
    whole -= end;
  *length = whole < NAME_MAX / 2 ? (int)whole : NAME_MAX / 2;
  return begin;
}

char *export_file_name(const struct trace *trace, const struct export_kind *kind, const char *directory)
{
  static const char usual[] = "traces.otf2";
  char *path = realpath(trace->anchor, NULL);
  if (!path)
    path = strdup(trace->anchor);
  if (!path)
    return NULL;
  int length;
  size_t whole = strlen(path), end = sizeof usual - 1;
  const char *stem = NULL;
  if (whole > end + 1 && strcmp(path + whole - end, usual) == 0 && path[whole - end - 1] == '/') {
    path[whole - end - 1] = '\0';
    stem = stem_of(path, ".heddle", &length);
  }
  if (!stem || length == 0)
    stem = stem_of(path, ".otf2", &length);
  if (length == 0)
    stem = "trace", length = 5;
  char *name;
  if (asprintf(&name, "%s%s%.*s%s", directory ? directory : "", directory ? "/" : "", length, stem, kind->suffix) < 0)
    name = NULL;
  free(path);
  return name;
}
