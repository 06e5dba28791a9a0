/* An element of a page that holds bytes, as base64 on one line: no name from outside stands in the HTML. */
#ifndef HEDDLE_ANALYZER_REPORT_ELEMENT_H
#define HEDDLE_ANALYZER_REPORT_ELEMENT_H

#include "analyzer/report/base64.h"

#define ELEMENT(id) "<script type=\"application/octet-stream;base64\" id=\"" id "\">"
#define ELEMENT_END "</script>\n"

/* Writes the whole element; `begin` is an ELEMENT(). The file's owner checks for write errors. */
static inline void element_put(FILE *file, const char *begin, const unsigned char *bytes, size_t size)
{
  struct base64 base = base64(file);
  fputs(begin, file);
  base64_put(&base, bytes, size);
  base64_end(&base);
  fputs(ELEMENT_END, file);
}

#endif
