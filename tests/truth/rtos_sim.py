#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rtos_sim.py - a seeded discrete-event simulator of small RTOSes that writes the trace their kernels would write, and the truth.

  rtos_sim.py list
  rtos_sim.py SCENARIO OUT [--dialect threadx|liteos_m|liteos_a] [--seed N] [--cores N] [--word 4|8] [--keep N] [--lose N] [--tlv]

OUT is the trace; OUT.truth.json is what really happened, as far as a recording can tell. README.md: how to use it from Python, what
the truth holds and leaves out. Written from the formats and from what recordings of the real kernels show; holds no kernel code.
"""
import argparse, bisect, json, os, random, struct, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from frames import Layout, NAMES, crc16, txtb_header, txtb_layout

FOREVER = "forever"
BLOCK = object()
MS = 100_000                                        # cycles at 100 MHz; also one kernel tick

class Thing:
    """A kernel object."""
    def __init__(s, kind, name, ident, **more):
        s.kind, s.name, s.id, s.waiters, s.dead, s.made = kind, name, ident, [], False, True
        s.__dict__.update(more)

class Thread(Thing):
    def __init__(s, name, ident, prio, body, slice=0, auto=True, idle=False):
        Thing.__init__(s, "thread", name, ident)
        s.prio = s.base = s.first_prio = prio; s.body, s.slice, s.left, s.auto, s.idle = body, slice, slice, auto, idle
        s.state, s.gen, s.rem, s.result, s.core, s.seq, s.held, s.deadline, s.wait = "none", None, 0, None, None, 0, [], None, None
        s.since = 0; s.depth = 200; s.call = 0; s.leaves = None; s.grant = None; s.code = 3; s.want = None; s.patch = None

class Isr:
    def __init__(s, number, level, gen, told=True): s.number, s.level, s.gen, s.told, s.rem, s.result, s.log = number, level, gen, told, 0, None, None

class Core:
    def __init__(s, n): s.n, s.cur, s.isr, s.kt, s.ev, s.irqs, s.ask, s.decided, s.wants, s.idle = n, None, [], 0, [], [], None, None, False, None

class Event:
    __slots__ = ("ts", "core", "id", "ctx", "over", "depth", "args", "about", "shows", "prio", "slot", "pid")

class Sim:
    """What all kernels share: time, cores, interrupts, scheduling, and what is written down as truth."""
    dialect = None; has_init = True
    def __init__(s, cores=1, seed=1, **how):
        s.R = random.Random(f"{s.dialect} {seed} {cores}"); s.seed = seed; s.how = how
        s.cores = [Core(i) for i in range(cores)]; s.t = 0; s.k = 0; s.klock = 0; s.ticks = 0; s.order = 0
        s.threads, s.things, s.runnable, s.events, s.timers, s.todo = [], [], [], [], [], []
        s.chosen = [None] * cores; s.booting = True; s.boots = []
        s.hist, s.occ, s.own, s.lev, s.anything, s.any_core, s.irqlog, s.waits, s.findings, s.facts, s.done = {}, {c: [] for c in s.cores}, {}, {}, {}, {c: [] for c in s.cores}, [], [], [], {}, []
        s.tick_cycles = how.get("tick", MS); s.next_tick = s.tick_cycles; s.tick_core = s.cores[0]; s.told_isr = how.get("isr", True); s.told_tick = how.get("tick_isr", True)
        s.calm = False; s.depths = []; s.setup()

    # -- what scenarios call -------------------------------------------------------------------------------------------
    def later(s, op): s.boots.append(op)
    def irq(s, at, number, body=None, level=2, core=0, told=None):
        told = s.told_isr if told is None else told
        c = s.cores[core]; bisect.insort(c.irqs, (int(at), s.R.random(), number, level, body, told))
    def every(s, period, number, body=None, start=0, until=10**12, level=2, core=0, jitter=0, told=None):
        t = start or period
        while t < until: s.irq(t + (s.R.randrange(jitter) if jitter else 0), number, body, level, core, told); t += period

    # -- truth -----------------------------------------------------------------------------------------------------------
    def tr(s, T, t, state, reason=None, obj=None, lo=None, hi=None, by=None, core=None, got=None):
        lo = t if lo is None else min(lo, t); hi = t if hi is None else hi
        s.hist.setdefault(T, []).append((t, (state, reason, obj, core), lo, hi, by, got))
    def occupied(s, c, t, what, lo=None, hi=None):
        s.occ[c].append((t, what, t if lo is None else min(lo, t), t if hi is None else hi, None, None))
    def owner(s, m, t, T, lo=None, hi=None): s.own.setdefault(m, []).append((t, T, t if lo is None else lo, t if hi is None else hi, None, None))
    def level(s, o, t, v, lo=None, hi=None):
        s.lev.setdefault(o, []).append((t, v, t if lo is None else lo, t if hi is None else hi, None, None))
    def next_on(s, c): return (c.n, len(c.ev))
    def last_on(s, c): return c.ev[-1] if c.ev else 0
    def here(s, c): return ("isr", c.isr[-1].number) if c.isr else ("init",) if s.booting else ("thread", c.cur.name)

    # -- events ----------------------------------------------------------------------------------------------------------
    def enter(s, c, t): s.k = max(t, s.klock, c.kt, s.k) + s.R.randrange(8, 40)
    def emit(s, c, ident, args, about=(), ctx=None):
        e = Event(); e.ts, e.core, e.id, e.args = s.k, c.n, ident, args; e.about = set(about); e.shows = set(about[:1]) if s.telling(ident, args) else set(); e.slot = None; e.pid = 2
        e.ctx = ctx or ("init" if s.booting else "isr" if c.isr else c.cur); e.over = c.cur; e.depth = len(c.isr); e.prio = c.cur.prio if c.cur else 0
        if isinstance(e.ctx, Thread): e.shows.add(e.ctx)
        s.events.append(e); c.ev.append(s.k)
        s.k += s.R.randrange(12, 60)
        return e.ts

    # -- scheduling -------------------------------------------------------------------------------------------------------
    def choose(s):
        n = len(s.cores); best = sorted(s.runnable, key=lambda T: (T.prio, T.seq))[:n]
        got = [None] * n; rest = []
        for T in best:
            if T.core is not None and s.cores[T.core].cur is T: got[T.core] = T
            else: rest.append(T)
        for T in list(rest):
            k = s.chosen.index(T) if T in s.chosen else None
            if k is not None and got[k] is None: got[k] = T; rest.remove(T)
        for T in rest: got[got.index(None)] = T
        s.chosen = got
    def ready(s, T, ts, lo=None, by=None, hi=None, told=True):
        s.order += 1; T.seq = s.order; T.state = "ready"; T.since = ts; T.deadline = None; T.want = None
        s.runnable.append(T); s.choose()
        if told: s.tr(T, ts, "ready", lo=lo, hi=hi, by=by)
    def unready(s, T):
        if T in s.runnable: s.runnable.remove(T)
        s.choose()
    def charge(s, c, t):
        a = c.isr[-1] if c.isr else c.cur
        if a: a.rem = max(0, a.rem - max(0, t - c.kt))
    def leave(s, c):
        if not c.isr and not s.booting: s.dispatch(c)
        c.kt = s.k; s.klock = s.k; s.poke(c)
    def poke(s, c):
        for d in s.cores:
            if d is not c and s.chosen[d.n] is not d.cur:
                if d.ask is None: d.ask = s.k + s.R.randrange(60, 240)
            elif d is not c: d.ask = None
    def interrupted(s, c, ts, told):
        if c.cur and len(c.isr) == 1 and not c.cur.idle:
            s.tr(c.cur, ts, "interrupted", core=c.n, **({} if told else dict(lo=s.last_on(c), hi=s.next_on(c))))
    def resumed(s, c, ts, told):
        if c.cur and c.cur.state == "running" and not c.cur.idle:
            s.tr(c.cur, ts, "running", core=c.n, **({} if told else dict(lo=s.last_on(c), hi=s.next_on(c))))

    # -- the loop ---------------------------------------------------------------------------------------------------------
    def run(s, until):
        s.until = until; c = s.cores[0]; s.k = s.R.randrange(500, 3000); s.begin(c)
        for op in s.boots: s.k += s.R.randrange(200, 2000); op(c)
        s.k += s.R.randrange(300, 900); s.booting = False; s.choose(); s.klock = s.k
        for d in s.cores: d.kt = s.k; d.ask = None if d is c else s.k + s.R.randrange(50, 200)
        s.start_first(c); c.kt = s.klock = s.k
        while True:
            s.arm()
            best = None
            for c in s.cores:
                top = c.isr[-1] if c.isr else None
                for i, q in enumerate(c.irqs):
                    if top is None or q[3] > top.level:
                        at = max(q[0], c.kt)
                        if best is None or at < best[0]: best = (at, 0, c, i)
                        break
                if not c.isr and c.ask is not None:
                    at = max(c.ask, c.kt)
                    if best is None or at < best[0]: best = (at, 1, c, None)
                a = top or c.cur
                if a and not (a is c.cur and a.idle and not c.isr):
                    at = c.kt + a.rem
                    if best is None or at < best[0]: best = (at, 2, c, a)
            if best is None or best[0] > until: break
            at, what, c, x = best; s.t = at; s.charge(c, at)
            if what == 0:
                q = c.irqs.pop(x); s.enter(c, at); s.isr_in(c, q); c.kt = s.klock = s.k
            elif what == 1:
                c.ask = None; s.enter(c, at); s.dispatch(c); c.kt = s.klock = s.k; s.poke(c)
            else:
                try: op = x.gen.send(x.result)
                except StopIteration: op = ("end",)
                x.result = None
                if op[0] == "run": x.rem = max(1, int(op[1])); c.kt = max(at, c.kt); continue
                s.enter(c, at)
                at = s.k; r = getattr(s, "op_" + op[0])(c, x, *op[1:])
                if op[0] in ("send", "recv", "lock", "get", "put"): s.done.append((at, op[0], op[1], x.want if r is BLOCK else r))
                if r is not BLOCK: x.result = r
                s.leave(c)
        return s
    def arm(s):
        """The next tick of the kernel, as an interrupt of the first core."""
        c = s.tick_core
        while s.next_tick < s.t + 1: s.next_tick += s.tick_cycles
        if s.calm: c.irqs[:] = [q for q in c.irqs if q[4] != "tick"]
        if not any(q[4] == "tick" for q in c.irqs):
            n = s.next_tick
            if s.calm:                                         # dynamic tick: only where something is due
                due = [T.deadline for T in s.threads if T.deadline is not None] + [x.due for x in s.timers if x.due is not None]
                peers = [T for T in s.runnable if T.slice and T.state == "running" and any(o is not T and o.prio == T.prio and o.state == "ready" for o in s.runnable)]
                d = min(due + [s.ticks_at(n) + max(0, T.left - 1) for T in peers], default=None)
                if d is None: return
                while s.ticks_at(n) < d: n += s.tick_cycles
            if n <= s.until: bisect.insort(c.irqs, (n, 0.0, s.tick_number, 1, "tick", s.told_tick))
    def ticks_at(s, t): return t // s.tick_cycles
    def isr_in(s, c, q):
        at, _, number, level, body, told = q
        i = Isr(number, level, None, told); c.isr.append(i)
        i.gen = s.tick_body(c) if body == "tick" else (body() if body else iter(()))
        if not hasattr(i.gen, "send"): i.gen = (x for x in i.gen)
        i.rem = s.R.randrange(100, 400); over = c.cur
        ts = s.k; i.seen = s.last_on(c)
        if told: ts = s.tell_in(c, i)
        i.log = dict(irq=number, core=c.n, depth=len(c.isr), at=ts, told=told, over=c.cur, on=c); s.irqlog.append(i.log)
        s.interrupted(c, ts, told)
        s.occupied(c, ts, ("isr", number), **({} if told else dict(lo=s.last_on(c), hi=s.next_on(c))))
    def op_end(s, c, a):
        if isinstance(a, Isr): return s.isr_out(c, a)
        return s.thread_end(c, a)
    def isr_out(s, c, i):
        ts = s.k
        if i.told: ts = s.tell_out(c, i)
        i.log["end"] = ts; c.isr.pop()
        if not i.told:
            span = (i.seen, s.next_on(c)); s.any_core[c].append(span)
            if c.cur: s.anything.setdefault(c.cur, []).append(span)
        w = {} if i.told else dict(lo=s.last_on(c), hi=s.next_on(c))
        if c.isr: s.occupied(c, ts, ("isr", c.isr[-1].number), **w)
        else: s.after_isr(c, ts, i.told, w)
        return BLOCK

    # -- ops that are the same everywhere ----------------------------------------------------------------------------------
    def op_nothing(s, c, a): return None
    def op_stack(s, c, a, depth): a.depth = depth
    def op_python(s, c, a, f): return f(s.k)

# ================================================================ ThreadX ================================================================

X = dict(resume=1, suspend=2, isr_in=3, isr_out=4, slice=5, running=6)
XCODE = dict(suspended=3, sleep=4, queue=5, semaphore=6, flags=7, block=8, byte=9, lock=13)
WAITWORD = {"block": "memory", "byte": "memory"}

class ThreadX(Sim):
    dialect = "threadx"; tick_number = 0
    TYPES = dict(thread=1, timer=2, queue=3, semaphore=4, mutex=5, flags=6, block=7, byte=8)
    def setup(s):
        s.word = s.how.get("word", 4); s.smp = len(s.cores) > 1
        s.ptrs = 0x20001000 if s.word == 4 else 0x80201000
        s.timer_thread = s.thread("System Timer Thread", 0, s.timer_body, auto=False, made=False)
        s.timer_thread.state = "waiting"; s.timer_thread.code = 3; s.timer_thread.depth = 96
        s.tr(s.timer_thread, 0, "waiting", "suspended")
    def address(s, size=0x40): s.ptrs += size; return s.ptrs - size

    # objects
    def add(s, o, boot, ident=None):
        s.things.append(o); o.made = False
        s.later(lambda c: boot(c, o)); return o
    def mutex(s, name, inherit=False):
        return s.add(Thing("mutex", name, s.address(), owner=None, count=0, inherit=inherit, p=(int(inherit), 0)), lambda c, o: (s.emit(c, 50, (o.id, int(inherit), s.sp(c)), (o,)), s.owner(o, s.last_on(c), None)))
    def semaphore(s, name, count=0, limit=None):
        return s.add(Thing("semaphore", name, s.address(), count=count, p=(count, 0)), lambda c, o: s.level(o, s.emit(c, 81, (o.id, count, s.sp(c)), (o,)), count))
    def queue(s, name, capacity, words=1):
        size = capacity * words * s.word
        return s.add(Thing("queue", name, s.address(), capacity=capacity, count=0, p=(size, words)), lambda c, o: s.level(o, s.emit(c, 60, (o.id, words, o.id + 0x1000, size), (o,)), 0))
    def flags(s, name): return s.add(Thing("flags", name, s.address(), bits=0, p=(0, 0)), lambda c, o: s.emit(c, 30, (o.id, s.sp(c)), (o,)))
    def blocks(s, name, total, size=64):
        o = Thing("block", name, s.address(), total=total, size=size, p=((size + s.word) * total, size))
        start = s.address((size + 16) * total); o.free = [start + i * (size + s.word) for i in range(total)]
        return s.add(o, lambda c, o: (s.emit(c, 11, (o.id, start, total, size), (o,)), s.level(o, s.last_on(c), total)))
    def bytes(s, name, size):
        start = s.address(size + 64); o = Thing("byte", name, s.address(), size=size, left=size - 2 * s.word, at=start, got={}, p=(size, 0))
        return s.add(o, lambda c, o: s.emit(c, 21, (o.id, start, size, s.sp(c)), (o,)))
    def timer(s, name, period, callback, first=None):
        o = Thing("timer", name, s.address(), period=period, callback=callback, due=None, p=(first or period, period))
        def boot(c, o): s.emit(c, 124, (o.id, first or period, period, 1), (o,)); o.due = s.ticks + (first or period); s.timers.append(o)
        return s.add(o, boot)
    def thread(s, name, prio, body, slice=0, auto=True, made=True, size=2048):
        T = Thread(name, s.address(0xB0), prio, body, slice, auto); T.size = size; T.start = s.address(size + 64) + 0x20; T.p = (T.start, size)
        s.threads.append(T); s.things.append(T)
        if made: s.later(lambda c: s.op_create(c, None, T))
        else: T.gen = body()
        return T
    def dynamic(s, name, prio, body, slice=0, size=2048):
        """A thread that an op creates later."""
        T = Thread(name, s.address(0xB0), prio, body, slice, True); T.size = size; T.start = s.address(size + 64) + 0x20; T.p = (T.start, size); T.made = False
        s.threads.append(T); s.things.append(T); return T

    # words of events
    def telling(s, ident, args): return ident in (1, 2) and args[1] != 14 or ident in (100, 101, 115)
    def sp(s, c):
        if c.isr or s.booting or not c.cur: return 0x2000F800 - 0x40 * len(c.isr)
        at = c.cur.start + c.cur.size - c.cur.depth - s.R.randrange(0, 24) * 4
        s.depths.append((len(s.events), c.cur, at - c.cur.start)); return at
    def nx(s, c): T = s.chosen[c.n]; return T.id if T else 0
    def begin(s, c): s.emit(c, 6, ()); s.emit(c, 6, ())
    def state_code(s, T): return {"ready": 0, "running": 0, "none": 3}.get(T.state, T.code)
    def decide(s, c):
        if s.chosen[c.n] is c.cur: c.decided = c.decided if s.smp and c.isr else None
        elif c.decided is None: c.decided = s.k
    def e_resume(s, c, T, code):
        s.decide(c); n = s.chosen[c.n]
        return s.emit(c, 1, (T.id, code, s.sp(c), s.nx(c)), (T,) + ((n,) if n and not s.smp else ()))
    def e_suspend(s, c, T, code):
        s.decide(c); n = s.chosen[c.n]
        return s.emit(c, 2, (T.id, code, s.sp(c), s.nx(c)), (T,) + ((n,) if n and not s.smp else ()))

    # states
    def wake(s, c, T, result=True, lo=None):
        code = T.code; by = s.here(c)
        w = T.want
        if w:
            w["to"] = s.k; w["got"] = result is not False; T.want = None
        if T.patch and result is not False: T.patch(result)
        T.patch = None
        T.result = result; ts = s.k; s.ready(T, ts, by=by); return s.e_resume(c, T, code)
    def block(s, c, T, why, obj, timeout, call):
        T.code = XCODE[why]; T.call = call; reason = WAITWORD.get(why, why)
        T.state = "waiting"; T.wait = obj; s.unready(T); T.deadline = None if timeout in (FOREVER, None) else s.ticks + timeout
        if obj: obj.waiters.append(T)
        ts = s.e_suspend(c, T, T.code)
        s.tr(T, ts, "waiting", reason, obj.name if obj else None, lo=call)
        T.want = dict(thread=T.name, reason=reason, object=obj.name if obj else None, at=ts, call=call, limit=timeout); s.waits.append(T.want)
        T.core = None
        return BLOCK
    def dispatch(s, c):
        nxt = s.chosen[c.n]; old = c.cur
        if nxt is old and (old is None or old.state in ("running",)): c.decided = None; return
        last = s.last_on(c); lo = last if c.decided is None else min(c.decided, last); hi = s.next_on(c)
        if old and old.state == "running":
            old.state = "ready"; old.core = None; s.tr(old, s.k, "ready", lo=lo, hi=hi, by=nxt and ("thread", nxt.name))
        if old and old.state in ("waiting", "ended"): lo = min(lo, old.call)
        c.decided = None; c.cur = nxt
        cs = s.R.randrange(20, 150); t = s.k + (cs if nxt else 0)
        if nxt:
            nxt.state = "running"; nxt.core = c.n; nxt.decided = last
            s.tr(nxt, t, "running", lo=max(last, nxt.since), hi=hi, core=c.n)
        s.occupied(c, t, ("thread", nxt.name) if nxt else ("idle",), lo=min(lo, t), hi=hi)
        s.k += cs
    def start_first(s, c): s.dispatch(c)
    def after_isr(s, c, ts, told, w):
        if s.chosen[c.n] is c.cur:
            if c.decided is not None and s.smp and c.cur:              # another core took whom the recording named for this one
                span = (ts, s.next_on(c)); s.anything.setdefault(c.cur, []).append(span); s.any_core[c].append(span)
            c.decided = None
        s.resumed(c, ts, told); s.occupied(c, ts, ("thread", c.cur.name) if c.cur else ("idle",), **w)

    # interrupts and ticks
    def tell_in(s, c, i): return s.emit(c, 3, (s.sp(c), i.number, len(c.isr), 0))
    def tell_out(s, c, i): return s.emit(c, 4, (s.sp(c), i.number, len(c.isr), 0))
    def tick_body(s, c): yield ("tick",)
    def op_tick(s, c, a):
        s.ticks += 1; T = s.timer_thread
        due = any(t.deadline is not None and t.deadline <= s.ticks for t in s.threads) or any(x.due is not None and x.due <= s.ticks for x in s.timers)
        if due and T.state == "waiting": s.wake(c, T, None)
        if not s.smp and c.cur and c.cur.slice and c.cur.state == "running":
            R = c.cur; R.left -= 1
            if R.left <= 0:
                R.left = R.slice
                if any(o is not R and o.prio == R.prio for o in s.runnable):
                    s.order += 1; R.seq = s.order; s.choose(); s.decide(c); n = s.chosen[c.n]
                    s.emit(c, 5, (s.nx(c), len(c.isr), 0, s.sp(c)), (n,) if n else ())
    def timer_body(s):
        while True:
            calls = yield ("timers",)
            for f in calls: yield from f()
            if not s.due_now(): yield ("timers_done",)
    def due_now(s): return any(t.deadline is not None and t.deadline <= s.ticks for t in s.threads) or any(x.due is not None and x.due <= s.ticks for x in s.timers)
    def op_timers(s, c, a):
        calls = []
        for T in [t for t in s.threads if t.deadline is not None and t.deadline <= s.ticks]:
            if T.wait: T.wait.waiters.remove(T)
            if T.want and T.want["reason"] != "sleep": T.want["timeout"] = True
            s.wake(c, T, True if T.code == 4 else False)
        for x in s.timers:
            if x.due is not None and x.due <= s.ticks: x.due = x.due + x.period if x.period else None; calls.append(x.callback)
        return calls
    def op_timers_done(s, c, T):
        T.code = 3; T.call = s.k; T.state = "waiting"; s.unready(T)
        ts = s.e_suspend(c, T, 3); s.tr(T, ts, "waiting", "suspended", None); T.core = None
        return BLOCK

    # services
    def limit(s, timeout): return {FOREVER: 0xFFFFFFFF, None: 0xFFFFFFFF}.get(timeout, timeout)
    def op_lock(s, c, T, m, timeout=FOREVER):
        ts = s.emit(c, 52, (m.id, s.limit(timeout), m.owner.id if m.owner else 0, m.count), (m,))
        if m.owner is None: m.owner, m.count = T, 1; T.held.append(m); s.owner(m, ts, T); return True
        if m.owner is T: m.count += 1; return "again"
        if timeout == 0: return False
        if m.inherit and m.owner.prio > T.prio: s.raise_to(c, m.owner, T.prio)
        return s.block(c, T, "lock", m, timeout, ts)
    def raise_to(s, c, T, prio):
        if T in s.runnable:
            running = T.state == "running"; a = s.k; s.unready(T); s.e_suspend(c, T, 14); T.prio = prio
            s.order += 1; T.seq = s.order; s.runnable.append(T); s.choose(); b = s.e_resume(c, T, 14); s.anything.setdefault(T, []).append((a, b))
        else: T.prio = prio
    def restore(s, c, T):
        want = min([T.base] + [w.prio for m in T.held if m.inherit for w in m.waiters])
        if want != T.prio: s.raise_to(c, T, want)
    def op_unlock(s, c, T, m):
        ts = s.emit(c, 57, (m.id, m.owner.id, m.count, s.sp(c)), (m, m.owner)); m.count -= 1
        if m.count: return True
        T.held.remove(m)
        if not m.waiters: m.owner = None; s.owner(m, ts, None); s.restore(c, T); return True
        if m.inherit and len(m.waiters) > 1: s.emit(c, 56, (m.id, len(m.waiters), s.sp(c)), (m,))
        W = min(m.waiters, key=lambda w: w.prio) if m.inherit else m.waiters[0]; m.waiters.remove(W); m.owner, m.count = W, 1; W.held.append(m)
        s.restore(c, T); t2 = s.wake(c, W)
        s.owner(m, t2, W, lo=ts, hi=t2); return True
    def op_get(s, c, T, o, timeout=FOREVER):
        ts = s.emit(c, 83, (o.id, s.limit(timeout), o.count, s.sp(c)), (o,))
        if o.count: o.count -= 1; s.level(o, ts, o.count); return True
        return False if timeout == 0 else s.block(c, T, "semaphore", o, timeout, ts)
    def op_put(s, c, T, o):
        ts = s.emit(c, 88, (o.id, o.count, len(o.waiters), s.sp(c)), (o,))
        if o.waiters: s.wake(c, o.waiters.pop(0))
        else: o.count += 1; s.level(o, ts, o.count)
        return True
    def op_send(s, c, T, q, timeout=0, front=False):
        ts = s.emit(c, 63 if front else 69, (q.id, s.sp(c), s.limit(timeout), q.count), (q,))
        if q.waiters and not q.count: s.wake(c, q.waiters.pop(0)); return True
        if q.count < q.capacity: q.count += 1; s.level(q, ts, q.count); return True
        return False if timeout == 0 else s.block(c, T, "queue", q, timeout, ts)
    def op_recv(s, c, T, q, timeout=FOREVER):
        ts = s.emit(c, 68, (q.id, s.sp(c), s.limit(timeout), q.count), (q,))
        if q.count:
            if q.waiters: s.wake(c, q.waiters.pop(0))
            else: q.count -= 1; s.level(q, ts, q.count)
            return True
        return False if timeout == 0 else s.block(c, T, "queue", q, timeout, ts)
    def op_flush(s, c, T, q):
        ts = s.emit(c, 62, (q.id, s.sp(c)), (q,)); q.count = 0; s.level(q, ts, 0)
        while q.waiters: s.wake(c, q.waiters.pop(0))
    def op_wait_flags(s, c, T, g, mask, option=1, timeout=FOREVER):
        ts = s.emit(c, 32, (g.id, mask, g.bits, option), (g,))
        hit = g.bits & mask == mask if option & 2 else g.bits & mask
        if hit:
            if option & 1: g.bits &= ~mask
            return True
        T.asked = (mask, option)
        return False if timeout == 0 else s.block(c, T, "flags", g, timeout, ts)
    def op_set_flags(s, c, T, g, mask):
        s.emit(c, 36, (g.id, mask, 0, len(g.waiters)), (g,)); g.bits |= mask; clear = 0
        for W in list(g.waiters):
            m, o = W.asked
            if (g.bits & m == m) if o & 2 else g.bits & m:
                g.waiters.remove(W); clear |= m if o & 1 else 0; s.wake(c, W)
        g.bits &= ~clear
    def op_sleep(s, c, T, n):
        ts = s.emit(c, 112, (n, 0, s.sp(c))); r = s.block(c, T, "sleep", None, n, ts); return r
    def op_take(s, c, T, p, timeout=FOREVER):
        e_at = len(s.events); ts = s.emit(c, 10, (p.id, 0, s.limit(timeout), len(p.free)), (p,)); e = s.events[e_at]
        def patch(a): e.args = (e.args[0], a) + e.args[2:]
        if p.free: a = p.free.pop(); patch(a); s.level(p, ts, len(p.free)); return a
        if timeout == 0: return False
        T.patch = patch; return s.block(c, T, "block", p, timeout, ts)
    def op_give(s, c, T, p, a):
        ts = s.emit(c, 17, (p.id, a, len(p.waiters), s.sp(c)), (p,))
        if p.waiters: s.wake(c, p.waiters.pop(0), a)
        else: p.free.append(a); s.level(p, ts, len(p.free))
    def op_alloc(s, c, T, p, n, timeout=FOREVER):
        e_at = len(s.events); ts = s.emit(c, 20, (p.id, 0, n, s.limit(timeout)), (p,)); e = s.events[e_at]
        def patch(a): e.args = (e.args[0], a) + e.args[2:]
        if p.left >= n + 8: a = s.carve(p, n); patch(a); return a
        if timeout == 0: return False
        T.patch = patch; T.asked = n; return s.block(c, T, "byte", p, timeout, ts)
    def carve(s, p, n): p.left -= n + 8; p.at += n + 8; p.got[p.at] = n; return p.at
    def op_free(s, c, T, p, a):
        s.emit(c, 27, (p.id, a, len(p.waiters), p.left), (p,)); p.left += p.got.pop(a) + 8
        while p.waiters and p.left >= p.waiters[0].asked + 8:
            W = p.waiters.pop(0); s.wake(c, W, s.carve(p, W.asked))
    def op_user(s, c, T, n, *a): s.emit(c, n, (list(a) + [0] * 4)[:4])
    def op_yield(s, c, T):
        s.order += 1; T.seq = s.order; s.choose(); s.decide(c); n = s.chosen[c.n]
        s.emit(c, 109, (s.sp(c), s.nx(c) if s.chosen[c.n] is not T else 0), (n,) if n else ())
    def op_prio(s, c, T, W, prio):
        W = W or T; s.emit(c, 108, (W.id, prio, W.prio, s.state_code(W)), (W,)); W.base = prio
        s.raise_to(c, W, min([prio] + [w.prio for m in W.held if m.inherit for w in m.waiters]))
    def op_create(s, c, T, W):
        ts = s.emit(c, 100, (W.id, W.prio, W.start, W.size), (W,)); W.gen = W.body(); W.state = "waiting"; W.code = 3; W.made = True; W.dead = False
        s.tr(W, ts, "created"); s.levels_of = None
        if W.auto: s.wake(c, W, None)
    def op_suspend(s, c, T, W=None):
        W = W or T; s.emit(c, 114, (W.id, s.state_code(W), s.sp(c)), (W,))
        if W.state not in ("ready", "running"): return False
        W.code = 3; call = s.last_on(c); W.call = call; was = W.state; W.state = "waiting"; s.unready(W); W.want = None; W.wait = None
        ts = s.e_suspend(c, W, 3); s.tr(W, ts, "waiting", "suspended", None, lo=call if W is T else ts); W.core = None
        return BLOCK if W is T else True
    def op_resume(s, c, T, W):
        s.emit(c, 111, (W.id, s.state_code(W), s.sp(c)), (W,))
        if W.state == "waiting" and W.code == 3: s.wake(c, W, None); return True
        return False
    def op_terminate(s, c, T, W):
        s.emit(c, 115, (W.id, s.state_code(W), s.sp(c)), (W,)); call = s.last_on(c); was = W.state; W.state = "ended"; W.deadline = None
        if W.want: W.want["to"] = call; W.want = None
        if W.wait and W in W.wait.waiters: W.wait.waiters.remove(W)
        if was in ("ready", "running"): s.unready(W); W.core = None; ts = s.e_suspend(c, W, 2); s.tr(W, ts, "ended", lo=call)
        else: s.tr(W, call, "ended")
        W.code = 2
    def op_delete(s, c, T, W): s.tr(W, s.emit(c, 101, (W.id, s.sp(c)), (W,)), "none"); W.dead = True; W.state = "none"
    def thread_end(s, c, T):
        T.state = "ended"; T.code = 1; T.call = s.k; s.unready(T); ts = s.e_suspend(c, T, 1); s.tr(T, ts, "ended"); T.core = None
        return BLOCK

    # the file
    def write(s, path, keep=None, registry=None):
        """TXTB with the last `keep` entries of the ring. Returns the indices of the events that are in it."""
        word, e, f = s.word, s.how.get("endian", "<"), "I" if s.word == 4 else "Q"; full = (1 << 8 * word) - 1
        n = len(s.events); cap = keep or n + 7; kept = list(range(max(0, n - cap), n)); cur = n % cap if n >= cap else n
        base = 0x20100000 if word == 4 else 0x80400000; regs = registry or max(16, len(s.things) + 3); ns = 32
        out = [txtb_header(e, word, 0xFFFFFFFF, base, regs, cap, cur, ns)]; size = txtb_layout(word, ns)[1]
        for i in range(regs):
            if i < len(s.things):
                o = s.things[i]; pr = getattr(o, "first_prio", None); b1, b2 = (0x80 | pr >> 8, pr & 255) if pr is not None else (0, 0)
                b = bytes([int(o.dead), s.TYPES[o.kind], b1, b2]) + (b"\0" * 4 if word == 8 else b"") + struct.pack(e + f * 3, o.id, *[x & full for x in o.p])
                b += o.name.encode()[:ns - 1].ljust(ns, b"\0")
            else: b = bytes([1, 0, 0, 0])
            out.append(b.ljust(size, b"\0"))
        S = struct.Struct(e + f * 8); slots = [b"\0" * (8 * word)] * cap; s.base = s.how.get("start", 0x1000)
        for i in kept:
            v = s.events[i]
            if v.ctx == "init": ctx, pw = 0xF0F0F0F0, 0
            elif v.ctx == "isr": ctx, pw = 0xFFFFFFFF, v.over.id if v.over else 0
            else: ctx, pw = v.ctx.id, 0x80000000 | v.prio << 16 | v.prio
            slots[i % cap] = S.pack(ctx & full, pw & full, v.core << 24 | v.id, s.base + v.ts & 0xFFFFFFFF, *[x & full for x in (tuple(v.args) + (0,) * 4)[:4]])
        with open(path, "wb") as o: o.write(b"".join(out + slots))
        s.shift = (s.base + s.events[kept[0]].ts & 0xFFFFFFFF) - s.events[kept[0]].ts
        return kept

# ================================================================ LiteOS ================================================================

L = {v: k for k, v in NAMES.items()}
STATUS = dict(m=dict(suspend=2, ready=4, pend=8, running=0x10, delay=0x20, timeout=0x40, pend_time=0x80, gone=0x101, flag=0x800),
              a=dict(suspend=8, ready=2, pend=0x10, running=4, delay=0x20, timeout=0x40, pend_time=0x80, gone=0x500, flag=0))

class LiteOS(Sim):
    tick_number = 15
    def setup(s):
        s.v = s.dialect[-1]; s.st = STATUS[s.v]; h = s.how; smp = len(s.cores) > 1
        s.lay = dict(endian="little", ptr=h.get("ptr", 4), pid=s.v == "a", core=int(h.get("core_msg", smp)), count=int(h.get("count", smp)), lr=0, params=h.get("params", 7 if s.v == "m" else 3))
        s.calm = True; s.gen = {}; s.objs = []; s.max_objs = h.get("objs", 48); s.tid = 0; s.ids = {}; s.due_sched = False; s.tags = s.max_objs > 0 and not h.get("tlv")
        s.swt = None
        if s.v == "m":
            s.swtq = s.add_thing("queue", None, 0, capacity=30, count=0, size=12)
            s.swt = s.make("Swt_Task", 0, s.swt_body, made=False); s.swt.state = "waiting"; s.swt.wait = s.swtq; s.swtq.waiters.append(s.swt); s.swt.leaves = ("pend", False); s.calls = []
            s.tr(s.swt, 0, "waiting", "queue", s.swtq.name); s.swt.gen.send(None)
        for c in s.cores:
            c.idle = s.make(f"IdleCore{c.n:03}", 31, lambda: iter(()), made=False, idle=True); c.idle.state = "ready"
        if s.v == "a" and len(s.threads) < 2: s.tid = max(s.tid, 2)
        s.boot_id = 0x40 if s.v == "m" else 0x80
    def add_thing(s, kind, name, ident, **more):
        o = Thing(kind, name or f"{kind} {ident:#x}", ident, **more); s.things.append(o); return o
    def make(s, name, prio, body, slice=0, made=True, idle=False, auto=True):
        T = Thread(name, s.tid, prio, body, slice, auto, idle); T.tid = s.tid; s.tid += 1; s.threads.append(T); s.things.append(T)
        if not made: T.gen = body()
        return T
    def number(s, kind): s.ids[kind] = s.ids.get(kind, -1) + 1; return s.ids[kind]
    def mutex(s, name=None, inherit=True): return s.add_thing("mutex", None, s.number("mutex") if s.v == "m" else 0x6c000 + 64 * s.number("mutex"), owner=None, count=0, inherit=True)
    def semaphore(s, name=None, count=0):
        o = s.add_thing("semaphore", None, s.number("semaphore"), count=count)
        s.later(lambda c: s.level(o, s.emit(c, "SEM_CREATE", (o.id, 0, count), (o,)), count)); return o
    def queue(s, name=None, capacity=8, size=16):
        n = s.number("queue") + 1; o = s.add_thing("queue", None, n, capacity=capacity, count=0, size=size)
        s.later(lambda c: s.level(o, s.emit(c, "QUEUE_CREATE", (n, capacity, size, 0x20010000 + n * 0x400, 0), (o,)), 0)); return o
    def flags(s, name=None):
        o = s.add_thing("flags", None, 0x20004800 + 16 * s.number("flags"), bits=0); s.later(lambda c: s.emit(c, "EVENT_CREATE", (o.id,), (o,))); return o
    def bytes(s, name=None, size=100000):
        o = s.add_thing("byte", None, 0x20004000 if not s.ids.get("pool") else 0x20006000, size=size, left=size, at=0x20017000, got={}); s.ids["pool"] = 1; return o
    def timer(s, name, period, callback, first=None):
        o = Thing("timer", name, s.number("timer"), period=period, callback=callback, due=None)
        def boot(c):
            s.emit(c, "SWTMR_CREATE", (o.id,)); s.emit(c, "SWTMR_START", (o.id, 0, period)); o.due = (first or period); s.timers.append(o)
        s.later(boot); return o
    def thread(s, name, prio, body, slice=0, auto=True):
        T = s.make(name, prio, body, slice, auto=auto); s.later(lambda c: s.op_create(c, None, T)); return T
    def dynamic(s, name, prio, body, slice=0): T = s.make(name, prio, body, slice); T.made = False; return T

    # words
    def telling(s, ident, args): return NAMES.get(ident) in ("TASK_SWITCH", "TASK_RESUME", "TASK_CREATE", "TASK_SUSPEND", "TASK_DELETE")
    def tag(s, T): return (T.tid | s.gen.get(T.tid, 0) << 16) if s.tags else T.tid
    def record(s, T):
        s.gen[T.tid] = s.gen.get(T.tid, 0) + 1; s.objs.append((len(s.events), s.tag(T), T.prio, T.name))
    def begin(s, c): s.mem_info(c)
    def mem_info(s, c): s.emit(c, "MEM_INFO", (0x20004000, 4096, 90000))
    def emit(s, c, name, args, about=(), ctx=None):
        ts = Sim.emit(s, c, L.get(name, name), args, tuple(about), ctx); e = s.events[-1]
        e.slot = s.boot_id if s.booting and ctx is None else s.tag(c.cur or c.idle); return ts
    def here(s, c): return ("isr", c.isr[-1].number) if c.isr else ("init",) if s.booting else ("thread", (c.cur or c.idle).name)

    # states
    def e_ready(s, c, T, status):
        """What liteos_m tells of a task that is put among the ready ones; liteos_a tells nothing."""
        if s.v == "m": return s.emit(c, "TASK_RESUME", (s.tag(T), status | (0x1800 if T is s.swt else s.st["flag"]), T.prio), (T,))
        t = s.k; s.k += s.R.randrange(10, 40); return t
    def wake(s, c, T, result=True, status=0):
        by = s.here(c)
        if T.want:
            T.want["to"] = s.k; T.want["got"] = result is not False
        T.want = None
        T.result = result; told = s.v == "m"; T.wait = None; T.leaves = None
        t = s.k
        if told: s.ready(T, t, by=by); s.e_ready(c, T, status)
        else:
            at = s.last_on(c); s.ready(T, t, lo=at, by=by, hi=("switch", T)); T.since = at; s.e_ready(c, T, status)
        s.need(c); return t
    def need(s, c): s.due_sched = True; c.wants = True
    def block(s, c, T, why, obj, timeout, call):
        reason = WAITWORD.get(why, why); T.call = call; T.state = "waiting"; T.wait = obj; s.unready(T)
        T.deadline = None if timeout in (FOREVER, None) else s.ticks_at(s.k) + timeout
        if obj: obj.waiters.append(T)
        T.leaves = ("delay" if why == "sleep" else "suspend" if why == "suspended" else "pend", timeout not in (FOREVER, None))
        T.pending = (reason, obj.name if obj else None, call)
        T.want = dict(thread=T.name, reason=reason, object=obj.name if obj else None, call=call, at=s.k, limit=timeout); s.waits.append(T.want)
        s.need(c); return BLOCK
    def dispatch(s, c):
        """LOS_Schedule at the end of a service or interrupt."""
        if not c.wants and s.chosen[c.n] is c.cur: return
        c.wants = False; old, nxt = c.cur, s.chosen[c.n]
        if s.v == "m" and old and old.state == "running": s.e_ready(c, old, s.st["running"])
        if nxt is old and not (old and old.state != "running"): return
        s.switch(c, old, nxt)
    def switch(s, c, old, nxt):
        o, n = old or c.idle, nxt or c.idle; f = s.st["flag"]; of, nf = (0x1800 if x is s.swt else f for x in (o, n))
        if o.idle or o.state == "running": so = s.st["ready"] | of
        elif o.state == "ended": so = s.st["gone"] | of
        else: kind, limit = o.leaves; so = s.st[kind] | of | (s.st["pend_time"] if limit and kind == "pend" else 0)
        po = 32 if o.state == "ended" else o.prio
        ts = s.emit(c, "TASK_SWITCH", (s.tag(n), po, so, n.prio, s.st["ready"] | s.st["running"] | nf), (n, o), ctx=o)
        if old:
            if old.state == "running": old.state = "ready"; s.tr(old, ts, "ready", by=("thread", n.name))
            elif old.state == "waiting":
                r, ob, call = old.pending; s.tr(old, ts, "waiting", r, ob, lo=call)
                if old.want: old.want["at"] = ts
            elif old.state == "ended": s.tr(old, ts, "ended", lo=old.call)
            old.core = None
        if nxt: nxt.state = "running"; nxt.core = c.n; nxt.left = nxt.left or nxt.slice; s.tr(nxt, ts, "running", core=c.n)
        c.cur = nxt; s.occupied(c, ts, ("thread", nxt.name) if nxt else ("idle",)); s.k += s.R.randrange(20, 120)
    def start_first(s, c):
        for d in s.cores:
            T = s.chosen[d.n]; d.cur = T; d.ask = None; d.kt = s.k
            if T: T.state = "running"; T.core = d.n; s.tr(T, s.k, "running", core=d.n, lo=max(s.last_on(d), T.since), hi=s.next_on(d))
            s.occupied(d, s.k, ("thread", T.name) if T else ("idle",), lo=s.last_on(d), hi=s.next_on(d))
    def after_isr(s, c, ts, told, w):
        if c.cur: s.resumed(c, ts, told)
        s.occupied(c, ts, ("thread", c.cur.name) if c.cur else ("idle",), **w)
    def leave(s, c):
        Sim.leave(s, c)
        if s.due_sched: s.due_sched = False
    def tell_in(s, c, i): return s.emit(c, "HWI_RESPONSE_IN", (i.number,))
    def tell_out(s, c, i): return s.emit(c, "HWI_RESPONSE_OUT", (i.number,))
    def tick_body(s, c): yield ("tick",)
    def op_tick(s, c, a):
        now = s.ticks = s.ticks_at(s.k)
        for x in s.timers:
            if x.due is not None and x.due <= now:
                x.due = x.due + x.period if x.period else None
                if s.v == "m": s.emit(c, "SWTMR_EXPIRED", (x.id,)); s.calls.append(x.callback); s.op_send(c, None, s.swtq)
                else: s.emit(c, "SWTMR_EXPIRED", (x.id,)); s.wake_timer(c, x)
        for T in [t for t in s.threads if t.deadline is not None and t.deadline <= now]:
            slept = T.leaves[0] == "delay"
            if T.wait: T.wait.waiters.remove(T)
            if T.want and not slept: T.want["timeout"] = True
            s.wake(c, T, slept, 0 if slept else s.st["timeout"])
        R = c.cur
        if R and R.slice and R.state == "running":
            R.left -= 1
            if R.left <= 0:
                R.left = R.slice
                if any(o is not R and o.prio == R.prio for o in s.runnable): s.order += 1; R.seq = s.order; s.choose(); s.need(c)
    def wake_timer(s, c, x):
        for op in x.callback():
            if op[0] != "run": getattr(s, "op_" + op[0])(c, None, *op[1:])
    def swt_body(s):
        r = yield                                              # it waits in its queue from the start
        while True:
            if s.calls:
                yield from s.calls.pop(0)()
            yield ("recv", s.swtq, FOREVER)

    # services
    def limit(s, timeout): return {FOREVER: 0xFFFFFFFF, None: 0xFFFFFFFF}.get(timeout, timeout)
    def e_prio(s, c, T):
        """OsSchedModifyTaskSchedParam: a ready task is put in anew and told as ready, any other is told with its priority."""
        if T.state == "ready":
            s.order += 1; T.seq = s.order; s.choose()
            if s.v == "m": s.e_ready(c, T, 0)
        else:
            st = s.st["running"] if T.state == "running" else s.st[T.leaves[0]] if T.leaves else 0
            s.record(T); s.emit(c, "TASK_PRIOSET", (s.tag(T), st | s.st["flag"], T.prio, T.prio), (T,))
        s.choose()
    def op_lock(s, c, T, m, timeout=FOREVER):
        told = s.v == "m"
        def say(): return s.emit(c, "MUX_PEND", (m.id, m.count, m.owner.tid, s.limit(timeout)), (m,)) if told else s.k
        if m.owner is None: m.owner, m.count = T, 1; T.held.append(m); ts = say(); s.owner(m, ts, T); return True
        if m.owner is T: m.count += 1; say(); return "again"
        if timeout == 0: return False
        if m.owner.prio > T.prio: m.owner.prio = T.prio; s.e_prio(c, m.owner)
        return s.block(c, T, "lock", m, timeout, say())
    def op_unlock(s, c, T, m):
        m.count -= 1; a = s.k
        if m.count:
            if s.v == "m": s.emit(c, "MUX_POST", (m.id, m.count, m.owner.tid), (m,))
            return True
        T.held.remove(m); want = min([T.base] + [w.prio for h in T.held for w in h.waiters])
        if want != T.prio: T.prio = want; s.e_prio(c, T)
        if not m.waiters:
            m.owner = None; s.owner(m, s.k, None, lo=s.last_on(c), hi=("lock", m)); return True           # the real kernel tells nothing of this
        W = m.waiters.pop(0); m.owner, m.count = W, 1; W.held.append(m); s.wake(c, W)
        ts = s.emit(c, "MUX_POST", (m.id, 1, W.tid), (m, W)) if s.v == "m" else s.k
        s.owner(m, ts, W, lo=a, hi=ts); return True
    def op_get(s, c, T, o, timeout=FOREVER):
        if o.count: o.count -= 1; ts = s.emit(c, "SEM_PEND", (o.id, o.count, s.limit(timeout)), (o,)); s.level(o, ts, o.count); return True
        if timeout == 0: return False
        return s.block(c, T, "semaphore", o, timeout, s.emit(c, "SEM_PEND", (o.id, 0, s.limit(timeout)), (o,)))
    def op_put(s, c, T, o):
        if o.waiters: s.wake(c, o.waiters.pop(0)); s.emit(c, "SEM_POST", (o.id, 0, o.count), (o,))
        else: o.count += 1; ts = s.emit(c, "SEM_POST", (o.id, 0, o.count), (o,)); s.level(o, ts, o.count)
        return True
    def e_queue(s, c, q, write, timeout):
        return s.emit(c, "QUEUE_RW", (q.id, q.capacity, q.size, 3 if write else 0, q.count, q.capacity - q.count, s.limit(timeout)), (q,))
    def op_send(s, c, T, q, timeout=0, front=False):
        ts = s.e_queue(c, q, True, timeout)
        if q.count == 0 and q.waiters: s.wake(c, q.waiters.pop(0)); return True
        if q.count < q.capacity: q.count += 1; s.level(q, ts, q.count); return True
        return False if timeout == 0 else s.block(c, T, "queue", q, timeout, ts)
    def op_recv(s, c, T, q, timeout=FOREVER):
        ts = s.e_queue(c, q, False, timeout)
        if q.count:
            if q.waiters: s.wake(c, q.waiters.pop(0))
            else: q.count -= 1; s.level(q, ts, q.count)
            return True
        return False if timeout == 0 else s.block(c, T, "queue", q, timeout, ts)
    def op_wait_flags(s, c, T, g, mask, option=1, timeout=FOREVER):
        hit = g.bits & mask == mask if option & 2 else g.bits & mask
        if hit and option & 1: g.bits &= ~mask
        ts = s.emit(c, "EVENT_READ", (g.id, g.bits, mask, 4 | (1 if option & 2 else 2), s.limit(timeout)), (g,))
        if hit: return True
        T.asked = (mask, option)
        return False if timeout == 0 else s.block(c, T, "flags", g, timeout, ts)
    def op_set_flags(s, c, T, g, mask):
        s.emit(c, "EVENT_WRITE", (g.id, g.bits, mask), (g,)); g.bits |= mask; clear = 0
        for W in list(g.waiters):
            m, o = W.asked
            if (g.bits & m == m) if o & 2 else g.bits & m: g.waiters.remove(W); clear |= m if o & 1 else 0; s.wake(c, W)
        g.bits &= ~clear
    def op_sleep(s, c, T, n): return s.block(c, T, "sleep", None, n, s.k)
    def op_alloc(s, c, T, p, n, timeout=0):
        if p.left < n + 8: return False
        p.left -= n + 8; p.at += n + 8; p.got[p.at] = n; s.emit(c, "MEM_ALLOC", (p.id, p.at, n), (p,)); return p.at
    def op_free(s, c, T, p, a): s.emit(c, "MEM_FREE", (p.id, a), (p,)); p.left += p.got.pop(a) + 8
    def op_user(s, c, T, n, *a): s.emit(c, 0xFFFFFFF0 | n & 15, a)
    def op_yield(s, c, T): s.order += 1; T.seq = s.order; s.choose(); s.need(c)
    def op_prio(s, c, T, W, prio):
        W = W or T; W.base = prio; W.prio = min([prio] + [w.prio for m in W.held for w in m.waiters]); s.e_prio(c, W); s.need(c)
    def op_create(s, c, T, W):
        s.record(W); ts = s.emit(c, "TASK_CREATE", (s.tag(W), s.st["suspend"] | s.st["flag"], W.prio), (W,)); W.gen = W.body(); W.made = True; W.dead = False; s.tr(W, ts, "created")
        W.state = "waiting"; W.leaves = ("suspend", False)
        if W.auto: s.wake(c, W, None, s.st["suspend"]); c.wants = c.wants and not s.booting
    def op_suspend(s, c, T, W=None):
        W = W or T
        if W.state not in ("ready", "running"): return False
        me = W is T; ts = s.emit(c, "TASK_SUSPEND", (s.tag(W), s.st["suspend"] | s.st["flag"], T.tid), (W,))
        if me: return s.block(c, T, "suspended", None, FOREVER, ts)
        W.state = "waiting"; W.leaves = ("suspend", False); W.want = None; W.wait = None; s.unready(W); s.tr(W, ts, "waiting", "suspended", None); return True
    def op_resume(s, c, T, W):
        if W.state != "waiting" or not W.leaves or W.leaves[0] != "suspend": return False
        s.wake(c, W, None, s.st["suspend"]); return True
    def thread_end(s, c, T):
        T.call = s.emit(c, "TASK_DELETE", (s.tag(T), s.st["running"] | s.st["flag"], 0x20017000 + T.tid * 0x600), (T,)); T.state = "ended"; s.unready(T); s.need(c); return BLOCK

    # the file
    def core_word(s, e, n): return e.core | (min(e.depth, 15) << 8 if e.ctx == "isr" else 0) | (1 << 12 if len(s.cores) > 1 else 0) | min(n, s.lay["params"]) << 16
    def values(s, i):
        e = s.events[i]; a = list(e.args); ident = a.pop(0) if a else 0; n = len(a)
        p = [x & 0xFFFFFFFF for x in (a + [0] * 8)[:s.lay["params"]]]
        return e, ident, n, p
    def write(s, path, keep=None, lose=(), tlv=False):
        lay = Layout(s.lay); n = len(s.events); lost = set(lose); cap = keep or n + 5
        if tlv: return s.write_tlv(path, lost)
        off = {x[0]: x[1] for x in lay.fields}; kept = [i for i in range(max(0, n - cap), n) if i not in lost]
        objs = s.objs[-s.max_objs:] if s.max_objs else []
        ob = b"".join(struct.pack("<2I32s", t, p, nm.encode()[:31]) for _, t, p, nm in objs).ljust(40 * s.max_objs, b"\0")
        slots = [b"\0" * lay.frame] * cap; where = 0
        for i in range(n):
            if i in lost: continue
            e, ident, np, p = s.values(i); b = bytearray(lay.frame)
            struct.pack_into("<II", b, 0, e.id & 0xFFFFFFFF, e.slot)
            if s.lay["pid"]: struct.pack_into("<I", b, off["pid"], e.pid)
            struct.pack_into("<Q", b, off["time"], e.ts + 0x10000); struct.pack_into("<" + lay.pc, b, off["identity"], ident)
            if s.lay["core"]: struct.pack_into("<I", b, off["core"], s.core_word(e, np))
            if s.lay["count"]: struct.pack_into("<I", b, off["count"], i + 100)
            struct.pack_into("<%d%s" % (len(p), lay.pc), b, off["params"], *p)
            slots[where % cap] = bytes(b); where += 1
        size = 24 + len(ob) + cap * lay.frame
        with open(path, "wb") as f: f.write(struct.pack("<3I5Hxx", 0x12345678, 100_000_000, 0, size & 0xFFFF, 40, lay.frame, 24, 24 + len(ob)) + ob + b"".join(slots))
        s.shift = 0x10000; return kept
    def write_tlv(s, path, lost):
        P = Layout(s.lay); out = []; objs = list(s.objs); I = lambda t, v: struct.pack("<BBI", t, 4, v)
        def msg(t, b): out.append(struct.pack("<BBHH", 0xFF, t, len(b), crc16(b)) + b)
        msg(0, I(1, 0x11) + I(2, 0xDEADBEEF)); msg(1, I(1, 0x12345678) + I(2, 1) + I(8, 100_000_000)); kept = []
        for i in range(len(s.events)):
            while objs and objs[0][0] <= i: _, t, p, nm = objs.pop(0); msg(2, I(1, t & 0xFFFF) + I(2, p) + struct.pack("<BB32s", 3, 32, nm.encode()[:31]))
            if i in lost: continue
            e, ident, np, p = s.values(i); b = I(1, s.core_word(e, np)) if s.lay["core"] else b""
            b += I(2, e.id & 0xFFFFFFFF) + struct.pack("<BBQ", 3, 8, e.ts + 0x10000) + (I(4, i + 100) if s.lay["count"] else b"") + I(5, e.slot)
            b += struct.pack("<BB" + P.pc, 6, P.P, ident) + struct.pack("<BB%d%s" % (len(p), P.pc), 7, len(p) * P.P, *p) + (I(8, e.pid) if s.lay["pid"] else b"")
            msg(3, b); kept.append(i)
        msg(0, I(1, 0x12) + I(2, 0xDEADBEEF))
        with open(path, "wb") as f: f.write(b"".join(out))
        s.shift = 0x10000; return kept

class LiteOSM(LiteOS): dialect = "liteos_m"
class LiteOSA(LiteOS): dialect = "liteos_a"
KERNELS = {k.dialect: k for k in (ThreadX, LiteOSM, LiteOSA)}

# ================================================================ truth ================================================================

def spans(hist, w0, w1, unknown=(), free=()):
    """A history of (t, state, lo, hi, ...) as segments [from, to, states that an honest reader may give, flags]; the first state is the true one.

    Between lo and hi the recording only bounds the change, so both sides are right. In `unknown` the recording cannot tell: unknown is right, too;
    in `free` a kernel's sleight of hand makes anything right."""
    cut = {w0, w1}
    for t, S, lo, hi, *_ in hist: cut.update(x for x in (t, lo, hi) if w0 < x < w1)
    for a, b in list(unknown) + list(free): cut.update(x for x in (a, b) if w0 < x < w1)
    cut = sorted(cut); n = len(cut) - 1
    if n < 1: return []
    more = [[] for _ in range(n)]; flags = [set() for _ in range(n)]; at = {x: i for i, x in enumerate(cut)}
    def index(x, top=False): return at.get(x, 0 if x <= w0 else n if x >= w1 else bisect.bisect_left(cut, x))
    old = hist[0][1] if hist else None
    for k, (t, S, lo, hi, *_) in enumerate(hist):
        before = hist[k - 1][1] if k else ("none", None, None, None) if isinstance(S, tuple) and len(S) == 4 else None
        for i in range(index(lo), index(hi)): more[i] += [before, S]
    for a, b in unknown:
        for i in range(index(a), index(b)): flags[i].add("unknown")
    for a, b in free:
        for i in range(index(a), index(b)): flags[i].add("any")
    out = []; j = -1
    for i in range(n):
        while j + 1 < len(hist) and hist[j + 1][0] <= cut[i]: j += 1
        true = hist[j][1] if j >= 0 else (("none", None, None, None) if hist and isinstance(hist[0][1], tuple) and len(hist[0][1]) == 4 else None)
        st = [true]
        for x in more[i]:
            if x not in st: st.append(x)
        row = [cut[i], cut[i + 1], st, sorted(flags[i])]
        if out and out[-1][2] == st and out[-1][3] == row[3]: out[-1][1] = row[1]
        else: out.append(row)
    return out

