/*
 * The library's own memcpy and the like. A sanitizer replaces libc's functions, and would check Heddle's copies as if
 * the program made them. ThreadSanitizer does not know how Heddle's threads synchronize: a window that another thread
 * takes over would look like a race. All copies are short: records, names, paths.
 *
 * The options of this file keep the compiler from replacing a loop by a call of the function around it.
 */
#include <stddef.h>
#include <stdint.h>

typedef uint64_t word __attribute__((may_alias, aligned(1)));

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
  char *d = to;
  const char *s = from;
  for (; n >= sizeof(word); n -= sizeof(word), d += sizeof(word), s += sizeof(word))
    *(word *)d = *(const word *)s;
  while (n--)
    *d++ = *s++;
  return to;
}

void *memmove(void *to, const void *from, size_t n)
{
  char *d = to;
  const char *s = from;
  if ((uintptr_t)d - (uintptr_t)s >= n) { /* from the begin on, nothing is written over that is still to be read */
    while (n--)
      *d++ = *s++;
  } else {
    while (n--)
      d[n] = s[n];
  }
  return to;
}

void *memset(void *to, int byte, size_t n)
{
  char *d = to;
  word bytes = (unsigned char)byte * 0x0101010101010101ull;
  for (; n >= sizeof(word); n -= sizeof(word), d += sizeof(word))
    *(word *)d = bytes;
  while (n--)
    *d++ = (char)byte;
  return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
  const unsigned char *x = a, *y = b;
  for (; n >= sizeof(word) && *(const word *)x == *(const word *)y; n -= sizeof(word))
    x += sizeof(word), y += sizeof(word);
  for (; n > 0; n--, x++, y++)
    if (*x != *y)
      return *x - *y;
  return 0;
}
