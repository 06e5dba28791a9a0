#include "jvmti-agent/io.h"

#include "base/count_of.h"
#include "jvmti-agent/blocks.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/io_names.h"
#include "jvmti-agent/native_methods.h"

#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* The argument that has a call's descriptor, or its host. */
enum io_of {
  OF_NOTHING,
  OF_DESCRIPTOR, /* a java.io.FileDescriptor */
  OF_STREAM,     /* an object with a field fd: FileInputStream, FileOutputStream, RandomAccessFile */
  OF_HOST,       /* a name: String */
  OF_ADDRESS     /* byte[] */
};

/* A call that is being made. */
struct io {
  uint64_t begin;
  uint64_t used;          /* ns of processor time before; of large ones */
  const uint64_t *cursor; /* of the recorder: whether anything was recorded since */
  uint32_t round, sequence;
  uint8_t kind; /* enum raw_block */
  uint8_t of;
  bool reported, large;
};

/* Address to which the thread connects: a socket has no other side until it is connected. */
static __thread struct {
  int descriptor; /* + 1 */
  uint64_t object;
} connecting __attribute__((tls_model("initial-exec")));

static jint field_of_int(JNIEnv *jni, jobject object, const char *name)
{
  jclass class = (*jni)->GetObjectClass(jni, object);
  jfieldID field = (*jni)->GetFieldID(jni, class, name, "I");
  (*jni)->DeleteLocalRef(jni, class);
  if (field)
    return (*jni)->GetIntField(jni, object, field);
  (*jni)->ExceptionClear(jni);
  return -1;
}

static jobject field_of_object(JNIEnv *jni, jobject object, const char *name, const char *signature)
{
  jclass class = (*jni)->GetObjectClass(jni, object);
  jfieldID field = (*jni)->GetFieldID(jni, class, name, signature);
  (*jni)->DeleteLocalRef(jni, class);
  if (field)
    return (*jni)->GetObjectField(jni, object, field);
  (*jni)->ExceptionClear(jni);
  return NULL;
}

/* -1: unknown. */
static int descriptor_of(JNIEnv *jni, jobject object)
{
  static struct jdk_field fd = JDK_FIELD("java/io/FileDescriptor", "fd", "I");
  jfieldID field = object ? jdk_field_id(jni, &fd) : NULL;
  return field ? (*jni)->GetIntField(jni, object, field) : -1;
}

static int descriptor_of_stream(JNIEnv *jni, jobject stream)
{
  jobject object = field_of_object(jni, stream, "fd", "Ljava/io/FileDescriptor;");
  int descriptor = descriptor_of(jni, object);
  (*jni)->DeleteLocalRef(jni, object);
  return descriptor;
}

/* The descriptor may be of another kind than the native method's: a pipe, a socket in a file's methods, ... */
static enum raw_block io_kind_of(enum raw_block kind, enum io_what what)
{
  bool file = kind == RAW_BLOCK_FILE_READ || kind == RAW_BLOCK_FILE_WRITE;
  if (what == IO_FILE)
    return kind == RAW_BLOCK_READ ? RAW_BLOCK_FILE_READ : kind == RAW_BLOCK_WRITE ? RAW_BLOCK_FILE_WRITE : kind;
  if (file)
    return kind == RAW_BLOCK_FILE_READ ? RAW_BLOCK_READ : RAW_BLOCK_WRITE;
  return what == IO_LISTENING ? RAW_BLOCK_ACCEPT : kind;
}

static bool connects(int descriptor)
{
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  if (descriptor < 0 || connecting.descriptor != descriptor + 1)
    return false;
  if (getpeername(descriptor, (struct sockaddr *)&address, &size) != 0)
    return true;
  connecting.descriptor = 0; /* another thread has finished it */
  return false;
}

static enum raw_block name_descriptor(int descriptor, enum raw_block kind, uint64_t *object)
{
  if (kind == RAW_BLOCK_CONNECT && connects(descriptor)) {
    *object = connecting.object;
    return kind;
  }
  enum io_what what = descriptor >= 0 ? io_name_descriptor(descriptor, object) : IO_ALONE;
  if (what == IO_ALONE && *object == 0)
    io_names_count_lost();
  return what == IO_ALONE ? kind : io_kind_of(kind, what);
}

