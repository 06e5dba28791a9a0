#include "analyzer/exchange/import/archive.h"

#include "analyzer/command/print/escape.h"
#include "analyzer/exchange/import/directory.h"
#include "base/hash.h"
#include "base/vector.h"
#include "common/raw/archive_names.h"

#include <errno.h>
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of texts, from 0 in the order of their first use. */
struct name_entry {
  struct hash_link link;
  uint32_t number;
  unsigned kind;
  char text[];
};

struct name_table {
  VECTOR(struct name_entry *) items; /* by number */
  struct hash by_text;
};

static bool find(const struct name_table *names, uint64_t key, unsigned kind, const char *text, uint32_t *number)
{
  for (struct hash_link *link = hash_chain_first(&names->by_text, key); link; link = link->next) {
    const struct name_entry *name = (const struct name_entry *)link;
    if (name->kind == kind && strcmp(name->text, text) == 0) {
      *number = name->number;
      return true;
    }
  }
  return false;
}

static bool add(struct name_table *names, uint64_t key, unsigned kind, const char *text, uint32_t most,
                uint32_t *number, struct error *error)
{
  if (names->items.count >= most)
    return error_set(error, "more than %u different names or texts", most);
  struct name_entry *name = calloc(1, sizeof *name + strlen(text) + 1);
  if (!name || !vector_push(&names->items, name)) {
    free(name);
    return error_set(error, "out of memory");
  }
  *number = name->number = (uint32_t)(names->items.count - 1);
  name->kind = kind;
  strcpy(name->text, text);
  return hash_chain_add(&names->by_text, key, &name->link) || error_set(error, "out of memory");
}

/*
 * Gets the number of a text; the same text has a number for each kind. Bytes that are not UTF-8 become \xHH. False:
 * there would be more than `most`, or out of memory.
 */
static bool names_number(struct name_table *names, unsigned kind, const char *text, uint32_t most, uint32_t *number,
                         struct error *error)
{
  uint64_t key = hash_text(kind, text);
  if (find(names, key, kind, text, number))
    return true;
  char *valid = escape_invalid(text);
  if (!valid)
    return error_set(error, "out of memory");
  key = hash_text(kind, valid);
  bool good = find(names, key, kind, valid, number) || add(names, key, kind, valid, most, number, error);
  free(valid);
  return good;
}

static void names_free(struct name_table *names)
{
  for (size_t i = 0; i < names->items.count; i++)
    free(names->items.items[i]);
  vector_free(&names->items);
  hash_free(&names->by_text);
}

/*
 * The archive is written in a directory inside the output directory and moved as a whole, the anchor last. otf2-convert
 * has its own writer, which writes recorded traces and shares no code with the analyzer.
 */

#define CHUNK_BYTES OTF2_CHUNK_SIZE_MIN
/* Each thread has a chunk in memory while further events may come. */
enum { THREADS_MOST = 4096, NAMES_MOST = 65536 };

struct thread {
  OTF2_EvtWriter *writer; /* NULL: its events are complete */
  uint64_t last;          /* ns, of its last event */
  uint64_t events;
};

struct import_archive {
  struct import_form form;
  OTF2_Archive *otf2;
  OTF2_AttributeList *attributes; /* of the next event */
  int failure;                    /* an errno value of the first failure in the library; 0: none */
  struct import_directory directory;
  struct name_table texts;                                      /* their numbers are the references of strings */
  struct name_table thread_names, event_names, attribute_names; /* an attribute's kind is its type */
  VECTOR(struct thread) threads;
  uint64_t first, last; /* ns, of all events */
};

/* The library gets one chunk for each buffer and reuses it once it is written, so memory is bounded. */
struct buffer {
  bool in_use;
  _Alignas(16) char chunk[];
};

static void *allocate(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer_at, uint64_t size)
{
  (void)data, (void)type, (void)location;
  struct buffer *buffer = *buffer_at;
  bool fresh = !buffer;
  if (fresh)
    *buffer_at = buffer = malloc(sizeof *buffer + size);
  if (!buffer || (!fresh && buffer->in_use))
    return NULL;
  buffer->in_use = true;
  return buffer->chunk;
}

static void free_all(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer_at, bool final)
{
  (void)data, (void)type, (void)location;
  struct buffer *buffer = *buffer_at;
  if (!buffer)
    return;
  buffer->in_use = false;
  if (final) {
    free(buffer);
    *buffer_at = NULL;
  }
}