def truth(s, kept):
    """What the recording of these events can tell, and what is true; times are those that the product must show."""
    ev = s.events; w0, w1 = ev[kept[0]].ts, ev[kept[-1]].ts; have = set(kept); z = s.shift
    by_core = {c.n: [] for c in s.cores}
    for i, e in enumerate(ev): by_core[e.core].append(i)
    def hi_of(h, t):
        if not isinstance(h, tuple): return h
        if h[0] == "switch": return next((max(x[0], hi_of(x[3], x[0])) for x in s.hist[h[1]] if x[0] >= t and x[1][0] != "ready"), w1)
        if h[0] == "lock": return next((ev[i].ts for i in kept if ev[i].ts > t and h[1] in ev[i].about), w1)
        return next((ev[i].ts for i in by_core[h[0]][h[1]:] if i in have), w1)
    fix = lambda hist: [(t, S, lo, max(t, hi_of(hi, t)), by, got) for t, S, lo, hi, by, got in hist]
    gaps = [(ev[a].ts, ev[b].ts, b - a - 1) for a, b in zip(kept, kept[1:]) if b > a + 1]
    def doubt(thing):
        told = [ev[i].ts for i in kept if thing in (ev[i].shows if thing.kind == "thread" else ev[i].about)]
        if not told: return [(w0, w1)]
        u = [(w0, told[0])]
        for a, b, _ in gaps: u.append((a, next((x for x in told if x >= b), w1)))
        return u
    lite = s.dialect != "threadx"; stamp = {ev[i].ts for i in kept}      # is the event that tells what a thread waits for in the recording?
    def core_doubt(c):
        u = []; mine = [ev[i].ts for i in kept if ev[i].core == c.n and ev[i].ctx != "isr"]
        if not mine: return [(w0, w1)]
        u.append((w0, mine[0]))
        for a, b, _ in gaps: u.append((a, next((x for x in mine if x >= b), w1)))
        return u
    name = lambda T: T.name if T else None
    seg = lambda rows, f=lambda x: x: [[a + z, b + z, [f(x) for x in st], fl] for a, b, st, fl in rows]
    for x in s.irqlog:                                       # interrupts whose begin is not in the recording: what is there says little
        if x["told"] and x.get("end", w1) > w0 and x["at"] not in stamp and x["at"] < w1:
            span = (max(w0, max([g[0] for g in gaps if g[0] <= x["at"]] or [w0])), x.get("end", w1)); s.any_core[x["on"]].append(span)
            if x["over"]: s.anything.setdefault(x["over"], []).append(span)
    out = dict(dialect=s.dialect, cores=len(s.cores), window=[w0 + z, w1 + z], hz=100_000_000 if s.dialect != "threadx" else None, true_hz=100_000_000, events=len(kept), first=kept[0],
               stamps=[ev[i].ts + z for i in kept], lost=sum(g[2] for g in gaps), gaps=[[a + z, b + z, n] for a, b, n in gaps], wrapped=kept[0] > 0, threads={}, core={}, locks={}, levels={}, stacks={}, interrupts=[], waits=[], latency={}, counts={}, facts={}, findings=[])
    for T in s.threads:
        hist = fix(s.hist.get(T, []))
        if not hist and not T.idle: continue
        hist = [(t, (S[0], "?" if lite else S[1], None, S[3]) if S[0] == "waiting" and (S[2] or lite) and lo < t and lo not in stamp else S, lo, hi, by, got) for t, S, lo, hi, by, got in hist]
        rows = spans(hist, w0, w1, doubt(T), [(a, hi_of(b, a)) for a, b in s.anything.get(T, ())])
        out["threads"][T.name] = dict(id=T.id, tid=getattr(T, "tid", None), prio=T.first_prio, idle=T.idle, seen=any(T in ev[i].shows for i in kept), segments=[] if T.idle else seg(rows, lambda x: list(x)))
        d = out["threads"][T.name]; sets = [(b - a, {y[0] for y in st}, st[0][0], fl) for a, b, st, fl in d["segments"]]
        d["load"] = dict(true=sum(n for n, _, x, _ in sets if x == "running"), least=sum(n for n, x, _, fl in sets if x == {"running"} and not fl), most=sum(n for n, x, _, fl in sets if "running" in x or fl))
        lat = []
        for k, (t, S, lo, hi, by, _) in enumerate(hist):
            if S[0] != "running" or k == 0 or hist[k - 1][1][0] != "ready" or hist[k - 1][4] is None or t > w1: continue
            r = hist[k - 1]; before = hist[k - 2][1][0] if k > 1 else "none"
            if before not in ("waiting", "created") or r[0] < w0: continue
            if any(a <= t and r[0] <= b for a, b, _ in gaps): continue
            if len(s.cores) > 1: hi = max(hi, next((ev[i].ts for i in kept if ev[i].ts >= r[0] and (ev[i].ctx is T or ev[i].ctx == "isr" and ev[i].over is T)), w1))      # it may run unseen first
            lat.append(dict(wake=[r[2] + z, r[3] + z], start=[lo + z, min(hi, w1) + z], true=t - r[0], lo=max(0, lo - r[3]), hi=min(hi, w1) - r[2], by=list(r[4]), first=before == "created"))
        out["latency"][T.name] = lat
    for c in s.cores: out["core"][str(c.n)] = seg(spans(fix(s.occ[c]), w0, w1, core_doubt(c), [(a, hi_of(b, a)) for a, b in s.any_core[c]]), lambda x: list(x) if x else ["init"])
    for m in [o for o in s.things if o.kind == "mutex"]:
        u = doubt(m); lockev = [ev[i].ts for i in kept if m in ev[i].about]
        for t, T, lo, hi, *_ in s.own.get(m, []):                    # handed over to one whose wait began before the recording
            began = [x for x in s.hist.get(T, []) if x[0] < t and x[1][0] == "waiting"] if T else []
            if began and lo < t <= w1 and t >= w0 and began[-1][2] not in stamp: u.append((lo, next((x for x in lockev if x > t), w1)))
        out["locks"][m.name] = dict(id=m.id, inherit=m.inherit, told=s.dialect != "liteos_a", segments=seg(spans(fix(s.own.get(m, [])), w0, w1, u), name), acquired=[dict(owner=x[1].name, lo=x[2] + z, hi=x[3] + z) for x in s.own.get(m, []) if x[1] and w0 <= x[0] <= w1])
        rows = fix(s.own.get(m, [])); holds = []; out["locks"][m.name]["sure"] = len(u) == 1 and u[0][1] <= w0 + 1
        for k, (t, T, lo, hi, _, _) in enumerate(rows):
            if T is None or t > w1: continue
            nx = rows[k + 1] if k + 1 < len(rows) and rows[k + 1][0] <= w1 else None
            if nx and nx[0] < w0: continue
            holds.append(dict(owner=T.name, begin=[lo + z, hi + z], end=[nx[2] + z, nx[3] + z] if nx else None, whole=t >= w0 and bool(nx)))
        out["locks"][m.name]["holds"] = holds
    for a, op, o, r in s.done:
        if not w0 <= a <= w1: continue
        d = out["counts"].setdefault(o.name, {}); ok = r.get("got") and r.get("to", w1 + 1) <= w1 if isinstance(r, dict) else bool(r)
        for k, v in ((op, 1), (op + " done", int(bool(ok))), ("again", int(r == "again")), (op + " waited", int(isinstance(r, dict)))): d[k] = d.get(k, 0) + v
    for o in [o for o in s.things if o.kind in ("queue", "semaphore", "block")]:
        if o not in s.lev: continue
        u = [(a, b) for a, b in doubt(o)]
        out["levels"][o.name] = dict(id=o.id, kind=o.kind, capacity=getattr(o, "capacity", getattr(o, "total", None)), segments=seg(spans(fix(s.lev[o]), w0, w1, u)), told=s.dialect == "threadx" or s.lay["params"] >= 6 or o.kind == "semaphore")
    for i, T, n in s.depths:
        if i in have and ev[i].id not in (63, 68, 69): out["stacks"][T.name] = min(n, out["stacks"].get(T.name, n))
    for x in s.irqlog:
        e = x.get("end")
        if x["at"] <= w1 and (e is None or e >= w0): out["interrupts"].append(dict(irq=x["irq"], core=x["core"], depth=x["depth"], told=x["told"], at=x["at"] + z if x["at"] >= w0 else None, to=None if e is None or e > w1 else e + z))
    for w in s.waits:
        t1 = w.get("to")
        if w["at"] <= w1 and (t1 is None or t1 >= w0): out["waits"].append(dict(thread=w["thread"], reason=w["reason"], object=w["object"], at=w["at"] + z, call=w["call"] + z, to=None if t1 is None or t1 > w1 else t1 + z, got=w.get("got"), timeout=bool(w.get("timeout")), whole=w["at"] >= w0 and t1 is not None and t1 <= w1))
    for f in s.findings: out["findings"].append(dict(f, at=f["at"] + z, to=min(f["to"], w1) + z))
    out["facts"] = {k: ([x + z for x in v] if isinstance(v, list) else v) for k, v in s.facts.items()}
    return out