static uint64_t name_host(JNIEnv *jni, jstring host)
{
  char name[1024];
  jsize length = host ? (*jni)->GetStringLength(jni, host) : 0;
  if (length <= 0 || (size_t)length >= sizeof name / 3)
    return 0;
  (*jni)->GetStringUTFRegion(jni, host, 0, length, name);
  return io_name_host(name);
}

static socklen_t address_of_bytes(const jbyte *bytes, jsize size, jint port, struct sockaddr_storage *address)
{
  memset(address, 0, sizeof *address);
  struct sockaddr_in *in = (void *)address;
  struct sockaddr_in6 *in6 = (void *)address;
  if (size == 4) {
    in->sin_family = AF_INET;
    in->sin_port = htons((uint16_t)port);
    memcpy(&in->sin_addr, bytes, 4);
    return sizeof *in;
  }
  in6->sin6_family = AF_INET6;
  in6->sin6_port = htons((uint16_t)port);
  memcpy(&in6->sin6_addr, bytes, 16);
  return sizeof *in6;
}

static uint64_t name_bytes(JNIEnv *jni, jbyteArray array, jint port)
{
  jbyte bytes[16];
  struct sockaddr_storage address;
  jsize size = array ? (*jni)->GetArrayLength(jni, array) : 0;
  if (size != 4 && size != 16)
    return 0;
  (*jni)->GetByteArrayRegion(jni, array, 0, size, bytes);
  socklen_t length = address_of_bytes(bytes, size, port, &address);
  return io_name_address((const void *)&address, length);
}

/* A java.net.InetAddress and a port. */
static uint64_t name_remote(JNIEnv *jni, jobject remote, jint port)
{
  static struct jdk_field holder6 =
      JDK_FIELD("java/net/Inet6Address", "holder6", "Ljava/net/Inet6Address$Inet6AddressHolder;");
  uint64_t named = 0;
  jobject holder = jdk_field_object(jni, &holder6, remote);
  if (holder) {
    jobject bytes = field_of_object(jni, holder, "ipaddress", "[B");
    named = name_bytes(jni, bytes, port);
    (*jni)->DeleteLocalRef(jni, bytes);
  } else if (remote) {
    holder = field_of_object(jni, remote, "holder", "Ljava/net/InetAddress$InetAddressHolder;");
    struct sockaddr_storage address;
    jint number = holder ? (jint)htonl((uint32_t)field_of_int(jni, holder, "address")) : 0;
    socklen_t length = address_of_bytes((const jbyte *)&number, 4, port, &address);
    named = holder ? io_name_address((const void *)&address, length) : 0;
  }
  (*jni)->DeleteLocalRef(jni, holder);
  return named;
}

static enum raw_block name_call(JNIEnv *jni, const struct io *io, jobject of, uint64_t *object)
{
  *object = 0;
  switch ((enum io_of)io->of) {
  case OF_DESCRIPTOR:
    return name_descriptor(descriptor_of(jni, of), (enum raw_block)io->kind, object);
  case OF_STREAM:
    return name_descriptor(descriptor_of_stream(jni, of), (enum raw_block)io->kind, object);
  case OF_HOST:
    *object = name_host(jni, of);
    return (enum raw_block)io->kind;
  case OF_ADDRESS:
    *object = name_bytes(jni, of, 0);
    return (enum raw_block)io->kind;
  default:
    return (enum raw_block)io->kind;
  }
}

static uint64_t processor_time(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline)) void record_io_begin(JNIEnv *jni, struct io *io, jobject of)
{
  uint64_t object, code = place_here(agent.jvmti, jni, io->kind);
  enum raw_block kind = name_call(jni, io, of, &object);
  io->reported = true;
  thread_self.block = io->kind = (uint8_t)kind;
  recorder_emit3(RAW_BLOCK_BEGIN, kind, code, object);
  waits_begin();
  io->begin = clock_ticks();
}

