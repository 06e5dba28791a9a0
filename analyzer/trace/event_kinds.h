/*
 * Every kind of event in OTF2 3, by OTF2's name: those that refer to a region or team (with the map that resolves the
 * reference, and its type); those about locks, tasks and threads; those whose contents no analysis needs (with the
 * parameters of their callback); BufferFlush, MeasurementOnOff and Metric, which stream.c treats one by one; and
 * Unknown, for kinds of later versions of OTF2.
 */
#ifndef HEDDLE_ANALYZER_TRACE_EVENT_KINDS_H
#define HEDDLE_ANALYZER_TRACE_EVENT_KINDS_H

#define TRACE_REFERRING_EVENTS(X)                                                                                      \
  X(Enter, region_of, OTF2_RegionRef)                                                                                  \
  X(Leave, region_of, OTF2_RegionRef)                                                                                  \
  X(ThreadTeamBegin, team_of, OTF2_CommRef)                                                                            \
  X(ThreadTeamEnd, team_of, OTF2_CommRef)

/* Those about a lock, with the parameters before its number. */
#define TRACE_LOCK_EVENTS(X)                                                                                           \
  X(OmpAcquireLock)                                                                                                    \
  X(OmpReleaseLock)                                                                                                    \
  X(ThreadAcquireLock, OTF2_Paradigm paradigm)                                                                         \
  X(ThreadReleaseLock, OTF2_Paradigm paradigm)

/* Those about a task. */
#define TRACE_TASK_EVENTS(X)                                                                                           \
  X(ThreadTaskCreate)                                                                                                  \
  X(ThreadTaskSwitch)                                                                                                  \
  X(ThreadTaskComplete)

/* Those about the life of a thread. */
#define TRACE_THREAD_EVENTS(X)                                                                                         \
  X(ThreadCreate)                                                                                                      \
  X(ThreadBegin)                                                                                                       \
  X(ThreadWait)                                                                                                        \
  X(ThreadEnd)

