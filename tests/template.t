#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`rastrum template` as users type it: check, list, eval, test, doc, and where templates are looked for."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from tap import RASTRUM, done, ok, rastrum, same  # noqa: E402

CASES = "tests/data/aix/cases.tsv"
GOOD, FOUND, USAGE, IO = 0, 1, 2, 4
TMP = tempfile.mkdtemp(prefix="rastrum-template-")
CLEAN = {"HOME": TMP + "/nobody", "XDG_CONFIG_HOME": "", "RASTRUM_TEMPLATES": ""}
MUTEX_GET = "00100000 FFFFFFFF 00200000 03000000"


def template(*words, text="", env=None):
    return rastrum("template", *words, stdin=text.encode(), env={**CLEAN, **(env or {})})


def in_tmp(name, text):
    path = os.path.join(TMP, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path


def run_is(run, status, out, sentence, *fragments):
    """A run ended so, printed exactly this, and said so on standard error."""
    missing = [f for f in fragments if f not in run.err]
    ok(run.status == status and (out is None or run.out == out) and not missing, sentence,
       f"status {run.status}, expected {status}", f"stdout: {run.out!r}", f"expected: {out!r}", f"stderr: {run.err}",
       f"lacks: {missing}")


def eval_is(text, entry, out, sentence, *words):
    run_is(template("eval", "--env", "32", "--entry", entry, *words, "-", text=text), GOOD, out, sentence)


def cases():
    for line in open(CASES, encoding="utf-8"):
        if not line.startswith(("#", "name\t")):
            yield line.rstrip("\n").split("\t")


def unescape(text):
    return re.sub(r"\\([nt\\])", lambda m: {"n": "\n", "t": "\t", "\\": "\\"}[m[1]], text)


# --- the cases of the language ------------------------------------------------------------------------------------

ALL = list(cases())
RUN = template("test", CASES)
ok(RUN.status == GOOD and RUN.lines[-1:] == [f"1..{len(ALL)}"] and len(ALL) >= 237 and
   all(line.startswith("ok ") for line in RUN.lines[:-1]), "every case of the language passes by `template test`",
   f"status {RUN.status}", *[line for line in RUN.lines if not line.startswith("ok ")], RUN.err)

FAULTS = []
for name, kind, source, env, hook_type, hook, data, entry, context, expected, *_ in ALL:
    one = template("eval", "--kind", kind, "--env", env, "--type", hook_type, "--hook", hook, "--data", data, "--entry",
                   entry, "--context", context, "-", text=unescape(source))
    wanted = "" if expected == "(none)" else unescape(expected) + "\n"
    if one.out != wanted or one.status != (FOUND if kind != "parse" and expected == "ERROR" else GOOD):
        FAULTS.append(f"{name}: status {one.status}, got {one.out!r}, expected {wanted!r}, {one.err}")
ok(not FAULTS, "every case of the language passes by `template eval`", f"{len(FAULTS)} fail", *FAULTS)

FAULTS = []
for name, kind, source, env, hook_type, hook, data, entry, context, expected, *_ in ALL:
    if kind != "text" or expected == "(none)" or env == "64" and len(entry) < 16:
        continue
    one = template("eval", "--env", env, "--entry", entry, "--context", context, "-", text=unescape(source))
    if one.out != unescape(expected) + "\n":
        FAULTS.append(f"{name}: got {one.out!r}, expected {expected!r}")
ok(not FAULTS, "type, hook and data are those of the hook word when they are not given", *FAULTS)

# --- test ---------------------------------------------------------------------------------------------------------

ROW = "{}\t{}\t{}\t32\t9\t010\t1234\t01091234\t-\t{}\tours\n"
TABLE = in_tmp("cases.tsv", "# a comment\nname\tkind\t…\n" +
               ROW.format("right", "text", '010 1.0 "@" a \\\\n b', "a\\nb") +
               ROW.format("wrong", "text", '010 1.0 "@" a \\\\n b', "a\\\\b") +
               ROW.format("bad", "text", '010 1.0 "@" X17', "(none)") + "short\ttext\n" +
               ROW.format("kind", "picture", '010 1.0 "@"', ""))
run_is(template("test", TABLE), FOUND, f"""ok 1 - right
not ok 2 - wrong
#      got: a\\nb
# expected: a\\\\b
not ok 3 - bad
# T08 X17 is too wide; X takes 1 to 16 bytes
#      got: ERROR
# expected: (none)
not ok 4 - line 6 of {TABLE[:80]} has 2 columns, not 10
not ok 5 - kind
# there is no kind 'picture'
#      got: (none)
# expected: 
1..5
# 4 of 5 failed
""", "a case that fails shows what came and what was expected")
run_is(template("test", TMP + "/none.tsv"), IO, "1..0\n", "a table that cannot be read is told", "none.tsv")
run_is(template("test", TMP + "/none.tsv", CASES), IO, None, "and the others are run all the same", "none.tsv")

# --- eval: entries of AIX ------------------------------------------------------------------------------------------

eval_is('010 1.0 "event" X2', "0109000F", "event 000F\n", "an entry reads as its template says")
eval_is('010 1.0 "event" X2', "01 09 00 0f", "event 000F\n", "blanks between bytes and small letters do not matter")
eval_is('010 1.0 "@" X4', "0109000F", "000F *TRUNC*\n", "a template that reads too much ends with a marker, status 0")
eval_is('010 1.0 "@" $SKIP', "0109000F", "", "an entry that is skipped prints nothing")
eval_is('010 1.0 "@"', "0109000F", "\n", "an entry without text is an empty line")
eval_is('010 1.0 "ten"\n020 1.0 "twenty"', "0109000F", "twenty\n", "another hook may be asked for", "--hook", "020")
eval_is('010 1.0 "ten"\n020 1.0 "twenty"', "0209000F", "twenty\n", "the hook word chooses the stanza")
eval_is('010 1.0 "@" HT $HD', "0109000F", "A 1234\n", "type and data may be given", "--type", "A", "--data", "1234")
eval_is('007 1.0 "nobody knows" $TRACEID', "0209000F", "nobody knows 020\n", "007 stands in for hooks without a stanza")
run_is(template("eval", "--env", "64", "--entry", "8000000012300004", "-", text='123 1.0 "@" $HOOKENV X2'), GOOD,
       "64 0004\n", "a hook word of 64 bits names its hook in four digits")
run_is(template("eval", "--env", "64", "--hook", "123", "--entry", "8000000000000004", "-", text='123 1.0 "@" yes'), GOOD,
       "yes\n", "a hook may be given in three digits there, too")
UNKNOWN = template("eval", "--entry", "0209000F", "-", text="")
ok(UNKNOWN.status == GOOD and UNKNOWN.out.startswith("unknown hook 020 "), "without a 007 there is a built-in one", UNKNOWN.out)
eval_is('010 1.0 "@" $PID $CPUID $EXECPATH P4', "010A000F0000004D", "12 3 /bin/a b 983040\n",
        "facts come from the context", "--context", "pid=12;cpuid=0x3;execpath=/bin/a b;exec.77=/bin/c")
eval_is('010 1.0 "@" G4 P4', "010A000F0000004D", "/bin/c\n", "paths of processes come from the context", "--context",
        "exec.77=/bin/c")
eval_is('010 1.0 L=APPL "x" \\n y', "0109000F", "010    1.500000000    1500.000000  x\n" + 35 * " " + "y\n",
        "a line is that of a report", "--kind", "line", "--context", "elapsed_ns=1500000000;delta_ns=1500000000")
run_is(template("eval", "--kind", "parse", "-", text='010 1.0 "x" X4'), GOOD, "ok\n", "parsing needs no entry")
run_is(template("eval", "--kind", "parse", "-", text='010 1.0 "x" X17'), GOOD, "ERROR\n", "and only says ERROR", "T08")
run_is(template("eval", "--env", "32", "--entry", "0109000F", "-", text='010 1.0 "x" X17'), FOUND, "ERROR\n",
       "a template with an error gives no text, but the line and a caret",
       '<standard input>:1:13: error T08: hook 010: ', '010 1.0 "x" X17\n            ^\n')
run_is(template("eval", "--entry", "0109000F", "-", text='010 1.0 "x"\n\n020 1.0 "y" \\q'), FOUND, "ERROR\n",
       "so does an error in another stanza", "<standard input>:3:13: error T09: hook 020: ")

for words, fragment in ((("--entry", "010"), "pairs"), (("--entry", "01x9"), "pairs"), (("--entry", "0109"), "hook word"),
                        ((), "--entry"), (("--entry", "0109000F", "--type", "xyz"), "--type"),
                        (("--entry", "0109000F", "--hook", "12345"), "--hook"),
                        (("--entry", "0109000F", "--data", ""), "--data"),
                        (("--entry", "0109000F", "--context", "pid"), "pid"),
                        (("--entry", "0109000F", "--context", "pid=x"), "pid"),
                        (("--entry", "0109000F", "--context", "timer=1:2"), "timer"),
                        (("--entry", "0109000F", "--context", "weather=fine"), "weather"),
                        (("--entry", "0109000F", "--kind", "song"), "kind"), (("--env", "16"), "env")):
    run_is(template("eval", *words, "-", text='010 1.0 "x"'), USAGE, "", f"refused: {' '.join(words) or 'no entry'}",
           fragment)
run_is(template("eval", "--entry", "0109000F", TMP + "/none"), IO, "", "a file that is not there is told", "none")
run_is(template("eval", "--entry", "0109000F", TMP), IO, "", "a folder is no file of templates", TMP)
run_is(template("eval", "--entry", "0109000F", "-", text='# dialect: morse\n010 1.0 "x"'), USAGE, "",
       "a dialect that there is not is refused, and those that there are told", "morse", "aix, threadx")

# --- eval: events of other dialects --------------------------------------------------------------------------------

THREADX = "# dialect: threadx\n"


def event_is(text, out, sentence, event="TX_TRACE_MUTEX_GET", entry=MUTEX_GET):
    run_is(template("eval", "--event", event, "--entry", entry, "-", text=THREADX + text), GOOD, out, sentence)


event_is('TX_TRACE_MUTEX_GET 1.0 "@" $mutex_ptr held by $owner_thread_ptr "(" $ownership_count%X2 ")"',
         "0x1000 held by 0x2000 ( 0003 )\n", "fields of an event are macros by their names")
event_is('TX_TRACE_MUTEX_GET 1.0 "@" $wait_option, TX_WAIT_FOREVER forever, \\* "at most"', "forever\n",
         "names of constants match")
event_is('TX_TRACE_MUTEX_GET 1.0 "@" $twice\ntwice 1.0 "@" $ownership_count times', "3 times\n",
         "a stanza of any name can be called")
event_is("", "mutex_ptr=0x1000, wait_option=TX_WAIT_FOREVER, owner_thread_ptr=0x2000, ownership_count=3\n",
         "an event without a template reads as its fields")
event_is('TX_TRACE_MUTEX_GET 1.0 "@" $ownership_count', "?\n", "a field that is cut off is a question mark", entry="00100000")
event_is('TX_TRACE_USER_EVENT_START 1.0 "@" mine $info1', "mine 7\n", "numbered events share a stanza",
         "TX_TRACE_USER_EVENT_START+906", "07000000")
run_is(template("eval", "--entry", "00", "-", text=THREADX), USAGE, "", "such a template needs --event", "--event")
run_is(template("eval", "--entry", "00", "--event", "NO_SUCH", "-", text=THREADX), USAGE, "",
       "an event that there is not is refused", "NO_SUCH")
BELOW = in_tmp("below.trcfmt", THREADX + 'common 1.0 "@" "mutex " $mutex_ptr\n')
run_is(template("eval", "--templates", BELOW, "--event", "TX_TRACE_MUTEX_GET", "--entry", MUTEX_GET, "-",
                text=THREADX + 'TX_TRACE_MUTEX_GET 1.0 "@" $common'), GOOD, "mutex 0x1000\n",
       "templates of other files may stand below")

# --- check --------------------------------------------------------------------------------------------------------

GOOD_FILE = in_tmp("good.trcfmt", '010 1.0 "a"\n020 2.1 "b" X2 $010\n')
run_is(template("check", GOOD_FILE), GOOD, f"{GOOD_FILE}: ok, 2 templates\n", "a good file is one line")
BAD_FILE = in_tmp("bad.trcfmt", '010 1.0 "a" X17\n\n# between\n020 1.0 "b" U2, abc "x"\n030 1.0 "c"\n040 "d"\n')
RUN = template("check", BAD_FILE)
run_is(RUN, FOUND, f"{BAD_FILE}: 3 errors in 4 templates\n", "each bad stanza is told, with its line and column",
       f"{BAD_FILE}:1:13: error T08: hook 010: ", f"{BAD_FILE}:4:17: error T07: hook 020: ", f"{BAD_FILE}:6:5: error T02: ",
       '020 1.0 "b" U2, abc "x"\n                ^\n')
same(RUN.err.count("error T07"), 1, "what is wrong for 32 and for 64 bits is told once")
WARNED = in_tmp("warned.trcfmt", '010 1.0 "a"\n010 1.0 "b" $fff\n')
run_is(template("check", WARNED), GOOD, f"{WARNED}: ok, 2 templates, 2 warnings\n", "warnings do not change the status",
       "warning W01", "warning T16")
run_is(template("check", GOOD_FILE, TMP + "/none", BAD_FILE), IO, None, "the worst of several files counts", "none", "T08")
run_is(template("check", "-", text='010 1.0 "a"'), GOOD, "<standard input>: ok, 1 template\n", "standard input can be checked")
run_is(template("check", "-", text="# dialect: morse\n"), FOUND, "", "a dialect that there is not is a fault", "morse")
run_is(template("check", TMP), IO, "", "a folder cannot be checked", TMP)
run_is(template("check", "-", text=THREADX + 'TX_TRACE_MUTEX_GET 1.0 "@" $wait_option, TX_NEVER x'), FOUND,
       "<standard input>: 1 error in 1 template\n", "match values are compared with the constants of the event's field", "<standard input>:2:42: error T07")
run_is(template("check", "-", text=THREADX + 'TX_TRACE_MUTEX_GET 1.0 "@" $help\nhelp 1.0 "@" $mutex_ptr, x10zz a'), FOUND,
       "<standard input>: 1 error in 2 templates\n", "a helper is checked as what calls it needs it", "<standard input>:3:", "T07")
UNUSED = THREADX + 'TX_TRACE_MUTEX_GETS 1.0 "@" $help\nhelp 1.0 "h"\nhelpless 1.0 "h"\nTX_TRACE_USER_EVENT_START 1.0 "u"\n'
run_is(template("check", "-", text=UNUSED), GOOD, "<standard input>: ok, 4 templates\n", "advice is for those who ask")
run_is(template("check", "--lint", "-", text=UNUSED), GOOD, None, "a stanza that nothing will ever run is advice",
       "<standard input>:2:1: advice A", "TX_TRACE_MUTEX_GETS: ", "<standard input>:4:1: advice A", "helpless: ")
ok("<standard input>:3:1:" not in template("check", "--lint", "-", text=UNUSED).err and
   "<standard input>:5:1:" not in template("check", "--lint", "-", text=UNUSED).err, "but not what is called, nor numbered events")
run_is(template("check", "--templates", BELOW, "-", text=THREADX + 'TX_TRACE_MUTEX_GET 1.0 "@" $common'), GOOD,
       "<standard input>: ok, 1 template\n", "a file may call what the templates below it have")
for PASS in ("lex", "parse", "resolve", "code"):
    RUN = template("check", "--dump", PASS, GOOD_FILE)
    ok(RUN.status == GOOD and RUN.out and "ok, 2" not in RUN.out, f"--dump {PASS} shows what the pass made", RUN.err)
ok(template("check", "--dump", "code", "--env", "64", "-", text='010 1.0 "@" XW').out !=
   template("check", "--dump", "code", "--env", "32", "-", text='010 1.0 "@" XW').out, "--env chooses the words of a dump")
run_is(template("check", "--dump", "soup", GOOD_FILE), USAGE, "", "a pass that there is not is refused", "lex, parse")

# --- list and the search order -------------------------------------------------------------------------------------

run_is(template("list", GOOD_FILE), GOOD, f'010  1.0    KERN  "a"  {GOOD_FILE}:1\n020  2.1    KERN  "b"  {GOOD_FILE}:2\n',
       "a list shows key, version, level, label and place")
run_is(template("list", WARNED), GOOD, f'010  1.0    KERN  "b"  {WARNED}:2\n', "a stanza that was replaced is not listed")
RUN = template("list", BAD_FILE)
run_is(RUN, FOUND, None, "nor one that cannot be read; these are told", "T02", "T08")
same([line.split()[0] for line in RUN.lines], ["020", "030"], "and the others are listed")
run_is(template("list", TMP + "/none"), IO, "", "a file that is not there is told", "none")
run_is(template("list", "-d", "morse"), USAGE, "", "a dialect that there is not is refused", "morse")
run_is(template("list", "-d", "threadx", GOOD_FILE), GOOD, "", "a file of another dialect has nothing to list")

KEY = "AAA"


def found(env=None, words=(), program=None):
    """The labels of our hook in the order of search: which stanza is in force."""
    if program:
        run = subprocess.run([program, "template", "list", "-d", "aix", *words], env={**os.environ, **CLEAN, **(env or {})},
                             capture_output=True, text=True, check=False)
        text = run.stdout
    else:
        text = template("list", "-d", "aix", *words, env=env).out
    return re.findall(rf'^{KEY} .*"(.*)"', text, re.M)


def place(name, label):
    return in_tmp(name, f'{KEY} 1.0 "{label}"\n')


same(found(), [], "our hook has no template yet")
PROGRAM = os.path.join(TMP, "prefix/bin/rastrum")
os.makedirs(os.path.dirname(PROGRAM))
shutil.copy(RASTRUM, PROGRAM)
place("prefix/share/rastrum/templates/a.trcfmt", "installed")
same(found(program=PROGRAM), ["installed"], "installed templates are found beside the program")
place("home/.config/rastrum/templates/a.trcfmt", "home")
HOME = {"HOME": TMP + "/home"}
same(found(HOME, program=PROGRAM), ["home"], "the user's override them")
place("xdg/rastrum/templates/a.trcfmt", "xdg")
XDG = {**HOME, "XDG_CONFIG_HOME": TMP + "/xdg"}
same(found(XDG), ["xdg"], "$XDG_CONFIG_HOME is where they are, when it is set")
same(found({**HOME, "XDG_CONFIG_HOME": "xdg"}), ["home"], "unless it is no absolute path")
FIRST, SECOND = place("first.trcfmt", "first"), place("second/x.trcfmt", "second")
same(found({**XDG, "RASTRUM_TEMPLATES": FIRST}), ["first"], "$RASTRUM_TEMPLATES overrides those")
same(found({**XDG, "RASTRUM_TEMPLATES": f":{FIRST}::{TMP}/second"}), ["second"], "of several places the last one wins")
same(found({**XDG, "RASTRUM_TEMPLATES": TMP + "/second"}, ["--templates", FIRST]), ["first"],
     "--templates overrides everything")
same(found(None, ["--templates", TMP + "/second", "--templates", FIRST]), ["first"], "also itself")
place("folder/b.trcfmt", "b")
place("folder/c.trcfmt", "c")
place("folder/a.trcfmt", "a")
place("folder/.z.trcfmt", "hidden")
place("folder/z.trcfmt~", "a copy")
in_tmp("folder/y.trcfmt", THREADX + f'{KEY} 1.0 "threadx"\n')
os.symlink("nowhere", TMP + "/folder/.#c.trcfmt")
same(found(None, ["--templates", TMP + "/folder"]), ["c"],
     "of a folder the files count in the order of their names, but hidden ones, other names and other dialects")
for ENV, WORDS in (({"RASTRUM_TEMPLATES": TMP + "/none"}, ()), ({}, ("--templates", TMP + "/none"))):
    run_is(template("list", "-d", "aix", *WORDS, env=ENV), IO, "", "what is named must be there", TMP + "/none")
run_is(template("list", "-d", "aix", "--templates", BAD_FILE), FOUND, None, "errors of what is found are told", "T08")

# --- doc ----------------------------------------------------------------------------------------------------------

RUN = template("doc", "tx_trace_mutex_get")
ok(RUN.status == GOOD and all(part in RUN.out for part in (
    "TX_TRACE_MUTEX_GET\nthreadx, event 52: tx_mutex_get\n", "$mutex_ptr", "4 bytes at 0: object (mutex), 0 is none",
    "TX_WAIT_FOREVER = 0xffffffff", "lock_wait", "thread: the context of the event", "amount: $wait_option",
    "TX_TRACE_MUTEX_GET 1.0 ")), "doc tells of fields, roles and a template", RUN.out, RUN.err)
MADE = in_tmp("made.trcfmt", THREADX + RUN.out.split("template to begin with:\n")[-1])
run_is(template("check", "--lint", MADE), GOOD, f"{MADE}: ok, 1 template\n", "that template is a good one")
run_is(template("eval", "--event", "TX_TRACE_MUTEX_GET", "--entry", MUTEX_GET, MADE), GOOD,
       "mutex_ptr=0x1000, wait_option=TX_WAIT_FOREVER, owner_thread_ptr=0x2000, ownership_count=3\n",
       "and reads as the event does without one")
same(len(re.findall(r"^threadx, event ", template("doc", "-d", "threadx", "TX_TRACE_MUTEX_*").out, re.M)), 8,
     "* matches names")
ALL_EVENTS = template("doc", "*")
ok(ALL_EVENTS.status == GOOD and ALL_EVENTS.out.count("\nthreadx, event ") > 500, "all events can be told of")
EVERYTHING = in_tmp("everything.trcfmt", THREADX + "".join(
    part.split("\n\n")[0].rstrip("\n") + "\n" for part in ALL_EVENTS.out.split("template to begin with:\n")[1:]))
RUN = template("check", "--lint", EVERYTHING)
ok(RUN.status == GOOD and not RUN.err, "the templates that doc shows for all events are good together", RUN.out, RUN.err[:2000])
run_is(template("doc", "NO_SUCH"), USAGE, "", "an event that there is not is refused", "NO_SUCH")
run_is(template("doc", "-d", "morse", "*"), USAGE, "", "so is a dialect", "morse")

# --- usage and output ---------------------------------------------------------------------------------------------

run_is(template(), USAGE, "", "without a verb the usage is told", "check|list|eval|test|doc")
run_is(template("sing"), USAGE, "", "a verb that there is not is refused", "sing")
for VERB in ("check", "eval", "test", "doc"):
    run_is(template(VERB), USAGE, "", f"{VERB} needs an operand", VERB)
run_is(template("eval", "--entry", "0109000F", GOOD_FILE, BAD_FILE), USAGE, "", "eval takes one file", BAD_FILE[:40])
if os.path.exists("/dev/full"):
    for WORDS in (("list", GOOD_FILE), ("check", GOOD_FILE), ("test", CASES), ("doc", "*mutex*"),
                  ("eval", "--entry", "0109000F", GOOD_FILE)):
        with open("/dev/full", "wb") as full:
            told = subprocess.run([RASTRUM, "template", *WORDS], stdout=full, stderr=subprocess.PIPE, text=True, check=False,
                                  env={**os.environ, **CLEAN})
        ok(told.returncode == IO and "cannot write" in told.stderr, f"a full disk is told by {WORDS[0]}", told.stderr)

# --- embedding ----------------------------------------------------------------------------------------------------

STRANGE = os.path.join(TMP, "strange.trcfmt")
with open(STRANGE, "wb") as out_file:
    out_file.write(bytes(range(256)) * 20)
MADE_C = subprocess.run(["sh", "tools/embed.sh", STRANGE, in_tmp("empty.trcfmt", "")], capture_output=True, text=True,
                        check=False)
ARRAYS = [bytes(map(int, re.findall(r"\d+", a))) for a in re.findall(r"text_\d\[\] = \{(.*?)\}", MADE_C.stdout, re.S)]
ok(MADE_C.returncode == 0 and ARRAYS == [bytes(range(256)) * 20 + b"\0", b"\0"] and '"strange.trcfmt"' in MADE_C.stdout,
   "tools/embed.sh turns any bytes into C", MADE_C.stderr)

shutil.rmtree(TMP)
sys.exit(done())