# ================================================================ scenarios ================================================================
# A scenario is a function of a kernel; it makes objects and threads, says what was designed in, and returns how long to run.

def run_(n): return ("run", n)

def wild(s, calm=False):
    """Everything at random. calm: a healthy system, in which nothing may be found."""
    R = s.R; lite = s.dialect != "threadx"; smp = len(s.cores) > 1; m_ok = s.dialect != "liteos_a"
    n = R.randrange(4, 8); period = 140 if lite else 110
    locks = [s.mutex("lock %s" % x, inherit=(not smp if calm else R.random() < .5)) for x in ("alpha", "beta", "gamma")]
    sems = [s.semaphore("sema %d" % i, R.randrange(2) if not calm else 0) for i in range(2)]; qs = [s.queue("queue %d" % i, R.choice((2, 4, 8)) if not calm else 16) for i in range(2)]
    fl = s.flags("flags"); pool = s.bytes("heap", 30000 if not lite else 40000); blk = s.blocks("blocks", R.choice((2, 3)) if not calm else 12) if not lite else None
    users = [0x1000 + R.randrange(900) for _ in range(4)] if not lite else [1, 2, 3, 4]
    def worker(i, T0):
        def body():
            mine = random.Random(f"{s.seed} {i} {s.dialect}")
            while True:
                k = mine.random()
                if calm and mine.random() < .35: yield ("sleep", mine.randrange(3, 8))
                yield run_(mine.randrange(2000, 60000) if not calm else mine.randrange(300, 2000))
                limit = mine.choice((FOREVER, 1, 2, 3)) if not calm else FOREVER
                if k < .26:
                    a = mine.randrange(3); got = []
                    for m in locks[a:a + (2 if not calm and mine.random() < .3 else 1)]:
                        ok = yield ("lock", m, mine.choice((FOREVER, 2, 0)) if not calm else FOREVER)
                        if not ok: break
                        got.append(m); yield run_(mine.randrange(500, 40000 if not calm else 2500))
                        if not calm and mine.random() < .35: yield ("sleep", mine.choice((1, 1, 2, 3)))
                        if not calm and mine.random() < .15: (yield ("lock", m, FOREVER)); (yield run_(700)); (yield ("unlock", m))
                    for m in reversed(got): yield ("unlock", m); yield run_(mine.randrange(100, 900))
                elif k < .36 and not calm: yield ("get", mine.choice(sems), mine.choice((1, 2, 3)))
                elif k < .46 and not calm: yield ("put", mine.choice(sems))
                elif k < .56 and not calm: yield ("send", mine.choice(qs), mine.choice((0, 1, 2)))
                elif k < .64 and not calm: yield ("recv", mine.choice(qs), mine.choice((1, 2, 0)))
                elif k < .70 and not calm: yield ("wait_flags", fl, 1 << mine.randrange(3), 1, mine.choice((1, 2, 4)))
                elif k < .75 and not calm: yield ("set_flags", fl, 7 & mine.randrange(8) or 1)
                elif k < .80:
                    big = not calm and not lite and mine.random() < .7
                    a = yield ("alloc", pool, mine.randrange(14000, 20000) if big else mine.randrange(16, 400), mine.choice((1, 2, 3)) if big else 0)
                    if big and a: yield ("sleep", mine.choice((1, 2)))
                    if a: (yield run_(mine.randrange(1000, 9000))); (yield ("free", pool, a))
                elif k < .84 and blk:
                    a = yield ("take", blk, mine.choice((FOREVER, 1, 2)) if not calm else 0)
                    if a and not calm and mine.random() < .6: yield ("sleep", mine.choice((1, 2)))
                    if a: (yield run_(mine.randrange(1000, 60000 if not calm else 3000))); (yield ("give", blk, a))
                elif k < .87: yield ("user", mine.choice(users), i, mine.randrange(1000), 3, 4)
                elif k < .89 and not calm and not smp: yield ("prio", None, T0.base + mine.choice((-1, 0, 1)))
                elif k < .91 and not calm and not lite: yield ("yield",)
                elif k < .93 and not calm and not smp: yield ("suspend",)
                else: yield ("sleep", mine.randrange(1, 5) if not calm else mine.randrange(4, 9))
        return body
    prios = sorted(R.sample(range(6, 26), n)) if not calm or R.random() < .5 else [12 + i for i in range(n)]
    if not calm and R.random() < .8: prios[-1] = prios[-2]
    team = []
    for i, p in enumerate(prios):
        box = {}
        T = s.thread("worker %s" % "abcdefgh"[i], p, worker(i, box.setdefault("T", type("P", (), dict(base=p)))), slice=0 if smp or calm else R.choice((0, 1, 1)) if not lite else 1); team.append(T)
    if calm:                                                   # a lock with short waits, bounded by inheritance
        m = s.mutex("shared", inherit=True)
        def filer():
            while True: (yield ("sleep", 6)); (yield run_(92_000)); (yield ("lock", m, FOREVER)); (yield run_(11_000)); (yield ("unlock", m))
        def scanner():
            while True: (yield ("sleep", 1)); (yield ("lock", m, FOREVER)); (yield run_(900)); (yield ("unlock", m))
        s.thread("filer", 26 if not lite else 24, filer); s.thread("scanner", 5, scanner)
    # one producer interrupt, one consumer; the timer; somebody that brings suspended ones back
    q, sem = qs[0], sems[0]
    def server():
        while True:
            ok = yield ("recv", q, FOREVER)
            yield run_(R.randrange(1500, 9000)); yield ("user", users[0], 7, 1)
    s.thread("server", 4, server)
    def isr_send():
        yield run_(R.randrange(200, 1500)); yield ("send", q, 0)
    def isr_put():
        yield run_(R.randrange(200, 1500)); yield ("put", sem)
        if R.random() < .5: yield run_(R.randrange(100, 700)); yield ("set_flags", fl, 1 << R.randrange(3))
    def ponder():
        while True:
            yield ("get", sem, FOREVER); yield run_(R.randrange(1000, 6000))
    s.thread("ponder", 5, ponder)
    if not calm:
        def nurse():
            while True:
                yield ("sleep", 3)
                for T in team: yield ("resume", T)
        s.thread("nurse", 3, nurse)
        if not smp:
            def brief():
                yield run_(R.randrange(3000, 9000)); yield ("sleep", 1); yield run_(2000)
            def stuck(): yield ("get", never, FOREVER)
            never = s.semaphore("never", 0)
            kids = [s.dynamic("child %d" % i, 9 + i, brief) for i in range(2)] + [s.dynamic("child 2", 11, stuck)]
            def parent():
                for T in kids:
                    yield ("sleep", 6); yield ("create", T); yield ("sleep", 4)
                    if not lite and T.state not in ("ended",): yield ("terminate", T)
                    if not lite: yield ("delete", T)
                yield ("sleep", 1000)
            s.thread("parent", 7, parent)
    every = R.randrange(160_000, 420_000)
    def isr_short(): yield run_(R.randrange(100, 900)); yield ("user", users[2], 7, 7)
    at, core = R.randrange(20_000, 90_000), R.randrange(len(s.cores))
    while at < period * MS:
        on = at + R.randrange(40_000); s.irq(on, 17, isr_send, core=core); at += every
        if R.random() < .4: s.irq(on + R.randrange(150, 700), 7, isr_short, level=4, core=core)               # nested
    s.every(R.randrange(200_000, 500_000), 42, isr_put, start=R.randrange(20_000, 90_000), until=period * MS, jitter=90_000 if not calm else 1, level=3, core=R.randrange(len(s.cores)))
    def beat(): yield ("put", sems[1]); yield run_(400)
    if not lite or m_ok: s.timer("beat", 10, beat)
    def keeper():
        while True:
            yield ("get", sems[1], FOREVER); yield run_(3000 + R.randrange(500)); yield ("user", users[1], 1)
    if not lite or m_ok: s.thread("keeper", 3, keeper)
    return (38 if smp else 45) * MS if not calm else 60 * MS

