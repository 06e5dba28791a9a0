#include "analyzer/report/sequences_page.h"

#include "analyzer/report/deflated.h"
#include "analyzer/report/element.h"
#include "analyzer/report/page.h"

#include <stdlib.h>

/* HEDDLE_PAGE, the file's path, comes from the build. */
__asm__(".pushsection .rodata, \"a\", @progbits\n"
        ".local heddle_sequences, heddle_sequences_end\n"
        "heddle_sequences:\n"
        ".incbin \"" HEDDLE_PAGE "\"\n"
        "heddle_sequences_end:\n"
        ".byte 0\n"
        ".popsection\n");
extern const char heddle_sequences[], heddle_sequences_end[];

bool sequences_page_write(FILE *file, sequences_put *put, const void *context, struct error *error)
{
  struct page page = page_split(heddle_sequences, heddle_sequences_end);
  unsigned char *bytes = NULL;
  size_t size = 0;
  FILE *bundle = deflated_open(&bytes, &size);
  if (!bundle)
    return error_set(error, "out of memory");
  struct json_writer json = json_writer(bundle);
  bool good = put(&json, context, error);
  if (fclose(bundle) != 0 || json.failed)
    good = good && error_set(error, "out of memory");
  if (good) {
    fwrite(page.head, 1, page.head_size, file);
    element_put(file, ELEMENT("heddle-bundle"), bytes, size);
    fwrite(page.tail, 1, page.tail_size, file);
  }
  free(bytes);
  return good;
}
