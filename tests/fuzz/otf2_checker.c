#include "tests/fuzz/otf2_checker.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = {"string",      "attribute",       "region",   "group",  "comm",
                                         "tree node",   "location group",  "location", "metric", "metric class",
                                         "source line", "calling context", "trigger"};

struct OTF2_Archive_struct *checked, *checked_first;
bool checker_takes_control_characters;
static unsigned archives; /* that are open */

void checker_broken(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fputs("otf2_checker: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  abort();
}

void checker_mark(enum checked_kind kind, uint64_t ref, uint8_t how)
{
  if (ref >= 1u << 24)
    checker_broken("%s %" PRIu64 " is used", kind_names[kind], ref);
  while (checked->refs[kind].count <= ref)
    if (!vector_push(&checked->refs[kind], (uint8_t)0))
      checker_broken("out of memory");
  uint8_t *marks = &checked->refs[kind].items[ref];
  if ((*marks & how & DEFINED) != 0)
    checker_broken("%s %" PRIu64 " is defined twice", kind_names[kind], ref);
  *marks |= how;
}

void checker_need(enum checked_kind kind, uint64_t ref)
{
  if (ref >= checked->refs[kind].count || (checked->refs[kind].items[ref] & DEFINED) == 0)
    checker_broken("%s %" PRIu64 " is used before its definition", kind_names[kind], ref);
}

void checker_need_text(const char *text)
{
  const unsigned char *at = (const unsigned char *)text;
  while (*at != 0) {
    size_t more = *at < 0x80 ? 0 : *at < 0xc2 ? 9 : *at < 0xe0 ? 1 : *at < 0xf0 ? 2 : *at < 0xf5 ? 3 : 9;
    if (more == 9 || (!checker_takes_control_characters && (*at < 0x20 || *at == 0x7f)))
      checker_broken("byte 0x%02x in '%s'", *at, text);
    for (at++; more > 0; more--, at++)
      if ((*at & 0xc0) != 0x80)
        checker_broken("broken UTF-8 in '%s'", text);
  }
}

OTF2_Archive *OTF2_Archive_Open(const char *path, const char *name, const OTF2_FileMode mode,
                                const uint64_t chunk_events, const uint64_t chunk_definitions,
                                const OTF2_FileSubstrate substrate, const OTF2_Compression compression)
{
  (void)mode, (void)substrate, (void)compression;
  if (archives == 2 || chunk_events < OTF2_CHUNK_SIZE_MIN || chunk_definitions < OTF2_CHUNK_SIZE_MIN)
    checker_broken("a third archive is opened, or one with chunks that are too small");
  checker_turn_to(calloc(1, sizeof *checked));
  snprintf(checked->path, sizeof checked->path, "%s", path);
  snprintf(checked->name, sizeof checked->name, "%s", name);
  if (archives++ == 0)
    checked_first = checked;
  return checked;
}

static void free_archive(void)
{
  for (size_t i = 0; i < checked->writers.count; i++) {
    vector_free(&checked->writers.items[i]->open);
    vector_free(&checked->writers.items[i]->held);
    free(checked->writers.items[i]);
  }
  vector_free(&checked->writers);
  for (int kind = 0; kind < CHECKED_KINDS; kind++)
    vector_free(&checked->refs[kind]);
  if (checked->release_locking != NULL)
    checked->release_locking(checked->locking);
  if (checked == checked_first)
    checked_first = NULL;
  free(checked);
  checked = NULL;
  archives--;
}

void checker_forget(void)
{
  checker_turn_to(checked_first);
  if (checked != NULL)
    free_archive();
}

/* An empty file, to be found where the converter moves files from. */
static void touch(const char *ending)
{
  char path[4200];
  snprintf(path, sizeof path, "%s/%s%s", checked->path, checked->name, ending);
  FILE *file = fopen(path, "w");
  if (file == NULL || fclose(file) != 0)
    checker_broken("%s cannot be made", path);
}

OTF2_ErrorCode OTF2_Archive_Close(OTF2_Archive *a)
{
  checker_turn_to(a);
  if (!checked->has_clock)
    checker_broken("there is no clock");
  for (size_t i = 0; i < checked->writers.count; i++)
    checker_end_of_events(checked->writers.items[i]);
  for (int kind = 0; kind < CHECKED_KINDS; kind++)
    for (size_t i = 0; i < checked->refs[kind].count; i++)
      if (checked->refs[kind].items[i] == USED)
        checker_broken("%s %zu is used, but not defined", kind_names[kind], i);
  touch(".def");
  touch(".otf2");
  free_archive();
  return OTF2_SUCCESS;
}

OTF2_EvtWriter *OTF2_Archive_GetEvtWriter(OTF2_Archive *a, OTF2_LocationRef location)
{
  struct OTF2_EvtWriter_struct *writer = calloc(1, sizeof *writer);
  checker_turn_to(a);
  writer->archive = a;
  writer->location = location;
  if (!vector_push(&checked->writers, writer))
    checker_broken("out of memory");
  return writer;
}

/* It stays among the archive's writers: its location must be defined, too. */
OTF2_ErrorCode OTF2_Archive_CloseEvtWriter(OTF2_Archive *a, OTF2_EvtWriter *w)
{
  if (w->archive != a)
    checker_broken("location %" PRIu64 ": the writer is another archive's", w->location);
  if (w->closed)
    checker_broken("location %" PRIu64 ": its file is closed twice", w->location);
  w->closed = true;
  return OTF2_SUCCESS;
}

OTF2_GlobalDefWriter *OTF2_Archive_GetGlobalDefWriter(OTF2_Archive *a)
{
  return (OTF2_GlobalDefWriter *)a;
}

OTF2_DefWriter *OTF2_Archive_GetDefWriter(OTF2_Archive *a, OTF2_LocationRef location)
{
  (void)location;
  return (OTF2_DefWriter *)a;
}

OTF2_ErrorCode OTF2_Archive_CloseDefWriter(OTF2_Archive *a, OTF2_DefWriter *w)
{
  (void)a, (void)w;
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Archive_OpenEvtFiles(OTF2_Archive *a)
{
  (void)a;
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Archive_CloseEvtFiles(OTF2_Archive *a)
{
  (void)a;
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Archive_OpenDefFiles(OTF2_Archive *a)
{
  (void)a;
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Archive_CloseDefFiles(OTF2_Archive *a)
{
  (void)a;
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Archive_SetCreator(OTF2_Archive *a, const char *creator)
{
  (void)a;
  checker_need_text(creator);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Archive_SetMachineName(OTF2_Archive *a, const char *name)
{
  (void)a;
  checker_need_text(name);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Archive_SetProperty(OTF2_Archive *a, const char *name, const char *value, bool overwrite)
{
  checker_turn_to(a), (void)overwrite;
  checker_need_text(name);
  checker_need_text(value);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Archive_SetFlushCallbacks(OTF2_Archive *a, const OTF2_FlushCallbacks *callbacks, void *data)
{
  (void)a, (void)callbacks, (void)data;
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Archive_SetMemoryCallbacks(OTF2_Archive *a, const OTF2_MemoryCallbacks *callbacks, void *data)
{
  (void)a, (void)callbacks, (void)data;
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Archive_SetLockingCallbacks(OTF2_Archive *a, const OTF2_LockingCallbacks *callbacks, void *data)
{
  a->release_locking = callbacks->otf2_release;
  a->locking = data;
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Archive_SetSerialCollectiveCallbacks(OTF2_Archive *a)
{
  (void)a;
  return OTF2_SUCCESS;
}

OTF2_ErrorCallback OTF2_Error_RegisterCallback(OTF2_ErrorCallback callback, void *data)
{
  (void)callback, (void)data;
  return NULL;
}
