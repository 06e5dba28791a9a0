"""
Makes python3-otf2 quicker. For each attribute of each event, it looks the C function up, and compares error codes as
objects. This was most of the time of tests with large archives. Same library, same results. Import it for that alone.
Events are many small objects that stay: looking for garbage among them after each 700 took a third of the rest.
"""
import ctypes
import gc

import _otf2
from _otf2.Config import conf
from otf2.attribute_list import AttributeList
from otf2.attribute_value import parse
from otf2.enums import Type

_count = conf.lib["OTF2_AttributeList_GetNumberOfElements"]  # conf.lib.NAME is shared with python3-otf2; this is our own
_count.argtypes, _count.restype = [ctypes.c_void_p], ctypes.c_uint32
_by_index = conf.lib["OTF2_AttributeList_GetAttributeByIndex"]
_by_index.argtypes, _by_index.restype = [ctypes.c_void_p, ctypes.c_uint32] + 3 * [ctypes.c_void_p], ctypes.c_int

_NUMBERS = {Type.UINT8.value: "uint8", Type.UINT16.value: "uint16", Type.UINT32.value: "uint32", Type.UINT64.value: "uint64",
            Type.INT8.value: "int8", Type.INT16.value: "int16", Type.INT32.value: "int32", Type.INT64.value: "int64",
            Type.FLOAT.value: "float32", Type.DOUBLE.value: "float64"}

_ref, _type, _value = _otf2.AttributeRef(), Type(), _otf2.AttributeValue()
_places = [ctypes.byref(place) for place in (_ref, _type, _value)]


def _construct(_, registry, attribute_list):
    """The attributes of an event by their definitions, or None."""
    count = _count(attribute_list) if attribute_list else 0
    attributes = {}
    for i in range(count):
        if _by_index(attribute_list, i, *_places) != 0:
            raise RuntimeError(f"attribute {i} of {count} cannot be read")
        attribute = registry.attributes[_ref.value]
        if attribute.type.value != _type.value:
            raise RuntimeError(f"attribute {attribute.name} has another type than its definition")
        number = _NUMBERS.get(_type.value)
        attributes[attribute] = getattr(_value, number) if number else parse(registry, _value, _type)
    return attributes or None


AttributeList._construct = classmethod(_construct)
gc.set_threshold(500000)