static OTF2_FlushType flush_always(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
  (void)data, (void)type, (void)location, (void)caller, (void) final;
  return OTF2_FLUSH;
}

/* All errors pass here, including errors that the library does not return, such as a short write while it closes
 * files. */
static OTF2_ErrorCode note_failure(void *data, const char *file, uint64_t line, const char *function,
                                   OTF2_ErrorCode code, const char *format, va_list arguments)
{
  (void)file, (void)line, (void)function, (void)format, (void)arguments;
  struct import_archive *archive = data;
  if (code > OTF2_SUCCESS && archive->failure == 0)
    archive->failure = code == OTF2_ERROR_ENOSPC                                          ? ENOSPC
                       : code == OTF2_ERROR_EDQUOT                                        ? EDQUOT
                       : code == OTF2_ERROR_EMFILE                                        ? EMFILE
                       : code == OTF2_ERROR_MEM_ALLOC_FAILED || code == OTF2_ERROR_ENOMEM ? ENOMEM
                       : errno                                                            ? errno
                                                                                          : EIO;
  return code;
}

static bool fail_memory(struct error *error)
{
  return error_set(error, "out of memory");
}

static bool check(struct import_archive *archive, OTF2_ErrorCode code, struct error *error)
{
  if (code != OTF2_SUCCESS && archive->failure == 0)
    archive->failure = EIO;
  return archive->failure == 0 ||
         error_set(error, "%s: cannot write: %s", archive->directory.path, strerror(archive->failure));
}

static bool open_files(struct import_archive *archive, struct error *error)
{
  static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = flush_always};
  static const OTF2_MemoryCallbacks memory = {.otf2_allocate = allocate, .otf2_free_all = free_all};
  OTF2_Error_RegisterCallback(note_failure, archive);
  errno = 0;
  archive->otf2 = OTF2_Archive_Open(archive->directory.part, "traces", OTF2_FILEMODE_WRITE, CHUNK_BYTES, CHUNK_BYTES,
                                    OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  return check(archive, archive->otf2 ? OTF2_SUCCESS : OTF2_ERROR_INVALID, error) &&
         check(archive, OTF2_Archive_SetFlushCallbacks(archive->otf2, &flush, NULL), error) &&
         check(archive, OTF2_Archive_SetMemoryCallbacks(archive->otf2, &memory, NULL), error) &&
         check(archive, OTF2_Archive_SetSerialCollectiveCallbacks(archive->otf2), error) &&
         check(archive, OTF2_Archive_SetCreator(archive->otf2, "Heddle " HEDDLE_VERSION), error) &&
         check(archive, OTF2_Archive_OpenEvtFiles(archive->otf2), error) &&
         ((archive->attributes = OTF2_AttributeList_New()) || fail_memory(error));
}

struct import_archive *import_archive_open(const struct import_form *form, const char *directory, struct error *error)
{
  struct import_archive *archive = calloc(1, sizeof *archive);
  if (!archive) {
    fail_memory(error);
    return NULL;
  }
  archive->form = *form;
  archive->first = UINT64_MAX;
  if (!import_directory_make(&archive->directory, directory, error)) {
    free(archive);
    return NULL;
  }
  uint32_t empty;
  if (open_files(archive, error) && names_number(&archive->texts, 0, "", NAMES_MOST, &empty, error))
    return archive;
  import_archive_close(archive, false, error);
  return NULL;
}

static bool find_thread(struct import_archive *archive, const char *name, uint32_t *number, struct error *error)
{
  if (!names_number(&archive->thread_names, 0, name, THREADS_MOST, number, error))
    return error_set(error, "more than %d threads, or out of memory", THREADS_MOST);
  if (*number < archive->threads.count)
    return true;
  errno = 0;
  struct thread thread = {.writer = OTF2_Archive_GetEvtWriter(archive->otf2, *number)};
  return check(archive, thread.writer ? OTF2_SUCCESS : OTF2_ERROR_INVALID, error) &&
         (vector_push(&archive->threads, thread) || fail_memory(error));
}

