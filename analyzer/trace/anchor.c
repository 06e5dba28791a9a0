#include "analyzer/trace/anchor.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The number of *.otf2 files in a directory, and the path of one of them. -1: see errno. */
static int find_anchors(const char *directory, char **found)
{
  DIR *entries = opendir(directory);
  if (!entries)
    return -1;
  int count = 0;
  for (struct dirent *entry; (entry = readdir(entries));) {
    size_t length = strlen(entry->d_name);
    if (length < 6 || strcmp(entry->d_name + length - 5, ".otf2") != 0)
      continue;
    if (++count == 1 && asprintf(found, "%s/%s", directory, entry->d_name) < 0)
      *found = NULL;
  }
  closedir(entries);
  return count;
}

/* Says why a directory has no archive to read. */
static void fail_without_anchor(const char *directory, int anchors, struct error *error)
{
  char *raw = NULL;
  if (anchors < 0)
    error_set(error, "%s: %s", directory, strerror(errno));
  else if (anchors > 1)
    error_set(error, "%s: holds several archives; name one of its .otf2 files", directory);
  else if (asprintf(&raw, "%s/raw", directory) > 0 && access(raw, F_OK) == 0)
    error_set(error, "%s: holds a raw trace, not an archive; run `heddle convert %s`", directory, directory);
  else
    error_set(error, "%s: holds no OTF2 archive (traces.otf2)", directory);
  free(raw);
}

static char *anchor_in(const char *directory, struct error *error)
{
  char *anchor = NULL;
  if (asprintf(&anchor, "%s/traces.otf2", directory) < 0) {
    error_set(error, "%s: out of memory", directory);
    return NULL;
  }
  if (access(anchor, F_OK) == 0)
    return anchor;
  free(anchor);
  anchor = NULL;
  int count = find_anchors(directory, &anchor);
  if (count == 1 && anchor)
    return anchor;
  free(anchor);
  fail_without_anchor(directory, count, error);
  return NULL;
}

char *anchor_find(const char *path, struct error *error)
{
  struct stat status;
  if (stat(path, &status) != 0) {
    error_set(error, "%s: %s", *path ? path : "the archive's name is empty", strerror(errno));
    return NULL;
  }
  char *name = strdup(path);
  if (!name) {
    error_set(error, "%s: out of memory", path);
    return NULL;
  }
  if (!S_ISDIR(status.st_mode))
    return name;
  for (size_t length = strlen(name); length > 1 && name[length - 1] == '/'; length--)
    name[length - 1] = '\0';
  char *anchor = anchor_in(name, error);
  free(name);
  return anchor;
}

uint64_t anchor_definition_bytes(const char *anchor)
{
  char *path = NULL;
  struct stat status;
  uint64_t bytes = UINT64_MAX;
  size_t length = strlen(anchor);
  if (length > 5 && asprintf(&path, "%.*s.def", (int)length - 5, anchor) > 0 && stat(path, &status) == 0)
    bytes = (uint64_t)status.st_size;
  free(path);
  return bytes;
}

/*
 * The beginning of an anchor file: a byte, the byte order of numbers, the string "OTF2", then FIXED bytes of numbers
 * (the first is the version of the anchor format), then the strings machine, creator and description, then, since
 * version 2, the number of properties and twice as many strings. Strings end in a zero byte.
 */
#define ORDER_AT     1
#define ORDER_LITTLE 0x42 /* else big endian; the library refuses other values */
#define MAGIC_AT     2
#define FIXED        39
#define STRINGS      3
#define HEAD_MAX     65536 /* bytes; an anchor with a longer head is not checked */

/* The offset of the number of properties; 0: the head is not as expected. */
static size_t find_property_count(const unsigned char *head, size_t length)
{
  size_t at = MAGIC_AT + sizeof "OTF2";
  if (length < at + FIXED || memcmp(head + MAGIC_AT, "OTF2", sizeof "OTF2") != 0 || head[at] < 2)
    return 0;
  at += FIXED;
  for (int i = 0; i < STRINGS; i++) {
    const unsigned char *end = memchr(head + at, 0, length - at);
    if (!end)
      return 0;
    at = (size_t)(end - head) + 1;
  }
  return at + sizeof(uint32_t) <= length ? at : 0;
}

bool anchor_check(const char *anchor, struct error *error)
{
  unsigned char head[HEAD_MAX];
  FILE *file = fopen(anchor, "rb");
  struct stat status;
  if (!file || fstat(fileno(file), &status) != 0) {
    if (file)
      fclose(file);
    return error_set(error, "%s: %s", anchor, strerror(errno));
  }
  size_t length = fread(head, 1, sizeof head, file);
  fclose(file);
  size_t at = find_property_count(head, length);
  if (at == 0)
    return true;
  uint32_t count;
  memcpy(&count, head + at, sizeof count);
  count = head[ORDER_AT] == ORDER_LITTLE ? le32toh(count) : be32toh(count);
  if (count <= (uint64_t)status.st_size / 2)
    return true;
  return error_set(error, "%s: damaged: its number of properties exceeds its size", anchor);
}