def healthy(s): return wild(s, calm=True)

def found(s, kind, names, at, to, **more): s.findings.append(dict(kind=kind, names=names, at=at, to=to, **more))

def load(s, name="bystander", prio=28, run=3000, sleep=4):
    def body():
        while True: (yield run_(run)); (yield ("sleep", sleep))
    s.thread(name, prio, body)

def inversion(s, inherit=False):
    """low holds the lock, high waits for it, medium runs for long in between."""
    m = s.mutex("bus lock", inherit=inherit); go, mid = s.semaphore("go high"), s.semaphore("go medium"); mark = {}
    def low():
        yield run_(20_000)
        for i in range(3):
            yield ("lock", m, FOREVER); yield run_(30_000); yield ("put", go); yield run_(20_000); yield ("put", mid); yield run_(40_000)
            yield ("unlock", m); yield ("sleep", 6)
    def medium():
        while True: (yield ("get", mid, FOREVER)); mark.setdefault("at", s.t); (yield run_(700_000)); mark["to"] = s.t
    def high():
        while True: (yield ("get", go, FOREVER)); (yield ("lock", m, FOREVER)); (yield run_(15_000)); (yield ("unlock", m))
    s.thread("low", 20, low); s.thread("medium", 12, medium); s.thread("high", 5, high); load(s)
    s.after = lambda: None if inherit else found(s, "inversion", dict(high="high", low="low", medium="medium", lock="bus lock"), mark["at"], mark["to"], subjects=["high", "low", "bus lock"], culprit="medium")
    return 45 * MS
