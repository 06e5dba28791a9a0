"""A program's own regions, phases and events in Heddle's traces: heddle-user-events(3).

    import heddle

    with heddle.region("sweep"):
        ...
    heddle.event("residual", step=3, norm=0.25)

Where nothing records the program, each call is one comparison. Heddle need not be installed there; this file may be
copied. It needs nothing but Python 3.6 and its standard library. Any thread may call anything. No call fails.
"""
import contextlib as _contextlib
import ctypes as _ctypes
import functools as _functools
import operator as _operator
import os as _os
import warnings as _warnings

__all__ = ["enter", "leave", "region", "phase", "event", "name_thread", "start", "pause", "listens"]

_INTEGER, _REAL = 1, 2
_ATTRIBUTES_MOST = 255


class _Value(_ctypes.Union):
    _fields_ = [("integer", _ctypes.c_int64), ("real", _ctypes.c_double)]


class _Attribute(_ctypes.Structure):
    """struct heddle_attribute of heddle.h."""
    _fields_ = [("name", _ctypes.c_char_p), ("length", _ctypes.c_size_t), ("value", _Value), ("type", _ctypes.c_int)]


_Named = _ctypes.CFUNCTYPE(None, _ctypes.c_char_p, _ctypes.c_size_t)


class _Calls(_ctypes.Structure):
    """struct heddle_user_calls of heddle.h, which only ever grows."""
    _fields_ = [("enter", _Named), ("leave", _Named), ("phase", _Named),
                ("event", _ctypes.CFUNCTYPE(None, _ctypes.c_char_p, _ctypes.c_size_t, _ctypes.c_size_t,
                                            _ctypes.POINTER(_Attribute))),
                ("name_thread", _Named), ("measure", _ctypes.CFUNCTYPE(None, _ctypes.c_int))]


def _library():
    """Heddle's library: the loaded one, else the library that OMP_TOOL_LIBRARIES names. None: there is none."""
    with _contextlib.suppress(OSError):
        return _ctypes.CDLL("libheddle.so", mode=_os.RTLD_NOW | _os.RTLD_NOLOAD)
    if (_os.getuid(), _os.getgid()) != (_os.geteuid(), _os.getegid()) or _os.environ.get("OMP_TOOL") == "disabled":
        return None
    for path in _os.environ.get("OMP_TOOL_LIBRARIES", "").split(":"):
        if _os.path.basename(path).startswith("libheddle"):
            with _contextlib.suppress(OSError):
                return _ctypes.CDLL(path, mode=_os.RTLD_NOW)
    return None


def _find():
    try:
        function = _library().heddle_user_1
    except (AttributeError, OSError):
        return None
    function.restype = _ctypes.POINTER(_Calls)
    calls = function()
    return calls.contents if calls else None


_calls = _find()


@_functools.lru_cache(maxsize=4096)
def _bytes(name):
    """A name as the recorder takes it: UTF-8 without zeros."""
    return name.encode("utf-8", "backslashreplace").replace(b"\0", b"\\x00")


def _call(function, name):
    text = _bytes("" if name is None else str(name))
    function(text, len(text))


def listens():
    """Whether the program is recorded. Use it to avoid computations that only serve the recording."""
    return _calls is not None


def enter(name):
    """Begins a region of the calling thread."""
    if _calls is not None:
        _call(_calls.enter, name)


def leave(name):
    """Ends a region of the calling thread, and those inside it."""
    if _calls is not None:
        _call(_calls.leave, name)


class region(_contextlib.ContextDecorator):
    """A region around the body of `with heddle.region(name):`, or around each call of a function as its decorator."""

    def __init__(self, name):
        self._name = name

    def __enter__(self):
        enter(self._name)
        return self

    def __exit__(self, *exception):
        leave(self._name)
        return False


def phase(name=None):
    """Begins a phase of the calling thread; without a name only the phase before ends."""
    if _calls is not None:
        _call(_calls.phase, name)


def name_thread(name):
    """Names the calling thread; the last name counts."""
    if _calls is not None:
        _call(_calls.name_thread, name)


def start():
    """Switches measurement on, for all threads."""
    if _calls is not None:
        _calls.measure(1)


def pause():
    """Switches measurement off, for all threads."""
    if _calls is not None:
        _calls.measure(0)


def _set(attribute, name, value):
    """False: the value is no number. Integers of more than 64 bits become real numbers."""
    try:
        number = _operator.index(value)
        if -1 << 63 <= number < 1 << 63:
            attribute.type, attribute.value.integer = _INTEGER, number
        else:
            attribute.type, attribute.value.real = _REAL, float(number)
    except OverflowError:  # beyond any double
        attribute.type, attribute.value.real = _REAL, float("inf") if number > 0 else float("-inf")
    except TypeError:
        if isinstance(value, (str, bytes, bytearray)):
            return False
        try:
            attribute.type, attribute.value.real = _REAL, float(value)
        except (TypeError, ValueError):
            return False
    attribute.name = _bytes(str(name))
    attribute.length = len(attribute.name)
    return True


def event(name, attributes=None, **more):
    """Records an event with numbers by name: event("sent", bytes=10), or event("sent", {"any name": 10})."""
    if _calls is None:
        return
    numbers = {**attributes, **more} if attributes else more
    array = (_Attribute * min(len(numbers), _ATTRIBUTES_MOST))()
    count = 0
    for key, value in numbers.items():
        if count == len(array):
            break
        if _set(array[count], key, value):
            count += 1
        else:
            _warnings.warn(f"heddle.event: attribute {key!s} is no number, and is left out", stacklevel=2)
    text = _bytes(str(name))
    _calls.event(text, len(text), count, array)
