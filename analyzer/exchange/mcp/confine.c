#include "analyzer/exchange/mcp/confine.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<linux/landlock.h>) && defined SYS_landlock_restrict_self
#include <linux/landlock.h>

#define MAY_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
/* What the first version of Landlock knows. */
#define MAY_ALL                                                                                                        \
  (MAY_READ | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |             \
   LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |                       \
   LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |                         \
   LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)
#define MAY_KEEP_TEMPORARY                                                                                             \
  (MAY_READ | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG)

static void allow(int rules, const char *path, __u64 access)
{
  struct landlock_path_beneath_attr below = {.allowed_access = access,
                                             .parent_fd = open(path, O_PATH | O_CLOEXEC | O_DIRECTORY)};
  if (below.parent_fd < 0)
    return; /* what is not there needs no rule */
  syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0);
  close(below.parent_fd);
}

void confine_to(const struct served *served)
{
  struct landlock_ruleset_attr attributes = {.handled_access_fs = MAY_ALL};
  int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
  if (rules < 0)
    return;
  for (unsigned i = 0; i < served->count; i++)
    allow(rules, served->roots[i], MAY_READ);
  static const char *const system[] = {"/proc", "/sys", "/usr", "/lib", "/dev"};
  for (unsigned i = 0; i < sizeof system / sizeof *system; i++)
    allow(rules, system[i], MAY_READ);
  const char *temporary = getenv("TMPDIR");
  if (temporary && *temporary)
    allow(rules, temporary, MAY_KEEP_TEMPORARY);
  allow(rules, "/tmp", MAY_KEEP_TEMPORARY);
  allow(rules, "/var/tmp", MAY_KEEP_TEMPORARY);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
    syscall(SYS_landlock_restrict_self, rules, 0);
  close(rules);
}
#else
void confine_to(const struct served *served)
{
  (void)served;
}
#endif
