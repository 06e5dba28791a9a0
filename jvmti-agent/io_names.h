/*
 * What input and output is about, as an object of records (raw_trace.h, RAW_SOCKET): the other side of a socket, the
 * path of a file, the name of a host. A name gets its number once. There is room for some thousands; waits for what has
 * none get 0, and are counted.
 *
 * Any thread; no lock but for a name that is new.
 */
#ifndef HEDDLE_JVMTI_AGENT_IO_NAMES_H
#define HEDDLE_JVMTI_AGENT_IO_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct sockaddr;

/* Once, before anything else here. Where there is no memory all objects are 0. */
void io_names_open(void);

enum io_what {
  IO_FILE,      /* anything but a socket */
  IO_CONNECTED, /* a socket, by the address of its other side */
  IO_LISTENING, /* by its own address */
  IO_ALONE      /* a socket without another side; datagrams: by its own address, else 0, which is not counted */
};

/* What a file descriptor is, and which object. Some system calls. */
enum io_what io_name_descriptor(int descriptor, uint64_t *object);
/* The same of an address, and of a host by its name (UTF-8). */
uint64_t io_name_address(const struct sockaddr *address, unsigned size);
uint64_t io_name_host(const char *name);

/* A wait has no name for another reason. */
void io_names_count_lost(void);
/* At the recording's end: says how many waits got no name. */
void io_names_end(void);

#endif
