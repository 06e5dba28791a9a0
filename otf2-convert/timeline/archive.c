#include "otf2-convert/timeline/archive.h"

#include "base/count_of.h"
#include "base/remove_tree.h"
#include "common/process/own_directory.h"
#include "otf2-convert/messages.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <otf2/OTF2_Pthread_Locks.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_BYTES (256u << 10)
#define PREFIX      ARCHIVE_PREFIX

#define SPARE_MOST 16 /* chunks; the library clears a whole one when a location's file is closed */

/*
 * Each buffer of the library gets one chunk; when that is full it is written to its file and used again. The next
 * location gets the chunk of one whose file is closed. So memory is bounded by the number of open locations.
 */
struct buffer {
  struct buffer *next; /* among the spare ones */
  uint64_t size;
  bool in_use;
  _Alignas(16) char chunk[];
};

/* A spare chunk, or a new one. NULL: no memory. */
static struct buffer *take_buffer(struct archive *archive, uint64_t size)
{
  pthread_mutex_lock(&archive->spare_mutex);
  struct buffer *buffer = archive->spare;
  if (buffer != NULL && buffer->size == size) {
    archive->spare = buffer->next;
    archive->spare_count--;
  } else {
    buffer = NULL;
  }
  pthread_mutex_unlock(&archive->spare_mutex);
  if (buffer == NULL && (buffer = malloc(sizeof *buffer + size)) != NULL)
    *buffer = (struct buffer){.size = size};
  return buffer;
}

/* The buffers of events alone are kept: all have one size. */
static void give_buffer(struct archive *archive, struct buffer *buffer)
{
  bool kept = false;
  pthread_mutex_lock(&archive->spare_mutex);
  if (buffer->size == CHUNK_BYTES && archive->spare_count < SPARE_MOST) {
    buffer->next = archive->spare;
    archive->spare = buffer;
    archive->spare_count++;
    kept = true;
  }
  pthread_mutex_unlock(&archive->spare_mutex);
  if (!kept)
    free(buffer);
}

static void free_spare(struct archive *archive)
{
  while (archive->spare != NULL) {
    struct buffer *buffer = archive->spare;
    archive->spare = buffer->next;
    free(buffer);
  }
  archive->spare_count = 0;
}

static void *allocate(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer_at, uint64_t size)
{
  (void)type, (void)location;
  struct buffer *buffer = *buffer_at;
  bool fresh = buffer == NULL;
  if (fresh)
    *buffer_at = buffer = take_buffer(data, size);
  if (buffer == NULL || (!fresh && buffer->in_use))
    return NULL;
  buffer->in_use = true;
  return buffer->chunk;
}

static void free_all(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer_at, bool final)
{
  (void)type, (void)location;
  struct buffer *buffer = *buffer_at;
  if (buffer == NULL)
    return;
  buffer->in_use = false;
  if (final) {
    give_buffer(data, buffer);
    *buffer_at = NULL;
  }
}

static OTF2_FlushType flush_always(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
  (void)data, (void)type, (void)location, (void)caller, (void) final;
  return OTF2_FLUSH;
}

void archive_fail(struct archive *archive, OTF2_ErrorCode code)
{
  int none = 0, why = errno;
  if (code == OTF2_SUCCESS)
    return;
  if (code == OTF2_ERROR_ENOSPC || why == ENOSPC)
    why = ENOSPC;
  else if (code == OTF2_ERROR_MEM_ALLOC_FAILED || code == OTF2_ERROR_ENOMEM)
    why = ENOMEM;
  else if (code == OTF2_ERROR_EMFILE)
    why = EMFILE;
  else if (code == OTF2_ERROR_EFBIG)
    why = EFBIG;
  else if (code == OTF2_ERROR_EDQUOT)
    why = EDQUOT;
  else if (why == 0)
    why = EIO;
  atomic_compare_exchange_strong(&archive->failure, &none, why);
}