def inherited(s): return inversion(s, True)

def deadlock(s):
    """Two threads take two locks in opposite order and wait for each other for ever."""
    a, b = s.mutex("lock A"), s.mutex("lock B"); mark = {}
    def one():
        yield ("sleep", 3); yield ("lock", a, FOREVER); yield run_(20_000); yield ("sleep", 2); mark["at"] = s.t; yield ("lock", b, FOREVER); yield ("unlock", b); yield ("unlock", a)
    def two():
        yield ("sleep", 4); yield ("lock", b, FOREVER); yield run_(20_000); yield ("sleep", 2); mark["at2"] = s.t; yield ("lock", a, FOREVER); yield ("unlock", a); yield ("unlock", b)
    s.thread("courier", 10, one); s.thread("archive", 11, two); load(s); load(s, "ticker", 9, 9000, 2)
    s.after = lambda: found(s, "deadlock", dict(threads=["courier", "archive"], locks=[a.name, b.name]), max(mark.values()), s.t, subjects=["courier", "archive"], alike=[a.name, b.name])
    return 40 * MS

def order(s):
    """Two locks are taken in both orders, at different times: no deadlock yet."""
    a, b = s.mutex("lock A", True), s.mutex("lock B", True); mark = {}
    # liteos_m records no release for which nobody waits, so only a task that waits for the first lock shows that it is held around the second
    lite = s.dialect == "liteos_m"; go = [s.semaphore("audit %d" % i) for i in range(2)] if lite else []
    def audit(i): return [("put", go[i])] if lite else []
    def one():
        for i in range(3):
            yield ("sleep", 5); mark.setdefault("at", s.t); yield ("lock", a, FOREVER); yield run_(6000); yield ("lock", b, FOREVER)
            for op in audit(0): yield op
            yield run_(5000); yield ("unlock", b); yield ("unlock", a)
    def two():
        yield ("sleep", 2)
        for i in range(3):
            yield ("sleep", 5); yield ("lock", b, FOREVER); yield run_(6000); yield ("lock", a, FOREVER)
            for op in audit(1): yield op
            yield run_(5000); yield ("unlock", a); yield ("unlock", b); mark["to"] = s.t
    s.thread("courier", 10, one); s.thread("archive", 11, two); load(s)
    for i, m in enumerate((a, b) if lite else ()):
        def auditor(i=i, m=m):
            while True: (yield ("get", go[i], FOREVER)); (yield ("lock", m, FOREVER)); (yield run_(900)); (yield ("unlock", m))
        s.thread("auditor %d" % i, 4 + i, auditor)
    s.after = lambda: found(s, "order", dict(threads=["courier", "archive"], locks=[a.name, b.name]), mark["at"], mark["to"], subjects=[a.name, b.name], alike=["courier", "archive"])
    return 30 * MS

