/* Programs that close what they did not open, and programs that need descriptors to have certain numbers. */
#include "tests/soak/soak.h"

#include "tests/soak/counts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens a file of the program's own and says which descriptor it got: the lowest that is free, as without Heddle. */
static int own_file(void)
{
  char path[4096 + 32];
  snprintf(path, sizeof path, "%s/own.%ld", scratch, (long)getpid());
  return open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
}

/* Writes into descriptor `fd` beside us, and says whether that is what the file has then. */
static void write_beside_us(int fd, unsigned n)
{
  static const char line[] = "a line of the program's\n";
  enum { LENGTH = sizeof line - 1 };
  char back[LENGTH];
  bool right = fd >= 0;
  for (unsigned i = 0; i < n; i++) {
    if (fd >= 0 && write(fd, line, LENGTH) != LENGTH)
      right = false;
    emit_events(20);
  }
  struct stat is;
  right = right && fstat(fd, &is) == 0 && is.st_size == (off_t)(n * LENGTH);
  for (unsigned i = 0; right && i < n; i++)
    right = pread(fd, back, LENGTH, (off_t)(i * LENGTH)) == LENGTH && memcmp(back, line, LENGTH) == 0;
  say("descriptor %d: %s\n", fd, right ? "as written" : "NOT AS WRITTEN");
}

void act_close_standard(struct draw *draw)
{
  unsigned which = draw_between(draw, 1, 7);
  for (int fd = 0; fd < 3; fd++)
    if (which & 1u << fd)
      close(fd);
  conditions |= IS_SILENT;
  if (which & 1u << STDERR_FILENO)
    counts_excuse(EXCUSE_MUTE);
  emit_events(draw_below(draw, 600));
  write_beside_us(own_file(), draw_between(draw, 1, 50));
  write_beside_us(own_file(), draw_between(draw, 1, 50));
}

/* As daemons do: then their messages go to what is opened next. */
void act_close_error(struct draw *draw)
{
  close(STDERR_FILENO);
  conditions |= IS_SILENT;
  counts_excuse(EXCUSE_MUTE);
  unsigned n = draw_between(draw, 1, 40);
  for (unsigned i = 0; i < n; i++) {
    complain("nobody should read this\n");
    emit_events(20);
  }
}

/* Closes what a daemon closes; the outputs stay. */
void act_closefrom(struct draw *draw)
{
  emit_events(draw_below(draw, 300));
  closefrom(3);
  become(IS_CLOSED);
  emit_events(draw_below(draw, 600));
  write_beside_us(own_file(), draw_between(draw, 1, 20));
}

void act_close_range(struct draw *draw)
{
  unsigned from = draw_between(draw, 3, 100);
  close_range(from, draw_below(draw, 2) ? ~0u : from + draw_below(draw, 100000), 0);
  become(IS_CLOSED);
  emit_events(draw_below(draw, 600));
}

/* Takes descriptors with dup2, whatever they were: as shells do, and programs that give them numbers. */
void act_take_descriptors(struct draw *draw)
{
  become(IS_CLOSED);
  for (unsigned n = draw_between(draw, 1, 40); n > 0; n--) {
    int to = (int)draw_between(draw, 3, 1023);
    if (dup2(STDOUT_FILENO, to) == to)
      emit_events(10);
  }
  emit_events(300);
}