/*
 * The library reports all errors here, also errors that it does not return, such as a short write while it closes
 * files. It must not print: main reports the failure once.
 */
static OTF2_ErrorCode note_failure(void *data, const char *file, uint64_t line, const char *function,
                                   OTF2_ErrorCode code, const char *format, va_list arguments)
{
  (void)file, (void)line, (void)function, (void)format, (void)arguments;
  if (code > OTF2_SUCCESS)
    archive_fail(data, code);
  return code;
}

void archive_remove_leftovers(int output_fd)
{
  int fd = openat(output_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = fd < 0 ? NULL : fdopendir(fd);
  struct dirent *entry;
  while (list != NULL && (entry = readdir(list)) != NULL)
    if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0)
      remove_tree(output_fd, entry->d_name, 2);
  if (list != NULL)
    closedir(list);
}

/*
 * A definition must fit into one chunk. The largest is a group of all locations, 10 bytes a member at most. Otherwise
 * chunks are small, because the library clears one for each location.
 */
static uint64_t definition_chunk(uint32_t locations)
{
  uint64_t wanted = CHUNK_BYTES + 10 * (uint64_t)locations;
  return wanted < OTF2_CHUNK_SIZE_MAX ? wanted : OTF2_CHUNK_SIZE_MAX;
}

/* Begins the files of an archive in the directory for archives that are not whole yet. */
static int open_files(struct archive *archive, const char *name, uint32_t locations)
{
  static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = flush_always, .otf2_post_flush = NULL};
  static const OTF2_MemoryCallbacks memory = {.otf2_allocate = allocate, .otf2_free_all = free_all};
  errno = 0;
  archive->events = name;
  archive->otf2 = OTF2_Archive_Open(archive->path, name, OTF2_FILEMODE_WRITE, CHUNK_BYTES, definition_chunk(locations),
                                    OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive->otf2 == NULL) {
    archive_fail(archive, OTF2_ERROR_INVALID);
    return atomic_load(&archive->failure);
  }
  archive_check(archive, OTF2_Archive_SetFlushCallbacks(archive->otf2, &flush, NULL));
  archive_check(archive, OTF2_Archive_SetMemoryCallbacks(archive->otf2, &memory, archive));
  archive_check(archive, OTF2_Archive_SetSerialCollectiveCallbacks(archive->otf2));
  archive_check(archive, OTF2_Pthread_Archive_SetLockingCallbacks(archive->otf2, NULL));
  archive_check(archive, OTF2_Archive_SetCreator(archive->otf2, "Heddle " HEDDLE_VERSION));
  archive_check(archive, OTF2_Archive_OpenEvtFiles(archive->otf2));
  return atomic_load(&archive->failure);
}

/*
 * The library knows only paths. Where /proc is, its path leads from the descriptor of a directory that nobody else
 * writes into. So it gets to no other place, even if somebody changes names above.
 */
static int make_directory(struct archive *archive, const char *output)
{
  const char *why;
  char random[OWN_RANDOM + 1], link[sizeof "/proc/self/fd/" + 12];
  own_random(random);
  snprintf(archive->name_kept, sizeof archive->name_kept, PREFIX "%s", random);
  if (mkdirat(archive->output, archive->name_kept, 0700) != 0)
    return errno;
  archive->name = archive->name_kept;
  archive->inside = own_directory_open(archive->output, archive->name, &why);
  if (archive->inside < 0)
    return errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", archive->inside);
  bool proc = access(link, X_OK) == 0;
  int n = proc ? snprintf(archive->path, sizeof archive->path, "%s", link)
               : snprintf(archive->path, sizeof archive->path, "%s/%s", output, archive->name);
  return n < 0 || (size_t)n >= sizeof archive->path ? ENAMETOOLONG : 0;
}