def starvation(s):
    """A thread is ready for 60 ms while others of higher priority take turns."""
    mark = {}
    def hog(first):
        def body():
            if first: yield ("sleep", 1)
            yield ("sleep", 20); mark.setdefault("at", s.t)
            for i in range(10): (yield run_(3 * MS)); (yield ("user", 1 if s.dialect != "threadx" else 5001, i)); (yield ("sleep", 1))
            mark["to"] = s.t; yield ("sleep", 1000)
        return body
    def victim():
        while True: (yield run_(20_000)); (yield ("sleep", 3))
    s.thread("hog one", 8, hog(0)); s.thread("hog two", 8, hog(1)); s.thread("victim", 22, victim)
    s.after = lambda: found(s, "starvation", dict(victim="victim"), mark["at"], mark["to"], subjects=["victim"], culprit="hog")
    return 110 * MS

def longwait(s):
    """A lock that is held for half a millisecond at a time, so that waits are short, is once held for 30 ms."""
    m = s.mutex("data lock", True); mark = {}
    def holder():
        for i in range(24):
            yield ("sleep", 2); yield run_(70_000); yield ("lock", m, FOREVER)
            if i == 14: mark["at"] = s.t; (yield run_(10_000)); (yield ("sleep", 30)); mark["to"] = s.t
            yield run_(45_000); yield ("unlock", m)
    def user():
        while True: (yield ("sleep", 1)); (yield ("lock", m, FOREVER)); (yield run_(2000)); (yield ("unlock", m))
    s.thread("holder", 12, holder); s.thread("reader", 9, user); load(s)
    s.after = lambda: found(s, "wait", dict(thread="reader", lock=m.name, owner="holder"), mark["at"], mark["to"], subjects=["reader", m.name], culprit="holder")
    return 110 * MS