static __attribute__((noinline)) bool io_begin(struct io *io, JNIEnv *jni, enum raw_block kind, enum io_of where,
                                               jobject of, jlong bytes)
{
  if (!thread_measures(jni, LIVE_NEED_PARKS) || thread_self.block)
    return false;
  if (thread_self.mounted && kind <= RAW_BLOCK_SELECT) /* sockets of virtual threads never block */
    return false;
  io->round = thread_self.round;
  io->kind = (uint8_t)kind;
  io->of = (uint8_t)where;
  io->reported = false;
  io->large = bytes >= IO_LARGE;
  if (io->large)
    io->used = processor_time();
  else if ((thread_self.io_ready & 1u << kind) == 0) {
    record_io_begin(jni, io, of);
    return true;
  }
  const struct recorder *self = recorder_self;
  io->cursor = self && self != RECORDER_NONE ? self->cursor : NULL;
  io->sequence = io->cursor ? self->sequence : 0;
  io->begin = clock_ticks();
  return true;
}

/* Records a wait that has ended, if nothing was recorded since its begin. */
static void io_put(const struct io *io, enum raw_block kind, uint64_t code, uint64_t object, uint64_t end)
{
  struct recorder *self = recorder_enter_list(6); /* pairs of words: room for both records, with a reading */
  if (!self)
    return;
  if (self->cursor == io->cursor && self->sequence == io->sequence) {
    recorder_put_at(self, 3, raw_head(RAW_BLOCK_BEGIN, kind, code), object, io->begin);
    recorder_put_at(self, 3, raw_head(RAW_BLOCK_END, kind, 0), 0, end);
    recorder_read_if_due(self, end);
  }
  recorder_leave(self);
}

/* Puts the call's exception aside: few JNI functions may be called while one is pending. */
static __attribute__((noinline)) void record_io_late(JNIEnv *jni, const struct io *io, jobject of, uint64_t end)
{
  uint64_t object;
  jthrowable thrown = (*jni)->ExceptionOccurred(jni);
  if (thrown)
    (*jni)->ExceptionClear(jni);
  uint64_t code = place_here(agent.jvmti, jni, io->kind);
  enum raw_block kind = name_call(jni, io, of, &object);
  io_put(io, kind, code, object, end);
  if (thrown) {
    (*jni)->Throw(jni, thrown);
    (*jni)->DeleteLocalRef(jni, thrown);
  }
}

static void io_end(struct io *io, JNIEnv *jni, enum raw_block of_kind, jobject of)
{
  uint64_t now = clock_ticks(), lasted = now - io->begin;
  if (!atomic_load_explicit(&agent.live, memory_order_acquire) ||
      io->round != atomic_load_explicit(&agent.round, memory_order_relaxed))
    return;
  if (io->large) {
    uint64_t used = (processor_time() - io->used) * agent.ticks_per_us / 1000;
    now -= used < lasted ? used : lasted;
    lasted -= used < lasted ? used : lasted;
  }
  bool waited = lasted > IO_WAITS * agent.ticks_per_us;
  thread_self.io_ready =
      (uint16_t)(waited ? thread_self.io_ready & ~(1u << of_kind) : thread_self.io_ready | 1u << of_kind);
  if (io->reported) {
    thread_self.block = 0;
    recorder_emit3(RAW_BLOCK_END, io->kind | (waited ? 0 : RAW_BLOCK_NONE), 0, 0);
    waits_end();
  } else if (waited) {
    record_io_late(jni, io, of, now);
  }
}

static bool is_pipe(int descriptor)
{
  struct stat state;
  return fstat(descriptor, &state) == 0 && S_ISFIFO(state.st_mode);
}

enum raw_block io_take_poll(uint64_t *object)
{
  int descriptor = thread_self.polled - 1;
  thread_self.polled = 0;
  *object = 0;
  if (descriptor < 0)
    return 0;
  if (connects(descriptor)) {
    *object = connecting.object;
    connecting.descriptor = 0; /* the thread goes on on another carrier */
    return RAW_BLOCK_CONNECT;
  }
  enum io_what what = io_name_descriptor(descriptor, object);
  if (what == IO_FILE && !is_pipe(descriptor)) { /* a selector; or a poller that is itself a virtual thread */
    *object = 0;
    return RAW_BLOCK_SELECT;
  }
  struct pollfd state = {.fd = descriptor, .events = POLLOUT};
  bool can_write = poll(&state, 1, 0) == 1;
  return io_kind_of(can_write ? RAW_BLOCK_READ : RAW_BLOCK_WRITE, what);
}