int archive_open(struct archive *archive, const char *output, int output_fd, uint32_t locations)
{
  *archive = (struct archive){.output = output_fd, .inside = -1, .spare_mutex = PTHREAD_MUTEX_INITIALIZER};
  archive_remove_leftovers(output_fd);
  int failure = make_directory(archive, output);
  if (failure != 0)
    return failure;
  OTF2_Error_RegisterCallback(note_failure, archive);
  return open_files(archive, "traces", locations);
}

static int open_beside(struct archive *archive, const struct archive *first, const char *name, uint32_t locations)
{
  *archive = (struct archive){
      .output = first->output, .name = first->name, .inside = first->inside, .spare_mutex = PTHREAD_MUTEX_INITIALIZER};
  strcpy(archive->path, first->path);
  return open_files(archive, name, locations);
}

int archive_open_beside(struct archive *archive, const struct archive *first, uint32_t locations)
{
  return open_beside(archive, first, "samples", locations);
}

int archive_open_calls(struct archive *archive, const struct archive *first, uint32_t locations)
{
  return open_beside(archive, first, "calls", locations);
}

OTF2_EvtWriter *archive_writer(struct archive *archive, uint64_t location)
{
  if (archive_failed(archive))
    return NULL;
  errno = 0;
  OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive->otf2, location);
  if (writer == NULL)
    archive_fail(archive, OTF2_ERROR_INVALID);
  return writer;
}

void archive_close_writer(struct archive *archive, OTF2_EvtWriter *writer)
{
  if (writer != NULL && !archive_failed(archive)) {
    errno = 0;
    archive_check(archive, OTF2_Archive_CloseEvtWriter(archive->otf2, writer));
  }
}

void sink_show_off(struct sink *sink, uint64_t time)
{
  struct off_feed *off = &sink->off;
  for (; off->next < off->count && off->times[off->next].begin < time; off->next++) {
    const struct off_time *next = &off->times[off->next];
    uint64_t begin = next->begin > sink->last ? next->begin : sink->last, end = next->end < time ? next->end : time;
    if (begin < end) {
      if (next->reason != NULL)
        off->show_reason(off->of, next->reason, begin, true);
      archive_check(sink->archive, OTF2_EvtWriter_Enter(sink->writer, NULL, begin, next->region));
      archive_check(sink->archive, OTF2_EvtWriter_Leave(sink->writer, NULL, end, next->region));
      if (next->reason != NULL)
        off->show_reason(off->of, next->reason, end, false);
      sink->last = end;
    }
    if (next->end > time)
      return;
  }
  sink->off_waits = off->next < off->count;
}

OTF2_GlobalDefWriter *archive_definitions(struct archive *archive)
{
  if (archive_failed(archive))
    return NULL;
  errno = 0;
  OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive->otf2);
  if (writer == NULL)
    archive_fail(archive, OTF2_ERROR_INVALID);
  return writer;
}

/* Opens a file of the archive's directory of events. -1: errno has why. */
static int open_events_file(const struct archive *archive, const char *name, int flags)
{
  char path[128];
  snprintf(path, sizeof path, "%s/%s", archive->events, name);
  return openat(archive->inside, path, flags | O_NOFOLLOW | O_CLOEXEC, 0666);
}

/* The library writes a location's definitions, and they are kept. */
static void write_first_definitions(struct archive *archive, uint64_t location, const char *name)
{
  archive_check(archive, OTF2_Archive_OpenDefFiles(archive->otf2));
  OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive->otf2, location);
  if (writer == NULL)
    archive_fail(archive, OTF2_ERROR_INVALID);
  else
    archive_check(archive, OTF2_Archive_CloseDefWriter(archive->otf2, writer));
  archive_check(archive, OTF2_Archive_CloseDefFiles(archive->otf2));
  int fd = archive_failed(archive) ? -1 : open_events_file(archive, name, O_RDONLY);
  ssize_t size = fd < 0 ? 0 : read(fd, archive->no_definitions, sizeof archive->no_definitions);
  if (size > 0 && (size_t)size < sizeof archive->no_definitions)
    archive->no_definitions_size = (size_t)size;
  if (fd >= 0)
    close(fd);
}

