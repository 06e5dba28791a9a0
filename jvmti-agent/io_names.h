/*
 * Objects of input and output in records (raw_trace.h, RAW_SOCKET): the other side of a socket, the path of a file, the
 * name of a host. A name gets its number once. There is room for some thousands; further ones have the object 0, and
 * their waits are counted.
 *
 * Any thread; only a new name takes a lock.
 */
#ifndef HEDDLE_JVMTI_AGENT_IO_NAMES_H
#define HEDDLE_JVMTI_AGENT_IO_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct sockaddr;

/* Makes the table; if out of memory, all objects are 0. Once, before anything else here. */
void io_names_open(void);

enum io_what {
  IO_FILE,      /* anything but a socket */
  IO_CONNECTED, /* a socket, by the address of its other side */
  IO_LISTENING, /* by its own address */
  IO_ALONE      /* a socket without another side; datagrams: by its own address, otherwise 0, which is not counted */
};

/* Returns the kind of a file descriptor and its object. Makes some system calls. */
enum io_what io_name_descriptor(int descriptor, uint64_t *object);
/* Return the object of an address, and of a host by its name (UTF-8). */
uint64_t io_name_address(const struct sockaddr *address, unsigned size);
uint64_t io_name_host(const char *name);

/* Counts a wait that has no name for another reason. */
void io_names_count_lost(void);
/* Reports how many waits got no name. At the recording's end. */
void io_names_end(void);

#endif
