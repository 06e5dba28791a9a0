"""What pytest does around the tests: their directories and processes go with them, and where nothing could be tried, that is the result."""
import os
import re
import signal

import pytest

import harness
import leftovers

RUNTIME = "gomp_" if harness.ON_LIBGOMP else ""  # tests of a file that runs twice are two tests


def pytest_configure(config):
    """From here on the processes of tests end, even if this one is killed. An earlier report goes: a killed run has none."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores it, and so would its children
    leftovers.begin()
    if config.option.xmlpath and os.path.exists(config.option.xmlpath):
        os.unlink(config.option.xmlpath)
    harness.sweep()


def for_all_alone(file):
    """Patterns of tests of a file that landing omits (tests/stages)."""
    with open(os.path.join(harness.SOURCE, "..", "stages"), encoding="utf-8") as stages:
        lines = re.findall(r"^all +end-to-end\\\.(\w+)::(\S+)$", stages.read(), re.M)
    return [re.compile(pattern) for name, pattern in lines if name == RUNTIME + file]


def pytest_collection_modifyitems(config, items):
    """Omits tests that are not in the stage. Where a whole file was collected, each pattern must match a test of it."""
    for file in {item.path.stem for item in items}:
        own = [item for item in items if item.path.stem == file]
        for pattern in for_all_alone(file):
            found = [item for item in own if pattern.fullmatch(item.originalname) or pattern.fullmatch(item.name)]
            if not found and not config.option.keyword and not any("::" in argument for argument in config.args):
                raise pytest.UsageError(f"tests/stages: there is no test {file}::{pattern.pattern}")
            if harness.STAGE == "landing":
                config.hook.pytest_deselected(items=[item for item in found if item in items])
                items[:] = [item for item in items if item not in found]


def pytest_terminal_summary(terminalreporter):
    for path in harness.kept:
        terminalreporter.line(f"kept: {path}")


@pytest.fixture(autouse=True)
def nothing_stays(request):
    """Nothing of a test stays for the next one."""
    harness.begin_test(RUNTIME + request.node.nodeid)
    yield
    leftovers.end_own()
    harness.end_test()


@pytest.hookimpl(hookwrapper=True)
def pytest_timeout_set_timer():
    """Ends the processes of a test that hangs, before the test itself: it may wait for their output while it ends."""
    yield
    fail = signal.getsignal(signal.SIGALRM)

    def end(number, frame):
        leftovers.end_own()
        fail(number, frame)

    signal.signal(signal.SIGALRM, end)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    """Removes what stayed for several tests. pytest's own exit status is 0 if all tests were skipped."""
    harness.remove_directories()
    harness.sweep()
    results = session.config.pluginmanager.get_plugin("terminalreporter").stats
    if exitstatus == pytest.ExitCode.OK and "skipped" in results and "passed" not in results:
        session.exitstatus = harness.SKIPPED  # ctest shows the file as skipped
