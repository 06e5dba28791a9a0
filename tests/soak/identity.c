/* What a process may become: another user, in another place, in namespaces of its own. */
#include "tests/soak/soak.h"

#include "tests/soak/counts.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { A_USER = 61000 };

/* Gives its rights away, as servers do once they have opened what they need. */
void act_setuid(struct draw *draw)
{
  uid_t user = A_USER + draw_below(draw, 100);
  emit_events(draw_below(draw, 100));
  counts_became_another_user();
  become(IS_NO_ROOT);
  bool groups = draw_below(draw, 2);
  if (groups && (setgroups(0, NULL) != 0 || setgid(user) != 0))
    say("groups: error %d\n", errno);
  if (setuid(user) != 0)
    say("user: error %d\n", errno);
  say("user %u, group %u\n", geteuid(), getegid());
  emit_events(draw_below(draw, 1000));
}

void act_setgid(struct draw *draw)
{
  if (setgid(A_USER + draw_below(draw, 100)) != 0)
    say("group: error %d\n", errno);
  emit_events(draw_below(draw, 1000));
}

void act_chdir(struct draw *draw)
{
  static const char *places[] = {"/", "/proc", "/tmp", "/nonexistent"};
  unsigned i = draw_below(draw, 5);
  if (i == 4) {
    /* A directory that is removed under our feet. */
    char place[4096 + 32];
    snprintf(place, sizeof place, "%s/gone.%ld", scratch, (long)getpid());
    if (mkdir(place, 0700) == 0 && chdir(place) == 0)
      rmdir(place);
  } else if (chdir(places[i]) != 0) {
    say("chdir: error %d\n", errno);
  }
  emit_events(draw_below(draw, 1000));
}

void act_chroot(struct draw *draw)
{
  emit_events(draw_below(draw, 100));
  if (chroot(scratch) != 0 || (draw_below(draw, 2) && chdir("/") != 0))
    say("chroot: error %d\n", errno);
  snprintf(scratch, 2, "/");
  become(IS_AWAY);
  emit_events(draw_below(draw, 1000));
}

/* A thread that was joined, or has done its work, is there for the kernel a little longer; then users can't be
 * unshared. */
static bool unshared(int flags)
{
  for (unsigned tries = 0; unshare(flags) != 0; tries++) {
    if (errno != EINVAL || tries == 2000)
      return false;
    usleep(1000);
  }
  return true;
}

void act_unshare(struct draw *draw)
{
  static const int what[] = {CLONE_FILES,  CLONE_FS,     CLONE_NEWNS,   CLONE_NEWUTS,
                             CLONE_NEWIPC, CLONE_NEWNET, CLONE_NEWUSER, CLONE_NEWNS | CLONE_NEWPID};
  int flags = what[draw_below(draw, 8)];
  if (!unshared(flags)) {
    say("unshare: error %d\n", errno);
    return;
  }
  if (flags & CLONE_NEWUSER)
    become(IS_NO_ROOT);
  if (flags & CLONE_NEWPID)
    conditions |= IS_BOUND; /* only children are in it; the first one is its init */
  if ((flags & CLONE_NEWNS) && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
    say("private: error %d\n", errno);
  if (flags == CLONE_NEWUTS && sethostname("elsewhere", 9) != 0)
    say("name: error %d\n", errno);
  emit_events(draw_below(draw, 1000));
}

void act_masks(struct draw *draw)
{
  umask(draw_below(draw, 2) ? 0777 : 0);
  prctl(PR_SET_DUMPABLE, draw_below(draw, 2), 0, 0, 0);
  if (draw_below(draw, 2))
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  emit_events(draw_below(draw, 1000));
}

void act_session(struct draw *draw)
{
  setsid();
  if (chdir("/") != 0)
    say("chdir: error %d\n", errno);
  if (nice(1) < 0)
    errno = 0;
  prctl(PR_SET_NAME, "a daemon", 0, 0, 0);
  emit_events(draw_below(draw, 1000));
}
