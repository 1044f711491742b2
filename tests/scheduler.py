# SPDX-License-Identifier: MIT
"""
A small simulator of a preemptive scheduler of one core: random schedules whose truth is known, as dumps of ThreadX.

Threads lock mutexes (in one order, so without deadlock), take and put semaphores, sleep and compute; interrupts wake them. The
simulator notes for itself what each thread and lock did and when; the events are what ThreadX would record.
"""
import random
import struct
from collections import defaultdict

from threadx_events import INIT, ISR, image

RESUME, SUSPEND, ISR_ENTER, ISR_EXIT, MUTEX_GET, MUTEX_PUT, SEMAPHORE_GET, SEMAPHORE_PUT, SLEEP = 1, 2, 3, 4, 52, 57, 83, 88, 112
STATE_READY, STATE_SLEEP, STATE_SEMAPHORE, STATE_MUTEX = 0, 4, 6, 13
REASON = {STATE_SLEEP: "sleep", STATE_SEMAPHORE: "semaphore", STATE_MUTEX: "lock"}
OBJECT_THREAD, OBJECT_SEMAPHORE, OBJECT_MUTEX = 1, 4, 5
FOREVER = 0xFFFFFFFF


class Thread:
    def __init__(self, number, priority):
        self.address, self.name, self.priority = 0x1000 + 0x100 * number, f"thread {number}", priority
        self.state, self.reason, self.since = None, None, 0
        self.left = 0        # ticks to compute before the next operation
        self.script = None
        self.wakes_at = None
        self.history = []    # (state, reason, object, from, to)
        self.object = None


class Lock:
    def __init__(self, number):
        self.address, self.name = 0x8000 + 0x100 * number, f"mutex {number}"
        self.owner, self.waiters, self.since = None, [], 0
        self.holds = []      # (owner, from, to)


class Semaphore:
    def __init__(self, number):
        self.address, self.name = 0xC000 + 0x100 * number, f"semaphore {number}"
        self.count, self.waiters = 0, []


