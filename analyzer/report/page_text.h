/* Texts of events for the page: long ones are cut, because each event has its own. */
#ifndef HEDDLE_ANALYZER_REPORT_PAGE_TEXT_H
#define HEDDLE_ANALYZER_REPORT_PAGE_TEXT_H

#include <string.h>

#define PAGE_TEXT_MOST 200 /* bytes */

/* As much as fits, whole characters of UTF-8, with "..." where it is cut. */
static inline void page_text(const char *text, char into[PAGE_TEXT_MOST + 1])
{
  size_t size = strnlen(text, PAGE_TEXT_MOST + 1);
  if (size <= PAGE_TEXT_MOST) {
    memcpy(into, text, size + 1);
    return;
  }
  size = PAGE_TEXT_MOST - 3;
  while (size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80)
    size--;
  memcpy(into, text, size);
  memcpy(into + size, "...", 4);
}

#endif
