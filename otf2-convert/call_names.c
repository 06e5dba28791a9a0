#include "otf2-convert/call_names.h"

#include "base/count_of.h"

#include <stddef.h>
#include <sys/syscall.h>

#define CALL(name)    {SYS_##name, NAME_OF(name)}
#define NAME_OF(name) "blocked in " #name

static const struct {
  unsigned number;
  const char *name;
} call_names_calls[] = {
#ifdef SYS_read
    CALL(read),
#endif
#ifdef SYS_write
    CALL(write),
#endif
#ifdef SYS_close
    CALL(close),
#endif
#ifdef SYS_poll
    CALL(poll),
#endif
#ifdef SYS_lseek
    CALL(lseek),
#endif
#ifdef SYS_select
    CALL(select),
#endif
#ifdef SYS_pread64
    CALL(pread64),
#endif
#ifdef SYS_pwrite64
    CALL(pwrite64),
#endif
#ifdef SYS_readv
    CALL(readv),
#endif
#ifdef SYS_writev
    CALL(writev),
#endif
#ifdef SYS_nanosleep
    CALL(nanosleep),
#endif
#ifdef SYS_connect
    CALL(connect),
#endif
#ifdef SYS_accept
    CALL(accept),
#endif
#ifdef SYS_sendto
    CALL(sendto),
#endif
#ifdef SYS_recvfrom
    CALL(recvfrom),
#endif
#ifdef SYS_sendmsg
    CALL(sendmsg),
#endif
#ifdef SYS_recvmsg
    CALL(recvmsg),
#endif
#ifdef SYS_fsync
    CALL(fsync),
#endif
#ifdef SYS_fdatasync
    CALL(fdatasync),
#endif
#ifdef SYS_flock
    CALL(flock),
#endif
#ifdef SYS_wait4
    CALL(wait4),
#endif
#ifdef SYS_open
    CALL(open),
#endif
#ifdef SYS_openat
    CALL(openat),
#endif
#ifdef SYS_rename
    CALL(rename),
#endif
#ifdef SYS_unlink
    CALL(unlink),
#endif
#ifdef SYS_mkdir
    CALL(mkdir),
#endif
#ifdef SYS_rmdir
    CALL(rmdir),
#endif
#ifdef SYS_creat
    CALL(creat),
#endif
#ifdef SYS_truncate
    CALL(truncate),
#endif
#ifdef SYS_ftruncate
    CALL(ftruncate),
#endif
#ifdef SYS_getdents
    CALL(getdents),
#endif
#ifdef SYS_getdents64
    CALL(getdents64),
#endif
#ifdef SYS_mmap
    CALL(mmap),
#endif
#ifdef SYS_munmap
    CALL(munmap),
#endif
#ifdef SYS_mprotect
    CALL(mprotect),
#endif
#ifdef SYS_madvise
    CALL(madvise),
#endif
#ifdef SYS_msync
    CALL(msync),
#endif
#ifdef SYS_futex
    CALL(futex),
#endif
#ifdef SYS_epoll_wait
    CALL(epoll_wait),
#endif
#ifdef SYS_epoll_pwait
    CALL(epoll_pwait),
#endif
#ifdef SYS_ppoll
    CALL(ppoll),
#endif
#ifdef SYS_pselect6
    CALL(pselect6),
#endif
#ifdef SYS_clock_nanosleep
    CALL(clock_nanosleep),
#endif
#ifdef SYS_waitid
    CALL(waitid),
#endif
#ifdef SYS_preadv
    CALL(preadv),
#endif
#ifdef SYS_pwritev
    CALL(pwritev),
#endif
#ifdef SYS_preadv2
    CALL(preadv2),
#endif
#ifdef SYS_pwritev2
    CALL(pwritev2),
#endif
#ifdef SYS_accept4
    CALL(accept4),
#endif
#ifdef SYS_recvmmsg
    CALL(recvmmsg),
#endif
#ifdef SYS_sendmmsg
    CALL(sendmmsg),
#endif
#ifdef SYS_semop
    CALL(semop),
#endif
#ifdef SYS_semtimedop
    CALL(semtimedop),
#endif
#ifdef SYS_msgsnd
    CALL(msgsnd),
#endif
#ifdef SYS_msgrcv
    CALL(msgrcv),
#endif
#ifdef SYS_sendfile
    CALL(sendfile),
#endif
#ifdef SYS_splice
    CALL(splice),
#endif
#ifdef SYS_tee
    CALL(tee),
#endif
#ifdef SYS_copy_file_range
    CALL(copy_file_range),
#endif
#ifdef SYS_sync
    CALL(sync),
#endif
#ifdef SYS_syncfs
    CALL(syncfs),
#endif
#ifdef SYS_fallocate
    CALL(fallocate),
#endif
#ifdef SYS_io_getevents
    CALL(io_getevents),
#endif
#ifdef SYS_io_uring_enter
    CALL(io_uring_enter),
#endif
#ifdef SYS_rt_sigtimedwait
    CALL(rt_sigtimedwait),
#endif
#ifdef SYS_rt_sigsuspend
    CALL(rt_sigsuspend),
#endif
#ifdef SYS_pause
    CALL(pause),
#endif
#ifdef SYS_fork
    CALL(fork),
#endif
#ifdef SYS_vfork
    CALL(vfork),
#endif
#ifdef SYS_clone
    CALL(clone),
#endif
#ifdef SYS_clone3
    CALL(clone3),
#endif
#ifdef SYS_execve
    CALL(execve),
#endif
#ifdef SYS_execveat
    CALL(execveat),
#endif
#ifdef SYS_exit_group
    CALL(exit_group),
#endif
#ifdef SYS_membarrier
    CALL(membarrier),
#endif
#ifdef SYS_fcntl
    CALL(fcntl),
#endif
#ifdef SYS_ioctl
    CALL(ioctl),
#endif
#ifdef SYS_mq_timedreceive
    CALL(mq_timedreceive),
#endif
#ifdef SYS_mq_timedsend
    CALL(mq_timedsend),
#endif
#ifdef SYS_futex_waitv
    CALL(futex_waitv),
#endif
#ifdef SYS_sched_yield
    CALL(sched_yield),
#endif
#ifdef SYS_restart_syscall
    CALL(restart_syscall),
#endif
#ifdef SYS_statx
    CALL(statx),
#endif
#ifdef SYS_newfstatat
    CALL(newfstatat),
#endif
#ifdef SYS_fstat
    CALL(fstat),
#endif
#ifdef SYS_stat
    CALL(stat),
#endif
#ifdef SYS_lstat
    CALL(lstat),
#endif
#ifdef SYS_access
    CALL(access),
#endif
#ifdef SYS_faccessat2
    CALL(faccessat2),
#endif
#ifdef SYS_readlink
    CALL(readlink),
#endif
#ifdef SYS_unlinkat
    CALL(unlinkat),
#endif
#ifdef SYS_renameat2
    CALL(renameat2),
#endif
#ifdef SYS_shutdown
    CALL(shutdown),
#endif
#ifdef SYS_socket
    CALL(socket),
#endif
#ifdef SYS_bind
    CALL(bind),
#endif
#ifdef SYS_listen
    CALL(listen),
#endif
#ifdef SYS_ptrace
    CALL(ptrace),
#endif
#ifdef SYS_mount
    CALL(mount),
#endif
#ifdef SYS_umount2
    CALL(umount2),
#endif
#ifdef SYS_swapon
    CALL(swapon),
#endif
#ifdef SYS_getrandom
    CALL(getrandom),
#endif
#ifdef SYS_process_vm_readv
    CALL(process_vm_readv),
#endif
};

const char *call_name(uint64_t number)
{
  for (size_t i = 0; i < COUNT_OF(call_names_calls); i++)
    if (call_names_calls[i].number + 1u == number)
      return call_names_calls[i].name;
  return NULL;
}