/* Adds an attribute to the next event. */
static bool archive_add_value(struct import_archive *archive, const struct import_value *value, struct error *error)
{
  uint32_t number, text;
  OTF2_AttributeValue of = {.int64 = value->integer};
  OTF2_Type type = OTF2_TYPE_INT64;
  if (value->type == SPEC_REAL) {
    of.float64 = value->real;
    type = OTF2_TYPE_DOUBLE;
  } else if (value->type == SPEC_TEXT) {
    if (!names_number(&archive->texts, 0, value->text, NAMES_MOST, &text, error))
      return false;
    of.stringRef = text;
    type = OTF2_TYPE_STRING;
  }
  return names_number(&archive->attribute_names, type, value->name, NAMES_MOST, &number, error) &&
         check(archive, OTF2_AttributeList_AddAttribute(archive->attributes, number, type, of), error);
}

bool import_archive_take(void *into, const struct import_event *event, struct error *error)
{
  struct import_archive *archive = into;
  uint32_t number, region;
  if (!find_thread(archive, event->thread, &number, error) ||
      !names_number(&archive->event_names, 0, event->name, NAMES_MOST, &region, error))
    return false;
  struct thread *thread = &archive->threads.items[number];
  if (!thread->writer)
    return error_set(error, "the thread `%.100s` was in an earlier file", event->thread);
  if (event->time < thread->last)
    return error_set(error,
                     "the time of thread `%.100s` goes back, from %" PRIu64 " to %" PRIu64
                     " ns: events must be in order of time, thread by thread",
                     event->thread, thread->last, event->time);
  for (size_t i = 0; i < event->count; i++)
    if (!archive_add_value(archive, &event->values[i], error))
      return false;
  uint64_t end = event->end > event->time ? event->end : event->time;
  thread->last = end;
  thread->events += 2;
  archive->first = event->time < archive->first ? event->time : archive->first;
  archive->last = end > archive->last ? end : archive->last;
  errno = 0;
  return check(archive, OTF2_EvtWriter_Enter(thread->writer, archive->attributes, event->time, region), error) &&
         check(archive, OTF2_EvtWriter_Leave(thread->writer, NULL, end, region), error);
}

bool import_archive_end_threads(struct import_archive *archive, struct error *error)
{
  bool good = true;
  for (size_t i = 0; i < archive->threads.count; i++) {
    struct thread *thread = &archive->threads.items[i];
    errno = 0;
    if (thread->writer && good)
      good = check(archive, OTF2_Archive_CloseEvtWriter(archive->otf2, thread->writer), error);
    thread->writer = NULL;
  }
  return good;
}

struct describing {
  struct import_archive *archive;
  OTF2_GlobalDefWriter *writer;
  struct error *error;
  uint32_t texts_written;
};

/* Returns the reference of a text, which is written before its first use. */
static bool number_text(struct describing *d, const char *text, uint32_t *number)
{
  const struct name_table *texts = &d->archive->texts;
  bool good = names_number(&d->archive->texts, 0, text, UINT32_MAX, number, d->error);
  for (; good && d->texts_written < texts->items.count; d->texts_written++)
    good =
        check(d->archive,
              OTF2_GlobalDefWriter_WriteString(d->writer, d->texts_written, texts->items.items[d->texts_written]->text),
              d->error);
  return good;
}

static bool describe_event(struct describing *d, const char *name, uint32_t ref)
{
  uint32_t text, kind, none;
  char fact[64];
  snprintf(fact, sizeof fact, "%s: %s", FACT_KIND, VALUE_KIND_EVENT);
  return number_text(d, name, &text) && number_text(d, d->archive->form.points ? fact : "", &kind) &&
         number_text(d, "", &none) &&
         check(d->archive,
               OTF2_GlobalDefWriter_WriteRegion(d->writer, ref, text, text, kind, OTF2_REGION_ROLE_CODE,
                                                OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, none, 0, 0),
               d->error);
}

static bool describe_attribute(struct describing *d, const struct name_entry *name, uint32_t ref)
{
  uint32_t text, description;
  OTF2_Type type = (OTF2_Type)name->kind;
  return number_text(d, name->text, &text) && number_text(d, DESCRIPTION_USER_ATTRIBUTE, &description) &&
         check(d->archive, OTF2_GlobalDefWriter_WriteAttribute(d->writer, ref, text, description, type), d->error);
}

static bool describe_thread(struct describing *d, const char *name, uint32_t ref)
{
  uint32_t text;
  return number_text(d, name, &text) &&
         check(d->archive,
               OTF2_GlobalDefWriter_WriteLocation(d->writer, ref, text, OTF2_LOCATION_TYPE_CPU_THREAD,
                                                  d->archive->threads.items[ref].events, 0),
               d->error);
}

