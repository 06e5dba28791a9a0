/*
 * Runs a program as containers do, each way by a word:
 *     contain [WAY[=VALUE]]... -- PROGRAM [ARGUMENT]...
 *   seccomp          system calls that containers are usually denied fail with EPERM, new ones with ENOSYS
 *   readonly=DIR     all file systems are read-only, but for DIR
 *   small=DIR        DIR is a file system of 320 KiB
 *   noproc, noshm    /proc, /dev/shm are empty and read-only
 *   pid              the program is process 1 of a PID namespace
 *   user             it is root in a user namespace, and nobody outside
 * Exit status: the program's; 77: this machine does not allow it, and the reason is on stderr.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/mount.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* <sys/mount.h> and <linux/mount.h> do not go together. */
int mount(const char *source, const char *target, const char *type, unsigned long flags, const void *data);
enum { RDONLY = 1, REC = 16384, BIND = 4096, PRIVATE = 1 << 18 };

#define NOT_HERE 77

static void need(int result, const char *what)
{
  if (result == 0)
    return;
  fprintf(stderr, "contain: %s: %s\n", what, strerror(errno));
  exit(NOT_HERE);
}

/* What engines deny by default: it concerns the whole machine, other processes, or namespaces. */
static const int denied[] = {
    SYS_acct,
    SYS_add_key,
    SYS_bpf,
    SYS_clock_adjtime,
    SYS_clock_settime,
    SYS_delete_module,
    SYS_fanotify_init,
    SYS_finit_module,
    SYS_get_mempolicy,
    SYS_init_module,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_io_uring_setup,
    SYS_kcmp,
    SYS_kexec_load,
    SYS_keyctl,
    SYS_lookup_dcookie,
    SYS_mbind,
    SYS_mount,
    SYS_move_pages,
    SYS_open_by_handle_at,
    SYS_perf_event_open,
    SYS_pivot_root,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_ptrace,
    SYS_quotactl,
    SYS_reboot,
    SYS_request_key,
    SYS_set_mempolicy,
    SYS_setns,
    SYS_settimeofday,
    SYS_swapoff,
    SYS_swapon,
    SYS_syslog,
    SYS_umount2,
    SYS_unshare,
    SYS_userfaultfd,
    SYS_vhangup,
};

static void filter_system_calls(void)
{
  enum { COUNT = sizeof denied / sizeof *denied };
  struct sock_filter filter[3 + 2 * COUNT + 8], *at = filter;
  *at++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < COUNT; i++) {
    *at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)denied[i], 0, 1);
    *at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  }
  /* Its flags lie in memory, where no filter can look: libc shall use clone instead. */
  *at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
  *at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
  *at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 442, 0, 1); /* newer than an older engine */
  *at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
  *at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {(unsigned short)(at - filter), filter};
  need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS");
  need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0), "PR_SET_SECCOMP");
}

static void write_text(const char *path, const char *text)
{
  int fd = open(path, O_WRONLY);
  need(fd < 0 || write(fd, text, strlen(text)) < 0, path);
  close(fd);
}

static void own_mounts(void)
{
  static int done;
  if (done++)
    return;
  need(unshare(CLONE_NEWNS), "unshare mounts");
  need(mount(NULL, "/", NULL, REC | PRIVATE, NULL), "private mounts");
}

static void set_readonly(const char *path, int recursive, int readonly)
{
  struct mount_attr attributes = {0};
  *(readonly ? &attributes.attr_set : &attributes.attr_clr) = MOUNT_ATTR_RDONLY;
  need((int)syscall(SYS_mount_setattr, AT_FDCWD, path, recursive ? 0x8000 : 0, &attributes, sizeof attributes),
       "mount_setattr");
}

static void empty(const char *path)
{
  own_mounts();
  need(mount("none", path, "tmpfs", RDONLY, "size=4k"), path);
}

static void be_root_of_a_user_namespace(void)
{
  char map[64];
  snprintf(map, sizeof map, "0 %u 1", geteuid());
  need(unshare(CLONE_NEWUSER), "unshare user");
  write_text("/proc/self/uid_map", map);
}

/* Goes on as process 1 of a PID namespace; the one before waits for it and ends as it does. */
static void be_process_1(void)
{
  need(unshare(CLONE_NEWPID), "unshare pid");
  pid_t pid = fork();
  if (pid == 0)
    return;
  int status = 0;
  need(pid < 0 || waitpid(pid, &status, 0) < 0, "fork");
  if (WIFSIGNALED(status))
    raise(WTERMSIG(status));
  exit(WEXITSTATUS(status));
}

int main(int count, char **arguments)
{
  int filters = 0, at = 1;
  for (; at < count && strcmp(arguments[at], "--") != 0; at++) {
    char *way = arguments[at], *value = strchr(way, '=');
    if (value)
      *value++ = '\0';
    if (strcmp(way, "seccomp") == 0) {
      filters = 1;
    } else if (strcmp(way, "user") == 0) {
      be_root_of_a_user_namespace();
    } else if (strcmp(way, "pid") == 0) {
      be_process_1();
    } else if (strcmp(way, "noproc") == 0) {
      empty("/proc");
    } else if (strcmp(way, "noshm") == 0) {
      empty("/dev/shm");
    } else if (strcmp(way, "small") == 0) {
      own_mounts();
      need(mount("none", value, "tmpfs", 0, "size=320k"), "tmpfs");
    } else if (strcmp(way, "readonly") == 0) {
      own_mounts();
      need(mount(value, value, NULL, BIND, NULL), "bind");
      set_readonly("/", 1, 1);
      set_readonly(value, 0, 0);
    } else {
      fprintf(stderr, "contain: %s?\n", way);
      return 2;
    }
  }
  if (at + 1 >= count)
    return 2;
  if (filters)
    filter_system_calls();
  execvp(arguments[at + 1], arguments + at + 1);
  need(-1, arguments[at + 1]);
}