/* Our natives. */
#define CALL(id, type, kind, where, of, bytes, parameters, arguments)                                                  \
  static type(JNICALL *jvms_##id) parameters;                                                                          \
  static type JNICALL on_##id parameters                                                                               \
  {                                                                                                                    \
    struct io io;                                                                                                      \
    if (!io_begin(&io, jni, kind, where, of, bytes))                                                                   \
      return jvms_##id arguments;                                                                                      \
    type result = jvms_##id arguments;                                                                                 \
    io_end(&io, jni, kind, of);                                                                                        \
    return result;                                                                                                     \
  }
#define CALL_VOID(id, kind, where, of, bytes, parameters, arguments)                                                   \
  static void(JNICALL * jvms_##id) parameters;                                                                         \
  static void JNICALL on_##id parameters                                                                               \
  {                                                                                                                    \
    struct io io;                                                                                                      \
    bool takes = io_begin(&io, jni, kind, where, of, bytes);                                                           \
    jvms_##id arguments;                                                                                               \
    if (takes)                                                                                                         \
      io_end(&io, jni, kind, of);                                                                                      \
  }
/* (descriptor, address, length), and some more */
#define TRANSFER(id, type, kind)                                                                                       \
  CALL(id, type, kind, OF_DESCRIPTOR, fd, length, (JNIEnv * jni, jclass class, jobject fd, jlong at, jint length),     \
       (jni, class, fd, at, length))
#define TRANSFER_AT(id, kind)                                                                                          \
  CALL(id, jint, kind, OF_DESCRIPTOR, fd, length,                                                                      \
       (JNIEnv * jni, jclass class, jobject fd, jlong at, jint length, jlong position),                                \
       (jni, class, fd, at, length, position))
/* Several buffers: their sizes are not known. */
#define TRANSFER_ALL(id, kind)                                                                                         \
  CALL(id, jlong, kind, OF_DESCRIPTOR, fd, IO_LARGE, (JNIEnv * jni, jclass class, jobject fd, jlong at, jint count),   \
       (jni, class, fd, at, count))
#define STREAM_BYTE(id, kind) CALL(id, jint, kind, OF_STREAM, stream, 1, (JNIEnv * jni, jobject stream), (jni, stream))
#define STREAM(id, kind)                                                                                               \
  CALL(id, jint, kind, OF_STREAM, stream, length,                                                                      \
       (JNIEnv * jni, jobject stream, jbyteArray bytes, jint from, jint length), (jni, stream, bytes, from, length))

TRANSFER(socket_read, jint, RAW_BLOCK_READ)
TRANSFER(socket_write, jint, RAW_BLOCK_WRITE)
TRANSFER_ALL(socket_readv, RAW_BLOCK_READ)
TRANSFER_ALL(socket_writev, RAW_BLOCK_WRITE)
TRANSFER(datagram_read, jint, RAW_BLOCK_READ)
TRANSFER(datagram_write, jint, RAW_BLOCK_WRITE)
CALL(receive, jint, RAW_BLOCK_READ, OF_DESCRIPTOR, fd, length,
     (JNIEnv * jni, jclass class, jobject fd, jlong at, jint length, jlong sender, jboolean connected),
     (jni, class, fd, at, length, sender, connected))
CALL(accept, jint, RAW_BLOCK_ACCEPT, OF_DESCRIPTOR, fd, 0,
     (JNIEnv * jni, jclass class, jobject fd, jobject accepted, jobjectArray address),
     (jni, class, fd, accepted, address))

TRANSFER(file_read, jint, RAW_BLOCK_FILE_READ)
TRANSFER(file_write, jint, RAW_BLOCK_FILE_WRITE)
TRANSFER_ALL(file_readv, RAW_BLOCK_FILE_READ)
TRANSFER_ALL(file_writev, RAW_BLOCK_FILE_WRITE)
TRANSFER_AT(file_pread, RAW_BLOCK_FILE_READ)
TRANSFER_AT(file_pwrite, RAW_BLOCK_FILE_WRITE)
CALL(file_force, jint, RAW_BLOCK_FILE_WRITE, OF_DESCRIPTOR, fd, 0,
     (JNIEnv * jni, jclass class, jobject fd, jboolean data), (jni, class, fd, data))
CALL_VOID(sync, RAW_BLOCK_FILE_WRITE, OF_DESCRIPTOR, fd, 0, (JNIEnv * jni, jobject fd), (jni, fd))
STREAM(input_read, RAW_BLOCK_FILE_READ)
STREAM_BYTE(input_read_byte, RAW_BLOCK_FILE_READ)
STREAM(random_read, RAW_BLOCK_FILE_READ)
STREAM_BYTE(random_read_byte, RAW_BLOCK_FILE_READ)
CALL_VOID(output_write, RAW_BLOCK_FILE_WRITE, OF_STREAM, stream, length,
          (JNIEnv * jni, jobject stream, jbyteArray bytes, jint from, jint length, jboolean append),
          (jni, stream, bytes, from, length, append))
CALL_VOID(output_write_byte, RAW_BLOCK_FILE_WRITE, OF_STREAM, stream, 1,
          (JNIEnv * jni, jobject stream, jint byte, jboolean append), (jni, stream, byte, append))
CALL_VOID(random_write, RAW_BLOCK_FILE_WRITE, OF_STREAM, stream, length,
          (JNIEnv * jni, jobject stream, jbyteArray bytes, jint from, jint length), (jni, stream, bytes, from, length))
CALL_VOID(random_write_byte, RAW_BLOCK_FILE_WRITE, OF_STREAM, stream, 1, (JNIEnv * jni, jobject stream, jint byte),
          (jni, stream, byte))
CALL(send_file, jlong, RAW_BLOCK_FILE_WRITE, OF_DESCRIPTOR, to, IO_LARGE,
     (JNIEnv * jni, jobject channel, jobject from, jlong position, jlong count, jobject to),
     (jni, channel, from, position, count, to))
CALL(transfer_to, jlong, RAW_BLOCK_FILE_WRITE, OF_DESCRIPTOR, to, IO_LARGE,
     (JNIEnv * jni, jclass class, jobject from, jlong position, jlong count, jobject to, jboolean append),
     (jni, class, from, position, count, to, append))

CALL(lookup4, jobjectArray, RAW_BLOCK_LOOKUP, OF_HOST, host, 0, (JNIEnv * jni, jobject resolver, jstring host),
     (jni, resolver, host))
CALL(lookup6, jobjectArray, RAW_BLOCK_LOOKUP, OF_HOST, host, 0, (JNIEnv * jni, jobject resolver, jstring host),
     (jni, resolver, host))
CALL(lookup6_with, jobjectArray, RAW_BLOCK_LOOKUP, OF_HOST, host, 0,
     (JNIEnv * jni, jobject resolver, jstring host, jint order), (jni, resolver, host, order))
CALL(reverse4, jstring, RAW_BLOCK_LOOKUP, OF_ADDRESS, address, 0, (JNIEnv * jni, jobject resolver, jbyteArray address),
     (jni, resolver, address))
CALL(reverse6, jstring, RAW_BLOCK_LOOKUP, OF_ADDRESS, address, 0, (JNIEnv * jni, jobject resolver, jbyteArray address),
     (jni, resolver, address))

/* The JVM's natives with other arguments. */
static struct {
  jint(JNICALL *connect)(JNIEnv *, jclass, jboolean, jobject, jobject, jint);
  jboolean(JNICALL *poll_connect)(JNIEnv *, jclass, jobject, jlong);
  jint(JNICALL *poll)(JNIEnv *, jclass, jobject, jint, jlong);
  jint(JNICALL *select)(JNIEnv *, jclass, jint, jlong, jint, jint);
} io_jvm;

static jint JNICALL on_connect(JNIEnv *jni, jclass class, jboolean six, jobject fd, jobject remote, jint port)
{
  struct io io;
  if (thread_measures(jni, LIVE_NEED_PARKS)) {
    connecting.descriptor = descriptor_of(jni, fd) + 1;
    connecting.object = name_remote(jni, remote, port);
  }
  if (!io_begin(&io, jni, RAW_BLOCK_CONNECT, OF_DESCRIPTOR, fd, 0))
    return io_jvm.connect(jni, class, six, fd, remote, port);
  jint result = io_jvm.connect(jni, class, six, fd, remote, port);
  io_end(&io, jni, RAW_BLOCK_CONNECT, fd);
  if (result > 0 || (*jni)->ExceptionCheck(jni)) /* else it is under way */
    connecting.descriptor = 0;
  return result;
}

static jboolean JNICALL on_poll_connect(JNIEnv *jni, jclass class, jobject fd, jlong timeout)
{
  struct io io;
  bool takes = timeout != 0 && io_begin(&io, jni, RAW_BLOCK_CONNECT, OF_DESCRIPTOR, fd, 0);
  jboolean result = io_jvm.poll_connect(jni, class, fd, timeout);
  if (takes)
    io_end(&io, jni, RAW_BLOCK_CONNECT, fd);
  if (result || (*jni)->ExceptionCheck(jni))
    connecting.descriptor = 0;
  return result;
}

/* A thread that could not go on waits in it. */
static jint JNICALL on_poll(JNIEnv *jni, jclass class, jobject fd, jint events, jlong timeout)
{
  struct io io;
  enum raw_block kind = (events & POLLIN) != 0 ? RAW_BLOCK_READ : RAW_BLOCK_WRITE;
  if (kind == RAW_BLOCK_WRITE && connecting.descriptor != 0 && connects(descriptor_of(jni, fd)))
    kind = RAW_BLOCK_CONNECT;
  if (timeout == 0 || !io_begin(&io, jni, kind, OF_DESCRIPTOR, fd, 0))
    return io_jvm.poll(jni, class, fd, events, timeout);
  jint result = io_jvm.poll(jni, class, fd, events, timeout);
  io_end(&io, jni, kind, fd);
  if (result == 0) /* the time has passed */
    connecting.descriptor = 0;
  return result;
}

static jint JNICALL on_select(JNIEnv *jni, jclass class, jint selector, jlong events, jint most, jint timeout)
{
  struct io io;
  if (timeout == 0 || !io_begin(&io, jni, RAW_BLOCK_SELECT, OF_NOTHING, NULL, 0))
    return io_jvm.select(jni, class, selector, events, most, timeout);
  jint result = io_jvm.select(jni, class, selector, events, most, timeout);
  io_end(&io, jni, RAW_BLOCK_SELECT, NULL);
  return result;
}

#define FD         "Ljava/io/FileDescriptor;"
#define BYTES      "(" FD "JI)I"
#define ALL_BYTES  "(" FD "JI)J"
#define BYTES_AT   "(" FD "JIJ)I"
#define SOCKETS    "Lsun/nio/ch/SocketDispatcher;"
#define DATAGRAMS  "Lsun/nio/ch/DatagramDispatcher;"
#define FILES      "Lsun/nio/ch/FileDispatcherImpl;"
#define UNIX_FILES "Lsun/nio/ch/UnixFileDispatcherImpl;" /* newer JDKs */
#define NET        "Lsun/nio/ch/Net;"
#define INPUT      "Ljava/io/FileInputStream;"
#define OUTPUT     "Ljava/io/FileOutputStream;"
#define RANDOM     "Ljava/io/RandomAccessFile;"
#define RESOLVER4  "Ljava/net/Inet4AddressImpl;"
#define RESOLVER6  "Ljava/net/Inet6AddressImpl;"
#define OURS(id)   NULL, (void *)on_##id, &jvms_##id
const struct native io_natives[] = {
    {SOCKETS, "read0", BYTES, OURS(socket_read)},
    {SOCKETS, "readv0", ALL_BYTES, OURS(socket_readv)},
    {SOCKETS, "write0", BYTES, OURS(socket_write)},
    {SOCKETS, "writev0", ALL_BYTES, OURS(socket_writev)},
    {DATAGRAMS, "read0", BYTES, OURS(datagram_read)},
    {DATAGRAMS, "write0", BYTES, OURS(datagram_write)},
    {"Lsun/nio/ch/DatagramChannelImpl;", "receive0", "(" FD "JIJZ)I", OURS(receive)},
    {NET, "accept", "(" FD FD "[Ljava/net/InetSocketAddress;)I", OURS(accept)},
    {NET, "pollConnect", "(" FD "J)Z", NULL, (void *)on_poll_connect, &io_jvm.poll_connect},
    {NET, "connect0", "(Z" FD "Ljava/net/InetAddress;I)I", NULL, (void *)on_connect, &io_jvm.connect},
    {NET, "poll", "(" FD "IJ)I", NULL, (void *)on_poll, &io_jvm.poll},
    {"Lsun/nio/ch/EPoll;", "wait", "(IJII)I", NULL, (void *)on_select, &io_jvm.select},
    {FILES, "read0", BYTES, OURS(file_read)},
    {FILES, "readv0", ALL_BYTES, OURS(file_readv)},
    {FILES, "write0", BYTES, OURS(file_write)},
    {FILES, "writev0", ALL_BYTES, OURS(file_writev)},
    {FILES, "pread0", BYTES_AT, OURS(file_pread)},
    {FILES, "pwrite0", BYTES_AT, OURS(file_pwrite)},
    {FILES, "force0", "(" FD "Z)I", OURS(file_force)},
    {FILES, "transferTo0", "(" FD "JJ" FD "Z)J", OURS(transfer_to)},
    {"Lsun/nio/ch/FileChannelImpl;", "transferTo0", "(" FD "JJ" FD ")J", OURS(send_file)},
    {UNIX_FILES, "read0", BYTES, OURS(file_read)},
    {UNIX_FILES, "readv0", ALL_BYTES, OURS(file_readv)},
    {UNIX_FILES, "write0", BYTES, OURS(file_write)},
    {UNIX_FILES, "writev0", ALL_BYTES, OURS(file_writev)},
    {UNIX_FILES, "pread0", BYTES_AT, OURS(file_pread)},
    {UNIX_FILES, "pwrite0", BYTES_AT, OURS(file_pwrite)},
    {UNIX_FILES, "force0", "(" FD "Z)I", OURS(file_force)},
    {FD, "sync", "()V", OURS(sync)},
    {FD, "sync0", "()V", OURS(sync)},
    {INPUT, "readBytes", "([BII)I", OURS(input_read)},
    {INPUT, "read0", "()I", OURS(input_read_byte)},
    {OUTPUT, "writeBytes", "([BIIZ)V", OURS(output_write)},
    {OUTPUT, "write", "(IZ)V", OURS(output_write_byte)},
    {RANDOM, "readBytes", "([BII)I", OURS(random_read)},
    {RANDOM, "readBytes0", "([BII)I", OURS(random_read)},
    {RANDOM, "read0", "()I", OURS(random_read_byte)},
    {RANDOM, "writeBytes", "([BII)V", OURS(random_write)},
    {RANDOM, "writeBytes0", "([BII)V", OURS(random_write)},
    {RANDOM, "write0", "(I)V", OURS(random_write_byte)},
    {RESOLVER4, "lookupAllHostAddr", "(Ljava/lang/String;)[Ljava/net/InetAddress;", OURS(lookup4)},
    {RESOLVER6, "lookupAllHostAddr", "(Ljava/lang/String;)[Ljava/net/InetAddress;", OURS(lookup6)},
    {RESOLVER6, "lookupAllHostAddr", "(Ljava/lang/String;I)[Ljava/net/InetAddress;", OURS(lookup6_with)},
    {RESOLVER4, "getHostByAddr", "([B)Ljava/lang/String;", OURS(reverse4)},
    {RESOLVER6, "getHostByAddr", "([B)Ljava/lang/String;", OURS(reverse6)},
};
const size_t io_native_count = COUNT_OF(io_natives);