#define TRACE_PLAIN_EVENTS(X)                                                                                          \
  X(MpiSend, uint32_t a, OTF2_CommRef b, uint32_t c, uint64_t d)                                                       \
  X(MpiIsend, uint32_t a, OTF2_CommRef b, uint32_t c, uint64_t d, uint64_t e)                                          \
  X(MpiIsendComplete, uint64_t a)                                                                                      \
  X(MpiIrecvRequest, uint64_t a)                                                                                       \
  X(MpiRecv, uint32_t a, OTF2_CommRef b, uint32_t c, uint64_t d)                                                       \
  X(MpiIrecv, uint32_t a, OTF2_CommRef b, uint32_t c, uint64_t d, uint64_t e)                                          \
  X(MpiRequestTest, uint64_t a)                                                                                        \
  X(MpiRequestCancelled, uint64_t a)                                                                                   \
  X(MpiCollectiveBegin)                                                                                                \
  X(MpiCollectiveEnd, OTF2_CollectiveOp a, OTF2_CommRef b, uint32_t c, uint64_t d, uint64_t e)                         \
  X(OmpFork, uint32_t a)                                                                                               \
  X(OmpJoin)                                                                                                           \
  X(OmpTaskCreate, uint64_t a)                                                                                         \
  X(OmpTaskSwitch, uint64_t a)                                                                                         \
  X(OmpTaskComplete, uint64_t a)                                                                                       \
  X(ParameterString, OTF2_ParameterRef a, OTF2_StringRef b)                                                            \
  X(ParameterInt, OTF2_ParameterRef a, int64_t b)                                                                      \
  X(ParameterUnsignedInt, OTF2_ParameterRef a, uint64_t b)                                                             \
  X(RmaWinCreate, OTF2_RmaWinRef a)                                                                                    \
  X(RmaWinDestroy, OTF2_RmaWinRef a)                                                                                   \
  X(RmaCollectiveBegin)                                                                                                \
  X(RmaCollectiveEnd, OTF2_CollectiveOp a, OTF2_RmaSyncLevel b, OTF2_RmaWinRef c, uint32_t d, uint64_t e, uint64_t f)  \
  X(RmaGroupSync, OTF2_RmaSyncLevel a, OTF2_RmaWinRef b, OTF2_GroupRef c)                                              \
  X(RmaRequestLock, OTF2_RmaWinRef a, uint32_t b, uint64_t c, OTF2_LockType d)                                         \
  X(RmaAcquireLock, OTF2_RmaWinRef a, uint32_t b, uint64_t c, OTF2_LockType d)                                         \
  X(RmaTryLock, OTF2_RmaWinRef a, uint32_t b, uint64_t c, OTF2_LockType d)                                             \
  X(RmaReleaseLock, OTF2_RmaWinRef a, uint32_t b, uint64_t c)                                                          \
  X(RmaSync, OTF2_RmaWinRef a, uint32_t b, OTF2_RmaSyncType c)                                                         \
  X(RmaWaitChange, OTF2_RmaWinRef a)                                                                                   \
  X(RmaPut, OTF2_RmaWinRef a, uint32_t b, uint64_t c, uint64_t d)                                                      \
  X(RmaGet, OTF2_RmaWinRef a, uint32_t b, uint64_t c, uint64_t d)                                                      \
  X(RmaAtomic, OTF2_RmaWinRef a, uint32_t b, OTF2_RmaAtomicType c, uint64_t d, uint64_t e, uint64_t f)                 \
  X(RmaOpCompleteBlocking, OTF2_RmaWinRef a, uint64_t b)                                                               \
  X(RmaOpCompleteNonBlocking, OTF2_RmaWinRef a, uint64_t b)                                                            \
  X(RmaOpTest, OTF2_RmaWinRef a, uint64_t b)                                                                           \
  X(RmaOpCompleteRemote, OTF2_RmaWinRef a, uint64_t b)                                                                 \
  X(ThreadFork, OTF2_Paradigm a, uint32_t b)                                                                           \
  X(ThreadJoin, OTF2_Paradigm a)                                                                                       \
  X(CallingContextEnter, OTF2_CallingContextRef a, uint32_t b)                                                         \
  X(CallingContextLeave, OTF2_CallingContextRef a)                                                                     \
  X(CallingContextSample, OTF2_CallingContextRef a, uint32_t b, OTF2_InterruptGeneratorRef c)                          \
  X(IoCreateHandle, OTF2_IoHandleRef a, OTF2_IoAccessMode b, OTF2_IoCreationFlag c, OTF2_IoStatusFlag d)               \
  X(IoDestroyHandle, OTF2_IoHandleRef a)                                                                               \
  X(IoDuplicateHandle, OTF2_IoHandleRef a, OTF2_IoHandleRef b, OTF2_IoStatusFlag c)                                    \
  X(IoSeek, OTF2_IoHandleRef a, int64_t b, OTF2_IoSeekOption c, uint64_t d)                                            \
  X(IoChangeStatusFlags, OTF2_IoHandleRef a, OTF2_IoStatusFlag b)                                                      \
  X(IoDeleteFile, OTF2_IoParadigmRef a, OTF2_IoFileRef b)                                                              \
  X(IoOperationBegin, OTF2_IoHandleRef a, OTF2_IoOperationMode b, OTF2_IoOperationFlag c, uint64_t d, uint64_t e)      \
  X(IoOperationTest, OTF2_IoHandleRef a, uint64_t b)                                                                   \
  X(IoOperationIssued, OTF2_IoHandleRef a, uint64_t b)                                                                 \
  X(IoOperationComplete, OTF2_IoHandleRef a, uint64_t b, uint64_t c)                                                   \
  X(IoOperationCancelled, OTF2_IoHandleRef a, uint64_t b)                                                              \
  X(IoAcquireLock, OTF2_IoHandleRef a, OTF2_LockType b)                                                                \
  X(IoReleaseLock, OTF2_IoHandleRef a, OTF2_LockType b)                                                                \
  X(IoTryLock, OTF2_IoHandleRef a, OTF2_LockType b)                                                                    \
  X(ProgramBegin, OTF2_StringRef a, uint32_t b, const OTF2_StringRef *c)                                               \
  X(ProgramEnd, int64_t a)                                                                                             \
  X(NonBlockingCollectiveRequest, uint64_t a)                                                                          \
  X(NonBlockingCollectiveComplete, OTF2_CollectiveOp a, OTF2_CommRef b, uint32_t c, uint64_t d, uint64_t e,            \
    uint64_t f)                                                                                                        \
  X(CommCreate, OTF2_CommRef a)                                                                                        \
  X(CommDestroy, OTF2_CommRef a)

#define TRACE_EVENTS(X)                                                                                                \
  TRACE_REFERRING_EVENTS(X)                                                                                            \
  TRACE_LOCK_EVENTS(X)                                                                                                 \
  TRACE_TASK_EVENTS(X)                                                                                                 \
  X(BufferFlush) X(MeasurementOnOff) X(Metric) TRACE_PLAIN_EVENTS(X) TRACE_THREAD_EVENTS(X) X(Unknown)

enum trace_kind {
#define X(name, ...) TRACE_##name,
  TRACE_EVENTS(X)
#undef X
      TRACE_KINDS
};

#endif