class Schedule:
    """Runs at once; then events has what was recorded, and threads, locks have the truth."""

    def __init__(self, seed, n_threads=5, n_locks=3, n_events=400):
        self.random = random.Random(seed)
        self.now, self.events, self.current = 0, [], None
        self.threads = [Thread(n, 2 + 3 * n) for n in range(n_threads)]
        self.locks = [Lock(n) for n in range(n_locks)]
        self.semaphores = [Semaphore(n) for n in range(2)]
        self.wakers = {}  # who woke a thread last: by name
        self.begin()
        while len(self.events) < n_events:
            self.step()
        self.record(SLEEP, [0, 0, 0, 0]) if self.current else self.interrupt()
        for thread in self.threads:
            self.become(thread, None)
        for lock in self.locks:
            if lock.owner:
                lock.holds.append((lock.owner, lock.since, self.now))

    # --- what is recorded, and what is true -------------------------------------------------------------------------

    def record(self, number, words, context=None):
        """An event one tick later: by a thread, from an interrupt, or from the initialisation."""
        self.now += 1
        if context is None:
            thread = self.current
            self.events.append((self.now, thread.address, thread.priority << 16 | thread.priority, number, words))
        else:
            interrupted = self.current.address if self.current and context == ISR else 0
            self.events.append((self.now, context, interrupted, number, words))

    def become(self, thread, state, reason=None, thing=None):
        if thread.state and self.now > thread.since:
            thread.history.append((thread.state, thread.reason, thread.object, thread.since, self.now))
        thread.state, thread.reason, thread.object, thread.since = state, reason, thing, self.now

    def best(self):
        ready = [t for t in self.threads if t.state in ("ready", "running", "interrupted")]
        return min(ready, key=lambda t: t.priority, default=None)

    def dispatch(self):
        best = self.best()
        if self.current is not best:
            if self.current and self.current.state in ("running", "interrupted"):
                self.become(self.current, "ready")
            self.current = best
        if best and best.state != "running":
            self.become(best, "running")

    # --- operations -------------------------------------------------------------------------------------------------

    def begin(self):
        for thread in self.threads:
            thread.script = self.live(thread)
            self.record(RESUME, [thread.address, 9, 0, self.threads[0].address], INIT)
            self.become(thread, "ready")
        self.dispatch()
        self.next_interrupt = self.now + self.random.randint(20, 90)

    def live(self, thread):
        """What a thread does: ticks to compute, or an operation that takes no time of its own."""
        pick = self.random
        while True:
            yield pick.randint(1, 60)
            first = pick.randrange(len(self.locks))
            taken = sorted({first, pick.randrange(len(self.locks))}) if pick.random() < 0.4 else [first]
            for n in taken:
                yield lambda lock=self.locks[n]: self.lock(lock)
                yield pick.randint(1, 80)
            for n in reversed(taken):
                yield lambda lock=self.locks[n]: self.unlock(lock)
            what = pick.random()
            if what < 0.3:
                yield lambda: self.take(pick.choice(self.semaphores))
            elif what < 0.6:
                yield lambda: self.put(pick.choice(self.semaphores))
            elif what < 0.8 or thread.priority < 6:
                yield lambda: self.sleep(pick.randint(10, 200))

    def block(self, state, thing):
        thread = self.current
        self.now += 1
        self.become(thread, "waiting", REASON[state], thing)
        following = self.best()
        self.now -= 1
        self.record(SUSPEND, [thread.address, state, 0, following.address if following else 0])
        self.dispatch()

    def wake(self, thread, state, context=None):
        self.now += 1
        self.become(thread, "ready")
        following = self.best()
        self.now -= 1
        self.record(RESUME, [thread.address, state, 0, following.address], context)
        self.wakers[thread.name] = self.current.name if context is None else "isr"
        if context is None:
            self.dispatch()

    def lock(self, lock):
        owner = lock.owner
        self.record(MUTEX_GET, [lock.address, FOREVER, owner.address if owner else 0, int(owner is not None)])
        if owner:
            lock.waiters.append(self.current)
            self.block(STATE_MUTEX, lock.name)
        else:
            lock.owner, lock.since = self.current, self.now

    def unlock(self, lock):
        self.record(MUTEX_PUT, [lock.address, self.current.address, 1, 0])
        lock.holds.append((lock.owner, lock.since, self.now))
        lock.owner = lock.waiters.pop(0) if lock.waiters else None
        if lock.owner:
            self.wake(lock.owner, STATE_MUTEX)
            lock.since = self.now

    def take(self, semaphore):
        self.record(SEMAPHORE_GET, [semaphore.address, FOREVER, semaphore.count, 0])
        if semaphore.count:
            semaphore.count -= 1
        else:
            semaphore.waiters.append(self.current)
            self.block(STATE_SEMAPHORE, semaphore.name)

    def put(self, semaphore, context=None):
        self.record(SEMAPHORE_PUT, [semaphore.address, semaphore.count, len(semaphore.waiters), 0], context)
        if semaphore.waiters:
            self.wake(semaphore.waiters.pop(0), STATE_SEMAPHORE, context)
        else:
            semaphore.count += 1

    def sleep(self, ticks):
        self.record(SLEEP, [ticks, 0, 0, 0])
        self.current.wakes_at = self.now + ticks
        self.block(STATE_SLEEP, None)

    def interrupt(self):
        """The timer's: it wakes those that have slept enough, and sometimes puts a semaphore."""
        self.now += 1
        if self.current:
            self.become(self.current, "interrupted")
        self.now -= 1
        self.record(ISR_ENTER, [0, 7, 1, 0], ISR)
        for thread in self.threads:
            if thread.state == "waiting" and thread.reason == "sleep" and thread.wakes_at <= self.now:
                self.wake(thread, STATE_SLEEP, ISR)
        if self.random.random() < 0.5:
            self.put(self.random.choice(self.semaphores), ISR)
        self.record(ISR_EXIT, [0, 7, 1, 0], ISR)
        self.dispatch()
        self.next_interrupt = self.now + self.random.randint(20, 90)

    def step(self):
        """Up to the next operation or interrupt."""
        if not self.current or self.now + self.current.left >= self.next_interrupt:
            if self.current:
                self.current.left -= max(0, self.next_interrupt - self.now)
            self.now = max(self.now, self.next_interrupt)
            self.interrupt()
            return
        self.now += self.current.left
        self.current.left = 0
        what = next(self.current.script)
        if isinstance(what, int):
            self.current.left = what
        else:
            what()

    # --- results ----------------------------------------------------------------------------------------------------

    def dump(self):
        """The bytes of the dump; the stamps of image() are counted, so the real ones are written over them."""
        objects = [(OBJECT_THREAD, t.address, t.name, t.priority, 0) for t in self.threads]
        objects += [(OBJECT_MUTEX, l.address, l.name, 0, 0) for l in self.locks]
        objects += [(OBJECT_SEMAPHORE, s.address, s.name, 0, 0) for s in self.semaphores]
        out = bytearray(image(objects, [(context, priority, number, words)
                                        for _, context, priority, number, words in self.events]))
        first = len(out) - 32 * len(self.events)
        for n, event in enumerate(self.events):
            struct.pack_into("<I", out, first + 32 * n + 12, event[0])
        return bytes(out)

    def sums(self):
        """{thread: {state or reason of waiting: ticks}}"""
        result = {t.name: defaultdict(int) for t in self.threads}
        for thread in self.threads:
            for state, reason, _, begin, end in thread.history:
                result[thread.name][state] += end - begin
                if reason:
                    result[thread.name][reason] += end - begin
        return result
