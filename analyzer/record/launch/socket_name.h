/* The other end of a socket, as /proc/PID/net tells. */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_SOCKET_NAME_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_SOCKET_NAME_H

#include <stddef.h>
#include <stdint.h>

/*
 * "TCP 127.0.0.1:5432": of a connected socket its peer, of one that listens its own address; "UDP ..." likewise;
 * "UNIX socket /path", where it has one; else "socket". inode: as in the link /proc/PID/fd/N.
 */
void socket_name(uint32_t process, uint64_t inode, char *text, size_t size);

/* The same from one line of net/tcp, tcp6, udp or udp6 (protocol: "TCP", "UDP") or of net/unix ("UNIX"). Returns 0 if
 * the line is of another socket. */
int socket_name_of_line(const char *line, const char *protocol, uint64_t inode, char *text, size_t size);

#endif