/*
 * Readers want a file of definitions for each location, though all definitions are global here. All but the first are
 * copies: the library would clear a chunk and search a list of all locations for each.
 */
void archive_write_local_definitions(struct archive *archive, uint64_t location)
{
  char name[32];
  if (archive_failed(archive))
    return;
  errno = 0;
  snprintf(name, sizeof name, "%" PRIu64 ".def", location);
  if (archive->no_definitions_size == 0) {
    write_first_definitions(archive, location, name);
    return;
  }
  int fd = open_events_file(archive, name, O_WRONLY | O_CREAT | O_EXCL);
  ssize_t written = fd < 0 ? -1 : write(fd, archive->no_definitions, archive->no_definitions_size);
  bool whole = written == (ssize_t)archive->no_definitions_size;
  if (!whole && written >= 0)
    errno = ENOSPC;
  if (!whole || close(fd) != 0)
    archive_fail(archive, OTF2_ERROR_INVALID);
}

uint64_t archive_events(struct archive *archive, OTF2_EvtWriter *writer)
{
  uint64_t count = 0;
  if (writer != NULL)
    archive_check(archive, OTF2_EvtWriter_GetNumberOfEvents(writer, &count));
  return count;
}

void archive_set_property(struct archive *archive, const char *name, const char *value)
{
  archive_check(archive, OTF2_Archive_SetProperty(archive->otf2, name, value, true));
}

bool archive_exists(int output_fd)
{
  return faccessat(output_fd, "traces.otf2", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static int move_into_place(struct archive *archive)
{
  static const struct {
    const char *name;
    bool must_be; /* calls and samples need not be there, nor events */
  } parts[] = {{"calls", false},   {"calls.def", false},   {"calls.otf2", false},
               {"samples", false}, {"samples.def", false}, {"samples.otf2", false},
               {"traces", false},  {"traces.def", true},   {"traces.otf2", true}};
  int result = 0;
  /* An older archive goes: its anchor first, so that at no time an anchor names files that are not its own. */
  for (size_t i = COUNT_OF(parts); i-- > 0;)
    remove_tree(archive->output, parts[i].name, 1);
  for (size_t i = 0; i < COUNT_OF(parts) && result == 0; i++)
    if (renameat(archive->inside, parts[i].name, archive->output, parts[i].name) != 0 &&
        (parts[i].must_be || errno != ENOENT))
      result = errno;
  return result;
}

static void close_files(struct archive *archive)
{
  if (!archive_failed(archive)) {
    errno = 0;
    archive_check(archive, OTF2_Archive_CloseEvtFiles(archive->otf2));
  }
  if (!archive_failed(archive)) {
    errno = 0;
    archive_check(archive, OTF2_Archive_Close(archive->otf2));
  }
  if (!archive_failed(archive)) {
    archive->otf2 = NULL;
    free_spare(archive);
  }
}

void archive_close_beside(struct archive *archive, struct archive *first)
{
  int none = 0;
  close_files(archive);
  if (archive_failed(archive))
    atomic_compare_exchange_strong(&first->failure, &none, atomic_load(&archive->failure));
}

static void remove_directory(struct archive *archive)
{
  remove_tree(archive->output, archive->name, 2);
  if (archive->inside >= 0)
    close(archive->inside);
  archive->inside = -1;
}

int archive_finish(struct archive *archive)
{
  close_files(archive);
  if (archive_failed(archive))
    return atomic_load(&archive->failure);
  int result = move_into_place(archive);
  if (result == 0)
    remove_directory(archive);
  return result;
}

void archive_abandon(struct archive *archive)
{
  /* The library's archive is not closed: it would write, and abort when it can't. The process ends soon. */
  remove_directory(archive);
}