def overflow(s):
    """A queue of four runs full; messages are refused."""
    q = s.queue("inbox", 4); mark = {}
    def sender():
        yield ("sleep", 2)
        for i in range(9):
            ok = yield ("send", q, 0)
            if ok is False: mark.setdefault("at", s.t); mark["to"] = s.t
            yield run_(5000)
        while True: (yield ("sleep", 5)); (yield ("send", q, 0))
    def reader():
        yield ("sleep", 14)
        while True: (yield ("recv", q, FOREVER)); (yield run_(20_000))
    s.thread("sender", 10, sender); s.thread("drain", 12, reader); load(s)
    s.after = lambda: found(s, "overflow", dict(queue=q.name, sender="sender"), mark["at"], mark["to"], subjects=[q.name])
    return 40 * MS

def leak(s):
    """Every round keeps one block more, until nothing is left."""
    p = s.bytes("heap", 9000) if s.dialect != "threadx" else s.blocks("blocks", 24); mark = {}
    take = (lambda: ("alloc", p, 280, 0)) if s.dialect != "threadx" else (lambda: ("take", p, 0)); give = "free" if s.dialect != "threadx" else "give"
    def leaky():
        while True:
            a = yield take(); b = yield take(); mark.setdefault("at", s.t); mark["to"] = s.t; yield run_(4000)
            if b: yield (give, p, b)
            yield ("sleep", 2)
    def clean():
        while True:
            a = yield take(); yield run_(3000)
            if a: yield (give, p, a)
            yield ("sleep", 3)
    s.thread("leaky", 10, leaky); s.thread("clean", 11, clean); load(s)
    s.after = lambda: found(s, "leak", dict(pool=p.name, thread="leaky"), mark["at"], mark["to"], subjects=[p.name], alike=["leaky"])
    return 90 * MS

