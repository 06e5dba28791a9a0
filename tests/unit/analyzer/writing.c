#include "tests/unit/analyzer/writing.h"

#include <stdio.h>
#include <stdlib.h>

void writing_check(int good, const char *what)
{
  if (good)
    return;
  fprintf(stderr, "fixture: %s failed\n", what);
  abort();
}

static OTF2_FlushType pre_flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
  (void)user;
  (void)type;
  (void)location;
  (void)caller;
  (void) final;
  return OTF2_FLUSH;
}

static OTF2_TimeStamp post_flush(void *user, OTF2_FileType type, OTF2_LocationRef location)
{
  (void)type;
  (void)location;
  return *(uint64_t *)user;
}

OTF2_Archive *writing_begin(const char *directory, const char *name, uint64_t *last)
{
  static const OTF2_FlushCallbacks flush = {pre_flush, post_flush};
  OTF2_Archive *archive = OTF2_Archive_Open(directory, name, OTF2_FILEMODE_WRITE, WRITING_CHUNK, WRITING_CHUNK,
                                            OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  writing_check(archive != NULL, "OTF2_Archive_Open");
  CHECK(OTF2_Archive_SetFlushCallbacks(archive, &flush, last));
  CHECK(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
  CHECK(OTF2_Archive_OpenEvtFiles(archive));
  return archive;
}
