/* Definitions. */
#include "tests/fuzz/otf2_checker.h"

OTF2_ErrorCode OTF2_GlobalDefWriter_WriteString(OTF2_GlobalDefWriter *w, OTF2_StringRef self, const char *string)
{
  checker_turn_to(w);
  checker_need_text(string);
  checker_mark(STRING, self, DEFINED);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalDefWriter_WriteClockProperties(OTF2_GlobalDefWriter *w, uint64_t resolution, uint64_t offset,
                                                         uint64_t length, uint64_t realtime)
{
  checker_turn_to(w), (void)realtime;
  if (checked->has_clock || resolution == 0 || offset + length < offset)
    checker_broken("clock: resolution %" PRIu64 ", offset %" PRIu64 ", length %" PRIu64, resolution, offset, length);
  checked->has_clock = true;
  checked->offset = offset;
  checked->length = length;
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalDefWriter_WriteParadigm(OTF2_GlobalDefWriter *w, OTF2_Paradigm paradigm, OTF2_StringRef name,
                                                  OTF2_ParadigmClass class)
{
  checker_turn_to(w), (void)paradigm, (void)class;
  checker_need(STRING, name);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalDefWriter_WriteMetricMember(OTF2_GlobalDefWriter *w, OTF2_MetricMemberRef self,
                                                      OTF2_StringRef name, OTF2_StringRef description,
                                                      OTF2_MetricType type, OTF2_MetricMode mode, OTF2_Type value,
                                                      OTF2_Base base, int64_t exponent, OTF2_StringRef unit)
{
  checker_turn_to(w), (void)type, (void)mode, (void)value, (void)base, (void)exponent;
  checker_need(STRING, name);
  checker_need(STRING, description);
  checker_need(STRING, unit);
  checker_mark(METRIC_MEMBER, self, DEFINED);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalDefWriter_WriteMetricClass(OTF2_GlobalDefWriter *w, OTF2_MetricRef self, uint8_t count,
                                                     const OTF2_MetricMemberRef *members,
                                                     OTF2_MetricOccurrence occurrence, OTF2_RecorderKind kind)
{
  checker_turn_to(w), (void)occurrence, (void)kind;
  for (uint8_t i = 0; i < count; i++)
    checker_need(METRIC_MEMBER, members[i]);
  checker_mark(METRIC_CLASS, self, DEFINED);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalDefWriter_WriteAttribute(OTF2_GlobalDefWriter *w, OTF2_AttributeRef self, OTF2_StringRef name,
                                                   OTF2_StringRef description, OTF2_Type type)
{
  checker_turn_to(w), (void)type;
  checker_need(STRING, name);
  checker_need(STRING, description);
  checker_mark(ATTRIBUTE, self, DEFINED);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalDefWriter_WriteSystemTreeNode(OTF2_GlobalDefWriter *w, OTF2_SystemTreeNodeRef self,
                                                        OTF2_StringRef name, OTF2_StringRef class,
                                                        OTF2_SystemTreeNodeRef parent)
{
  checker_turn_to(w);
  checker_need(STRING, name);
  checker_need(STRING, class);
  if (parent != OTF2_UNDEFINED_SYSTEM_TREE_NODE)
    checker_need(NODE, parent);
  checker_mark(NODE, self, DEFINED);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(OTF2_GlobalDefWriter *w, OTF2_SystemTreeNodeRef node,
                                                              OTF2_SystemTreeDomain domain)
{
  checker_turn_to(w), (void)domain;
  checker_need(NODE, node);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalDefWriter_WriteLocationGroup(OTF2_GlobalDefWriter *w, OTF2_LocationGroupRef self,
                                                       OTF2_StringRef name, OTF2_LocationGroupType type,
                                                       OTF2_SystemTreeNodeRef node, OTF2_LocationGroupRef creator)
{
  checker_turn_to(w), (void)type;
  checker_need(STRING, name);
  checker_need(NODE, node);
  if (creator != OTF2_UNDEFINED_LOCATION_GROUP)
    checker_need(PROCESS, creator);
  checker_mark(PROCESS, self, DEFINED);
  return OTF2_SUCCESS;
}

static void need_property(OTF2_StringRef name, OTF2_Type type, OTF2_AttributeValue value)
{
  checker_need(STRING, name);
  if (type == OTF2_TYPE_STRING)
    checker_need(STRING, value.stringRef);
}

OTF2_ErrorCode OTF2_GlobalDefWriter_WriteLocationGroupProperty(OTF2_GlobalDefWriter *w, OTF2_LocationGroupRef group,
                                                               OTF2_StringRef name, OTF2_Type type,
                                                               OTF2_AttributeValue value)
{
  checker_turn_to(w);
  checker_need(PROCESS, group);
  need_property(name, type, value);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalDefWriter_WriteLocation(OTF2_GlobalDefWriter *w, OTF2_LocationRef self, OTF2_StringRef name,
                                                  OTF2_LocationType type, uint64_t events, OTF2_LocationGroupRef group)
{
  checker_turn_to(w), (void)type;
  checker_need(STRING, name);
  checker_need(PROCESS, group);
  checker_mark(LOCATION, self, DEFINED);
  for (size_t i = 0; i < checked->writers.count; i++)
    if (checked->writers.items[i]->location == self && checked->writers.items[i]->events != events)
      checker_broken("location %" PRIu64 " has %" PRIu64 " events, not %" PRIu64, self,
                     checked->writers.items[i]->events, events);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalDefWriter_WriteLocationProperty(OTF2_GlobalDefWriter *w, OTF2_LocationRef location,
                                                          OTF2_StringRef name, OTF2_Type type,
                                                          OTF2_AttributeValue value)
{
  checker_turn_to(w);
  checker_need(LOCATION, location);
  need_property(name, type, value);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalDefWriter_WriteRegion(OTF2_GlobalDefWriter *w, OTF2_RegionRef self, OTF2_StringRef name,
                                                OTF2_StringRef canonical, OTF2_StringRef description,
                                                OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag flags,
                                                OTF2_StringRef file, uint32_t begin_line, uint32_t end_line)
{
  checker_turn_to(w), (void)role, (void)paradigm, (void)flags, (void)begin_line, (void)end_line;
  checker_need(STRING, name);
  checker_need(STRING, canonical);
  checker_need(STRING, description);
  checker_need(STRING, file);
  checker_mark(REGION, self, DEFINED);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalDefWriter_WriteGroup(OTF2_GlobalDefWriter *w, OTF2_GroupRef self, OTF2_StringRef name,
                                               OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
                                               uint32_t count, const uint64_t *members)
{
  checker_turn_to(w), (void)paradigm, (void)flags;
  checker_need(STRING, name);
  checker_mark(GROUP, self, DEFINED);
  if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS)
    checked->all = count;
  for (uint32_t i = 0; i < count; i++)
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS)
      checker_need(LOCATION, members[i]);
    else if (members[i] >= checked->all)
      checker_broken("group %" PRIu32 ": there is no rank %" PRIu64, self, members[i]);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalDefWriter_WriteComm(OTF2_GlobalDefWriter *w, OTF2_CommRef self, OTF2_StringRef name,
                                              OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
  checker_turn_to(w), (void)parent, (void)flags;
  checker_need(STRING, name);
  checker_need(GROUP, group);
  checker_mark(COMM, self, DEFINED);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalDefWriter_WriteSourceCodeLocation(OTF2_GlobalDefWriter *w, OTF2_SourceCodeLocationRef self,
                                                            OTF2_StringRef file, uint32_t line)
{
  checker_turn_to(w), (void)line;
  checker_need(STRING, file);
  checker_mark(LINE, self, DEFINED);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalDefWriter_WriteCallingContext(OTF2_GlobalDefWriter *w, OTF2_CallingContextRef self,
                                                        OTF2_RegionRef region, OTF2_SourceCodeLocationRef line,
                                                        OTF2_CallingContextRef parent)
{
  checker_turn_to(w);
  checker_need(REGION, region);
  if (line != OTF2_UNDEFINED_SOURCE_CODE_LOCATION)
    checker_need(LINE, line);
  if (parent != OTF2_UNDEFINED_CALLING_CONTEXT)
    checker_need(CONTEXT, parent);
  checker_mark(CONTEXT, self, DEFINED);
  return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalDefWriter_WriteInterruptGenerator(OTF2_GlobalDefWriter *w, OTF2_InterruptGeneratorRef self,
                                                            OTF2_StringRef name, OTF2_InterruptGeneratorMode mode,
                                                            OTF2_Base base, int64_t exponent, uint64_t period)
{
  checker_turn_to(w), (void)mode, (void)base, (void)exponent;
  checker_need(STRING, name);
  if (period == 0)
    checker_broken("trigger %" PRIu32 " has no period", self);
  checker_mark(TRIGGER, self, DEFINED);
  return OTF2_SUCCESS;
}
