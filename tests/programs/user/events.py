"""Reports to Heddle about itself, in the way that its argument names; tests/end-to-end/user_events.py knows what must come of it."""
import os
import sys
import threading

import heddle


@heddle.region("decorated")
def work():
    heddle.event("real", value=0.5, flag=True)


def sequence():
    heddle.name_thread("conductor")
    heddle.phase("set-up")
    with heddle.region("whole"):
        heddle.event("bare")
        heddle.event("numbers", {"smallest": -2**63, "any name, \u00e9": 1.25}, largest=2**63 - 1, beyond=2**64)
        work()
    heddle.phase()
    heddle.pause()
    heddle.event("lost")
    heddle.start()
    heddle.enter("open")
    heddle.leave("open")

    def member(number):
        heddle.name_thread(f"worker {number}")
        for step in range(3):
            heddle.event("member", number=number, step=step)
    threads = [threading.Thread(target=member, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def many():
    for i in range(20_000):
        heddle.event("tick", i=i, half=i / 2)


def child():
    heddle.event("before")
    process = os.fork()
    heddle.event("child" if process == 0 else "parent")
    if process != 0:
        os.waitpid(process, 0)
    else:
        os._exit(0)


def odd():
    heddle.event("odd", text="no number", none=None, good=1, huge=10**400)
    heddle.event("nul \0 \ud800", **{f"a{i}": i for i in range(300)})


{"sequence": sequence, "many": many, "child": child, "odd": odd}[sys.argv[1]]()
print("listens" if heddle.listens() else "does not", "done")