def period(s):
    """A thread runs every 5 ms by a timer, but once it needs 12 ms and misses its turns."""
    sem = s.semaphore("beat"); mark = {}; user = 5005 if s.dialect == "threadx" else 5
    def beat(): yield ("put", sem); yield run_(300)
    s.timer("metronome", 5, beat)
    def motor():
        n = 0
        while True:
            yield ("get", sem, FOREVER)
            yield ("user", user, n); n += 1
            if n == 9: mark["at"] = s.t
            yield run_(12 * MS if n == 9 else 60_000)
            if n == 9: mark["to"] = s.t + 5 * MS
    s.thread("motor", 6, motor); load(s)
    s.after = lambda: found(s, "period", dict(thread="motor"), mark["at"], mark["to"], subjects=["motor"])
    return 100 * MS

def longisr(s):
    """An interrupt that takes 20 us takes 4 ms once."""
    mark = {}; n = [0]; sem = s.semaphore("rx")
    def isr():
        n[0] += 1; at = s.t
        if n[0] == 7: mark["at"] = at
        yield run_(400_000 if n[0] == 7 else 2000); yield ("put", sem)
        if n[0] == 7: mark["to"] = s.t
    s.every(5 * MS, 33, isr, start=123_000, until=70 * MS)
    def user():
        while True: (yield ("get", sem, FOREVER)); (yield run_(9000))
    s.thread("rx task", 7, user); load(s)
    s.after = lambda: found(s, "interrupt", dict(irq=33), mark["at"], mark["to"], subjects=["33"])
    return 70 * MS

def stack(s):
    """A thread's stack pointer comes within 12 bytes of the end of its stack (ThreadX only: other kernels do not tell)."""
    sem = s.semaphore("job"); mark = {}
    def deep():
        for i in range(8):
            yield ("sleep", 2); yield ("stack", 300 + i * 230); mark["at"] = mark.get("at") if i < 7 else s.t
            yield ("put", sem); yield run_(3000)
            if i == 7: yield ("stack", 2036); mark["at"] = s.t; (yield ("put", sem)); (yield run_(2000)); (yield ("put", sem)); mark["to"] = s.t + 2000; (yield ("stack", 300))
        yield ("sleep", 1000)
    def other():
        while True: (yield ("get", sem, FOREVER)); (yield run_(4000))
    s.thread("recursive", 10, deep); s.thread("other", 12, other); load(s)
    s.after = lambda: found(s, "stack", dict(thread="recursive"), mark["at"], mark["to"], subjects=["recursive"])
    return 30 * MS

def rules(s):
    """A calm system with known figures, for timing requirements."""
    lite = s.dialect != "threadx"; m = s.mutex("bus", True); q = s.queue("inbox", 8); sem = s.semaphore("beat"); rx = s.semaphore("rx"); A, B, Z = (5001, 5002, 5003) if not lite else (1, 2, 3)
    s.facts.update(A=[], B=[], Z=[])
    def note(k): return ("python", lambda t: s.facts[k].append(t))
    def beat(): yield ("put", sem); yield run_(300)
    s.timer("metronome", 10, beat)
    def motor():
        while True:
            yield ("get", sem, FOREVER); s.facts["A"].append(len(s.events)); yield ("user", A, 1)
            yield run_(80_000); yield ("lock", m, FOREVER); yield run_(30_000); yield ("unlock", m); yield run_(4000); s.facts["B"].append(len(s.events)); yield ("user", B, 2)
    def logger():
        n = 0
        while True:
            n += 1
            yield ("sleep", 7); yield ("lock", m, FOREVER); yield run_(50_000 if n % 5 else 180_000); yield ("unlock", m); yield ("send", q, 0); yield ("send", q, 0)
            if n % 4 == 0: yield ("send", q, 0)
    def drain():
        while True: (yield ("sleep", 5)); (yield ("recv", q, 0)); (yield ("recv", q, 0)); (yield ("recv", q, 0))
    def rxtask():
        while True: (yield ("get", rx, FOREVER)); (yield run_(20_000)); s.facts["Z"].append(len(s.events)); (yield ("user", Z, 3))
    def hog():
        while True: (yield run_(250_000)); (yield ("sleep", 3))
    def isr(): yield run_(1500); yield ("put", rx)
    s.every(731_000, 33, isr, start=150_000, until=120 * MS)
    s.thread("motor", 6, motor); s.thread("logger", 14, logger); s.thread("drain", 16, drain); s.thread("rxtask", 7, rxtask); s.thread("hog", 20, hog)
    def after():
        for k in "ABZ": s.facts[k] = [s.events[i].ts for i in s.facts[k] if i < len(s.events)]
    s.after = after
    return 120 * MS

SCENARIOS = {f.__name__: f for f in (wild, healthy, inversion, inherited, deadlock, order, starvation, longwait, overflow, leak, period, longisr, stack, rules)}

def make(path, scenario, dialect="threadx", seed=1, cores=1, keep=None, lose=0, tlv=False, **how):
    """Runs a scenario, writes the trace to path, returns its truth. keep: only the newest so many events (a ring that wrapped); lose: so many runs of events lost."""
    s = KERNELS[dialect](cores=cores, seed=seed, tlv=tlv, **how); s.after = None
    until = SCENARIOS[scenario](s); s.run(until)
    if s.after: s.after()
    more = {}
    if lose:
        n = len(s.events); R = random.Random(seed); gone = set()
        for i in range(lose):
            a = n * (2 * i + 1) // (2 * lose + 1) + R.randrange(max(1, n // (8 * lose + 8))); gone |= set(range(a, a + R.randrange(6, 30)))
        more["lose"] = {i for i in gone if 2 < i < n - 2}
    if tlv: more["tlv"] = True
    kept = s.write(path, keep=keep, **more) if dialect != "threadx" else s.write(path, keep=keep)
    t = truth(s, kept); t["scenario"] = scenario; t["seed"] = seed; s.kept = kept
    t["opts"] = [] if dialect == "threadx" else [x for k, v in (("variant", dialect[-1]), ("ptr", s.lay["ptr"]), ("core", s.lay["core"]), ("count", s.lay["count"]), ("lr", 0), ("params", s.lay["params"])) for x in ("--opt", f"{k}={v}")]
    make.last = s
    return t

if __name__ == "__main__":
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("scenario"); ap.add_argument("out", nargs="?"); ap.add_argument("--dialect", default="threadx", choices=list(KERNELS)); ap.add_argument("--tlv", action="store_true")
    for o in ("seed", "cores", "word", "keep", "lose", "params"): ap.add_argument("--" + o, type=int)
    a = ap.parse_args()
    if a.scenario == "list" or not a.out:
        for k, f in SCENARIOS.items(): print(f"{k:12} {(f.__doc__ or '').splitlines()[0] if f.__doc__ else ''}")
        sys.exit()
    t = make(a.out, a.scenario, **{k: v for k, v in vars(a).items() if k not in ("scenario", "out") and v is not None})
    json.dump(t, open(a.out + ".truth.json", "w"), indent=1)