/* Threads need a process, and a process needs a machine. */
static bool describe_process(struct describing *d)
{
  uint32_t text, class, user;
  struct import_archive *archive = d->archive;
  return number_text(d, archive->form.process, &text) && number_text(d, "machine", &class) &&
         number_text(d, "User", &user) &&
         check(archive,
               OTF2_GlobalDefWriter_WriteClockProperties(d->writer, archive->form.ticks_per_second, archive->first,
                                                         archive->last - archive->first, OTF2_UNDEFINED_TIMESTAMP),
               d->error) &&
         check(archive,
               OTF2_GlobalDefWriter_WriteParadigm(d->writer, OTF2_PARADIGM_USER, user, OTF2_PARADIGM_CLASS_PROCESS),
               d->error) &&
         check(archive,
               OTF2_GlobalDefWriter_WriteSystemTreeNode(d->writer, 0, text, class, OTF2_UNDEFINED_SYSTEM_TREE_NODE),
               d->error) &&
         check(archive,
               OTF2_GlobalDefWriter_WriteLocationGroup(d->writer, 0, text, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                       OTF2_UNDEFINED_LOCATION_GROUP),
               d->error);
}

static int by_name(const void *a, const void *b, void *context)
{
  const struct name_table *names = context;
  return strverscmp(names->items.items[*(const uint32_t *)a]->text, names->items.items[*(const uint32_t *)b]->text);
}

static bool describe_threads(struct describing *d)
{
  struct import_archive *archive = d->archive;
  uint32_t count = (uint32_t)archive->threads.count, *order = malloc((count + 1) * sizeof *order);
  bool good = order || fail_memory(d->error);
  for (uint32_t i = 0; good && i < count; i++)
    order[i] = i;
  if (good && archive->form.sorted)
    qsort_r(order, count, sizeof *order, by_name, &archive->thread_names);
  for (uint32_t i = 0; good && i < count; i++)
    good = describe_thread(d, archive->thread_names.items.items[order[i]]->text, order[i]);
  free(order);
  return good;
}

static bool describe(struct import_archive *archive, struct error *error)
{
  errno = 0;
  struct describing d = {archive, OTF2_Archive_GetGlobalDefWriter(archive->otf2), error, 0};
  bool good = check(archive, d.writer ? OTF2_SUCCESS : OTF2_ERROR_INVALID, error) && describe_process(&d);
  for (uint32_t i = 0; good && i < archive->event_names.items.count; i++)
    good = describe_event(&d, archive->event_names.items.items[i]->text, i);
  for (uint32_t i = 0; good && i < archive->attribute_names.items.count; i++)
    good = describe_attribute(&d, archive->attribute_names.items.items[i], i);
  return good && describe_threads(&d);
}

/* Readers want a file of definitions for each thread, though all definitions are global here. */
static bool describe_locally(struct import_archive *archive, struct error *error)
{
  bool good = check(archive, OTF2_Archive_OpenDefFiles(archive->otf2), error);
  for (uint32_t i = 0; good && i < archive->threads.count; i++) {
    OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive->otf2, i);
    good = check(archive, writer ? OTF2_Archive_CloseDefWriter(archive->otf2, writer) : OTF2_ERROR_INVALID, error);
  }
  return good && check(archive, OTF2_Archive_CloseDefFiles(archive->otf2), error);
}

static bool finish(struct import_archive *archive, struct error *error)
{
  return (archive->threads.count > 0 || error_set(error, "there are no events")) &&
         import_archive_end_threads(archive, error) &&
         check(archive, OTF2_Archive_CloseEvtFiles(archive->otf2), error) && describe_locally(archive, error) &&
         describe(archive, error) && check(archive, OTF2_Archive_Close(archive->otf2), error);
}

/* After a failure the library's archive is not closed: it would write, and abort if it cannot. The process ends soon.
 */
bool import_archive_close(struct import_archive *archive, bool good, struct error *error)
{
  good = good && finish(archive, error);
  good = import_directory_end(&archive->directory, good, error);
  if (archive->attributes)
    OTF2_AttributeList_Delete(archive->attributes);
  names_free(&archive->attribute_names);
  names_free(&archive->texts);
  names_free(&archive->thread_names);
  names_free(&archive->event_names);
  vector_free(&archive->threads);
  OTF2_Error_RegisterCallback(NULL, NULL);
  free(archive);
  return good;
}
