#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`rastrum template` as users type it: check, list, eval, test, doc, and where templates are looked for."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
import posix_log  # noqa: E402
from tap import RASTRUM, done, ok, rastrum, same, skip  # noqa: E402

CASES, OWN_CASES = "tests/data/aix/cases.tsv", "tests/data/aix/own-cases.tsv"
GOOD, FOUND, USAGE, IO = 0, 1, 2, 4
TMP = tempfile.mkdtemp(prefix="rastrum-template-")
CLEAN = {"HOME": TMP + "/nobody", "XDG_CONFIG_HOME": "", "RASTRUM_TEMPLATES": ""}
MUTEX_GET = "00100000 FFFFFFFF 00200000 03000000"


def template(*words, text="", env=None):
    return rastrum("template", *words, stdin=text.encode(), env={**CLEAN, **(env or {})})


def in_tmp(name, text):
    path = os.path.join(TMP, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(text.encode() if isinstance(text, str) else text)
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

RUN = template("test", OWN_CASES)
ok(RUN.status == GOOD and len(RUN.lines) > 1175 and all(line.startswith("ok ") for line in RUN.lines[:-1]),
   "so do our own", f"status {RUN.status}", *[line for line in RUN.lines if not line.startswith("ok ")], RUN.err)

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
run_is(template("test", TMP + "/none.tsv"), IO, "1..0\n", "a table that cannot be read is reported", "none.tsv")
run_is(template("test", TMP + "/none.tsv", CASES), IO, None, "and the others are run all the same", "none.tsv")

TABLE = in_tmp("odd.tsv", ROW.format("hash # SKIP it \\d", "text", '010 1.0 "@" a', "a") +
               ROW.format("bits", "text", '010 1.0 "@" a', "a").replace("\t32\t", "\t16\t") +
               ROW.format("cut", "text", '010 1.0 "@" a', "a\0wrong"))
run_is(template("test", TABLE), FOUND, f"""ok 1 - hash \\# SKIP it \\\\d
not ok 2 - bits
# the bits of a word are 32 or 64, not '16'
#      got: (none)
# expected: a
not ok 3 - line 3 of {TABLE[:80]} has a NUL byte
1..3
# 2 of 3 failed
""", "a name cannot skip its case; nor do wrong bits or a NUL byte make a case pass")
EVENT_ROW = "{}\ttext\t# dialect: threadx\\nTX_TRACE_MUTEX_GET 1.0 \"@\" $mutex_ptr {}\t{}\t{}\t{}\t-\t{}\t-\t{}\n"
TABLE = in_tmp("events.tsv", EVENT_ROW.format("event", "held", "-", "-", "TX_TRACE_MUTEX_GET", MUTEX_GET, "0x1000 held") +
               EVENT_ROW.format("helper", "$below", "32", "-", "tx_mutex_get", MUTEX_GET, "0x1000 below") +
               EVENT_ROW.format("typed", "", "32", "A", "TX_TRACE_MUTEX_GET", MUTEX_GET, "") +
               EVENT_ROW.format("nameless", "", "32", "-", "-", MUTEX_GET, ""))
RUN = template("test", "--templates", in_tmp("b.trcfmt", '# dialect: threadx\nbelow 1.0 "@" below\n'), TABLE)
ok(RUN.status == FOUND and [line for line in RUN.lines if line.startswith(("ok", "not"))] ==
   ["ok 1 - event", "ok 2 - helper", "not ok 3 - typed", "not ok 4 - nameless"] and
   "an event has neither hook type" in RUN.out and "--event NAME" in RUN.out,
   "a case may be of an event of another dialect, which is named in place of the hook", RUN.out, RUN.err)

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
run_is(template("eval", "--entry", "0109000F", "-", text='010 1.0 "x"\n\n020 1.0 "y" \\q'), GOOD, "x\n",
       "an error in another stanza is reported, and the entry reads", "<standard input>:3:13: error T09: hook 020: ")
run_is(template("eval", "--kind", "parse", "-", text='010 1.0 "x"\n\n020 1.0 "y" \\q'), GOOD, "ERROR\n",
       "but the file as a whole has one", "<standard input>:3:13: error T09: hook 020: ")
for TEXT, SENTENCE in (('010 1.0 "x" $020 $030\n020 1.0 "y"\n030 1.0 "z" X17', "a bad stanza that is called is one of the entry's"),
                       ('010 1.0 "x" $020\n020 1.0 "y" `$030`\n030 1.0 "z" X17', "also when what is called calls it"),
                       ('010 1.0 "x" $020\n020 1.0 "z" U2, abc x', "also when it is bad only for such entries"),
                       ('010 1.0 "x" $DEFAULT\n008 1.0 "z" X17', "also by $DEFAULT"),
                       ('010 1.0 "x"\n010 1.0 "z" X17', "and the later of two counts, also when it is bad")):
    run_is(template("eval", "--kind", "line", "--entry", "0109000F", "-", text=TEXT), FOUND, "ERROR\n", SENTENCE, "error T")
run_is(template("eval", "--entry", "0109000F", "--templates", in_tmp("bad10.trcfmt", '010 1.0 "z" X17\n020 1.0 "l"\n'), "-",
                text='010 1.0 "x" $020'), GOOD, "xl\n".replace("xl", "x l"), "what a file overrides may be bad", "error T08")
run_is(template("eval", "--event", "RKH_TE_SM_TRN", "--entry", 34 * "0", "--context", "underway=GO", "-",
                text='# dialect: rkh\nRKH_TE_SM_TRN 1.0 "@" $source $UNDERWAY, GO "goes", \\* "rests"'), GOOD, "none goes\n",
       "so does what is under way")
run_is(template("check", "-", text='# dialect: rkh\nRKH_TE_USER+7 1.0 "@door" "the door is " $data1, 0 "shut", \\* "open"'), GOOD,
       "<standard input>: ok, 1 template\n", "elements of RKH's user events are known by their names")
eval_is('010 1.0 "@" $RELLINENO [$EXECPATH] $PID', "0109000F", "1 [] 0\n", "the entry is the first line of a report, and of no process")
eval_is('010 1.0 "@" $RELLINENO', "0109000F", "7\n", "unless the context gives another line", "--context", "rellineno=7")

for words, fragment in ((("--entry", "010"), "pairs"), (("--entry", "01x9"), "pairs"), (("--entry", "0109"), "hook word"),
                        ((), "--entry"), (("--entry", "0109000F", "--type", "xyz"), "--type"),
                        (("--entry", "0109000F", "--hook", "12345"), "--hook"),
                        (("--entry", "0109000F", "--data", ""), "--data"),
                        (("--entry", "0109000F", "--type", "1F"), "one hexadecimal digit"),
                        (("--entry", "00", "--event", "TX_TRACE_MUTEX_GET"), "# dialect: threadx"),
                        (("--entry", "00", "--event", "TX_TRACE_MUTEX_GET", "--env", "32"), "--event and --env"),
                        (("--entry", "00", "--event", "TX_TRACE_MUTEX_GET", "--type", "1"), "--event and --type"),
                        (("--entry", "00", "--event", "TX_TRACE_MUTEX_GET", "--hook", "1"), "--event and --hook"),
                        (("--entry", "00", "--event", "TX_TRACE_MUTEX_GET", "--data", "1"), "--event and --data"),
                        (("--entry", "0109000F", "--templates", "-"), "standard input is named 2 times"),
                        (("--entry", "0109000F", "--context", "pid"), "pid"),
                        (("--entry", "0109000F", "--context", "pid=x"), "pid"),
                        (("--entry", "0109000F", "--context", "timer=1:2"), "timer"),
                        (("--entry", "0109000F", "--context", "weather=fine"), "weather"),
                        (("--entry", "0109000F", "--kind", "song"), "kind"), (("--env", "16"), "env")):
    run_is(template("eval", *words, "-", text='010 1.0 "x"'), USAGE, "", f"refused: {' '.join(words) or 'no entry'}",
           fragment)
run_is(template("eval", "--entry", "0109000F", TMP + "/none"), IO, "", "a file that is not there is reported", "none")
run_is(template("eval", "--entry", "0109000F", TMP), IO, "", "a folder is no file of templates", TMP)
run_is(template("eval", "--entry", "0109000F", "-", text='# dialect: morse\n010 1.0 "x"'), USAGE, "",
       "a dialect that there is not is refused, and those that there are reported", "morse", "compact, aix")

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
event_is("", " waits for mutex 0x1000, held by 0x2000 (TX_WAIT_FOREVER)\n",
         "an event that the file has no template for reads as in a report")
event_is('TX_TRACE_MUTEX_GET 1.0 "@" "may wait" $tx_wait_clause', "may wait (TX_WAIT_FOREVER)\n",
         "templates that a report would find can be called")
event_is('TX_TRACE_MUTEX_GET 1.0 "@" "the service"', "the service\n", "a service is a name of its event, too", "tx_mutex_get")
event_is('TX_TRACE_MUTEX_GET 1.0 "@" "event" $TRACEID', "event 034\n", "and its number", "52")
event_is('TX_TRACE_USER_EVENT_START+906 1.0 "@" "event" $TRACEID\nTX_TRACE_USER_EVENT_START 1.0 "@" "no"', "event 138A\n",
         "an event has a number of its own", "tx_trace_user_event_start+906", "07000000")
run_is(template("eval", "--event", "TX_TRACE_MUTEX_GET", "--entry", MUTEX_GET, "-",
                text="#\tDiaLect: ThreadX\nTX_TRACE_MUTEX_GET 1.0 \"@\" yes"), GOOD, "yes\n", "a dialect is named in any case")
run_is(template("eval", "--event", "TX_TRACE_MUTEX_GET", "--entry", MUTEX_GET, "-",
                text=THREADX + 'TX_TRACE_MUTEX_GET 1.0 "@" X17'), FOUND, "ERROR\n",
       "a bad template does not leave its place to the one below, as it would in a report", "T08")
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
run_is(RUN, FOUND, f"{BAD_FILE}: 3 errors in 4 templates\n", "each bad stanza is reported, with its line and column",
       f"{BAD_FILE}:1:13: error T08: hook 010: ", f"{BAD_FILE}:4:17: error T07: hook 020: ", f"{BAD_FILE}:6:5: error T02: ",
       '020 1.0 "b" U2, abc "x"\n                ^\n')
same(RUN.err.count("error T07"), 1, "what is wrong for 32 and for 64 bits is reported once")
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
RAW = b'# c\xff\n010 1.0 "a\xff\x1b[31mb" c\xe2\x82\xac\n'
RAW_FILE = in_tmp("raw.trcfmt", RAW)
for PASS in ("lex", "parse", "resolve", "code"):
    DUMPED = subprocess.run([RASTRUM, "template", "check", "--dump", PASS, RAW_FILE], capture_output=True, check=False)
    ok(DUMPED.stdout.decode("utf-8", "replace").count("\ufffd") == 0 and b"\x1b" not in DUMPED.stdout and
       (PASS == "resolve" or "€" in DUMPED.stdout.decode("utf-8", "replace")), f"--dump {PASS} gives the terminal no byte that steers it", DUMPED.stdout)
RAW_CASES = in_tmp("raw.tsv", b"na\x1bme\ttext\t010 1.0 \"@T\" a\t32\t9\t010\t0000\t01090000\t\x1b[31m=1\t\xff\x1b[31mb\\n\tx\n")
TESTED = subprocess.run([RASTRUM, "template", "test", RAW_CASES], capture_output=True, check=False)
ok(TESTED.returncode == FOUND and b"\x1b" not in TESTED.stdout + TESTED.stderr and b"\xff" not in TESTED.stdout + TESTED.stderr and
   b"not ok 1 - na\\x1bme\n" in TESTED.stdout.replace(b"\\\\", b"\\"), "nor does template test, of a context or of what was expected",
   TESTED.stdout, TESTED.stderr)
DIALECT = subprocess.run([RASTRUM, "template", "check", in_tmp("dialect.trcfmt", b"# dialect: X\x1b[31m\n")], capture_output=True, check=False)
ok(b"\x1b" not in DIALECT.stderr and b"X\\x1b[31m" in DIALECT.stderr, "nor does the name of a dialect", DIALECT.stderr)
UNUSED = THREADX + 'TX_TRACE_MUTEX_GETS 1.0 "@" $help\nhelp 1.0 "h"\nhelpless 1.0 "h"\nTX_TRACE_USER_EVENT_START 1.0 "u"\n'
run_is(template("check", "-", text=UNUSED), GOOD, "<standard input>: ok, 4 templates, 1 warning\n",
       "a name that is nearly an event's is a warning, and advice is given on request only",
       "<standard input>:2:1: warning W07", "TX_TRACE_MUTEX_GETS: ", "did you mean TX_TRACE_MUTEX_GET?")
run_is(template("check", "--lint", "-", text=UNUSED), GOOD, None, "any other stanza that nothing will ever run is advice",
       "<standard input>:2:1: warning W07", "<standard input>:4:1: advice A05", "helpless: ")
MISSPELT = in_tmp("misspelt.trcfmt", UNUSED)
RUN = rastrum("report", "-n", "1", "--templates", MISSPELT, "tests/data/threadx/basic_objects.trx")
ok(RUN.err.count("warning") == 1 and f"{MISSPELT}:2:1: warning W07: " in RUN.err, "report says so of templates that it is given", RUN.err)
run_is(template("check", "-", text="# dialect: posix\nmotor_step 1.0 \"@\" \"x\"\n"), GOOD, "<standard input>: ok, 1 template\n",
       "a name of a program's own is none")
ok("<standard input>:3:1:" not in template("check", "--lint", "-", text=UNUSED).err and
   "<standard input>:5:1:" not in template("check", "--lint", "-", text=UNUSED).err, "but not what is called, nor numbered events")
run_is(template("check", "--templates", BELOW, "-", text=THREADX + 'TX_TRACE_MUTEX_GET 1.0 "@" $common'), GOOD,
       "<standard input>: ok, 1 template\n", "a file may call what the templates below it have")
NUMBERED = THREADX + ('TX_TRACE_USER_EVENT_START+906 1.0 "@" $info1 $add\nTML_TRACE_USER_EVENT_START+1 1.0 "@" $info1\n'
                      'add 1.0 "@" $info2\nTX_TRACE_USER_EVENT_START+x 1.0 "@" $info1\n')
RUN = template("check", "--lint", "-", text=NUMBERED)
ok(RUN.err.count("W07") == 1 and "A05" not in RUN.err and "TX_TRACE_USER_EVENT_START+x: " in RUN.err,
   "a single user event is an event, and a helper may look like a hook id", RUN.err)
run_is(template("check", "-", text=THREADX + 'TX_TRACE_USER_EVENT_START+906 1.0 "@" $info1, abc x'), FOUND, None,
       "templates of single user events are compiled, too", "T07")
MANY = "".join(f'{n:03X} 1.0 "@" "\\n"\n' for n in range(0x10, 0x10 + 1200))
run_is(template("check", "-", text=MANY + '800 1.0 "@" X17\n801 1.0 "@" X17\n'), FOUND,
       "<standard input>: 2 errors in 1202 templates, 998 warnings; and more that is not told\n",
       "errors are reported and counted, also behind a thousand warnings", "hook 800: X17", "hook 801: X17")
run_is(template("check", "-", text=MANY.replace("\"\\n\"", "X17")), FOUND, "<standard input>: 1000 errors or more in 1200 templates\n",
       "of very many errors a thousand are reported", "hook 010: ")
BIG_FILE = in_tmp("large.trcfmt", "# " + 16 * 1024 * 1024 * "x" + "\n")
run_is(template("check", BIG_FILE), IO, "", "a file of templates has 16 MiB at the most", "larger than 16 MiB")
in_tmp("big.trcfmt", "".join(f'{n % 4096:03X} 1.0 "x" {40 * "X4 U2, 1 {X1}, 2 {X2} "}\n' for n in range(2000)))


def in_memory(kib, path):
    """A check that has so many KiB of memory."""
    return subprocess.run(["sh", "-c", f'ulimit -v {kib}; exec "$0" template check "$1"', RASTRUM, path], capture_output=True,
                          text=True, check=False, env={**os.environ, **CLEAN})


if in_memory(60000, GOOD_FILE).returncode == GOOD:
    RUNS = [in_memory(kib, TMP + "/big.trcfmt") for kib in range(20000, 60000, 1000)]
    FAILED = [run for run in RUNS if run.returncode != GOOD]
    ok(FAILED and all(run.returncode == IO and not run.stdout and "memory ran out" in run.stderr for run in FAILED),
       "when memory runs out nothing is ok", *{(run.returncode, run.stdout, run.stderr[-200:]) for run in FAILED})
else:
    skip("when memory runs out nothing is ok", "the program does not start in little memory")
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
run_is(RUN, FOUND, None, "nor one that cannot be read; these are reported", "T02", "T08")
same([line.split()[0] for line in RUN.lines], ["020", "030"], "and the others are listed")
run_is(template("list", TMP + "/none"), IO, "", "a file that is not there is reported", "none")
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
run_is(template("list", "-d", "AIX", GOOD_FILE), GOOD, template("list", GOOD_FILE).out, "a dialect may be asked for in any case")
for PLACE in ("config/rastrum/templates", "environment"):
    os.makedirs(f"{TMP}/{PLACE}/c.trcfmt")
    os.mkfifo(f"{TMP}/{PLACE}/d.trcfmt")
    os.symlink("nowhere", f"{TMP}/{PLACE}/e.trcfmt")
    os.link(BIG_FILE, f"{TMP}/{PLACE}/f.trcfmt")
    place(PLACE + "/a.trcfmt", "first")
    os.symlink(TMP + "/" + PLACE + "/a.trcfmt", f"{TMP}/{PLACE}/g.trcfmt")
PASSED = [f"{name}.trcfmt cannot be read and is passed over: {why}" for name, why in (
    ("c", "it is not"), ("d", "it is not"), ("e", "No such"), ("f", "larger than"))]
for ENV, WORDS in (({"XDG_CONFIG_HOME": TMP + "/config"}, ()), ({"RASTRUM_TEMPLATES": TMP + "/environment"}, ()),
                   ({}, ("--templates", TMP + "/environment"))):
    RUN = template("list", "-d", "aix", *WORDS, env=ENV)
    ok(RUN.status == GOOD and re.search(rf'^{KEY}  1.0    KERN  "first" +{re.escape(TMP)}', RUN.out, re.M) and "/g.trcfmt:1" in RUN.out and
       RUN.err.count("warning W05: ") == 4 and all(part in RUN.err for part in PASSED),
       "what a folder has and cannot be read is reported and passed over", RUN.out[-300:], RUN.err)
run_is(template("list", "-d", "aix", "--templates", BIG_FILE), IO, "", "but not what is named itself", "large.trcfmt: larger than")
READ, WRITE = os.pipe()
os.write(WRITE, f'{KEY} 1.0 "piped"\n'.encode())
os.close(WRITE)
RUN = subprocess.run([RASTRUM, "template", "list", "-d", "aix", "--templates", f"/dev/fd/{READ}"], pass_fds=[READ], text=True,
                     capture_output=True, check=False, env={**os.environ, **CLEAN})
ok("piped" in RUN.stdout, "a pipe that is named is read", RUN.stderr)
for WORDS, FRAGMENT in ((("check", "--templates", "-", "-"), "2 times"), (("check", "-", "-"), "2 times"),
                        (("list", "--templates", "-", "--templates", "-"), "2 times"), (("list", "--templates", "-"), "--dialect"),
                        (("doc", "--templates", "-", "tx_mutex_get"), "--dialect"),
                        (("check", "--templates", "-", GOOD_FILE, GOOD_FILE), "only once"),
                        (("test", "--templates", "-", CASES), "only once")):
    run_is(template(*WORDS), USAGE, "", f"standard input is not read twice: {' '.join(WORDS[:4])}", FRAGMENT)
run_is(template("list", "-d", "aix", env={"RASTRUM_TEMPLATES": "-"}), USAGE, "", "nor named by the environment", "RASTRUM_TEMPLATES")
RUN = template("list", "-d", "aix", "--templates", "-", text=f'{KEY} 1.0 "input"\n')
ok("input" in RUN.out and "<standard input>:1" in RUN.out, "once it may be", RUN.out, RUN.err)
run_is(template("list", "-d", "aix", "--templates", BAD_FILE), FOUND, None, "errors of what is found are reported", "T08")

# --- doc ----------------------------------------------------------------------------------------------------------

RUN = template("doc", "tx_trace_mutex_get")
ok(RUN.status == GOOD and all(part in RUN.out for part in (
    "TX_TRACE_MUTEX_GET\nthreadx, event 52: tx_mutex_get\n", "$mutex_ptr", "4 bytes at 0: object (mutex), 0 is none",
    "TX_WAIT_FOREVER = 0xffffffff", "acquire thread=self object=$mutex_ptr is=counted when $owner_thread_ptr=0", "limit=$wait_option phase=asks reason=lock",
    "TX_TRACE_MUTEX_GET 1.0 ")), "doc tells of fields, effects and a template", RUN.out, RUN.err)
MADE = in_tmp("made.trcfmt", THREADX + RUN.out.split("template to begin with:\n")[-1])
run_is(template("check", "--lint", MADE), GOOD, f"{MADE}: ok, 1 template\n", "that template is a good one")
run_is(template("eval", "--event", "TX_TRACE_MUTEX_GET", "--entry", MUTEX_GET, MADE), GOOD,
       "mutex_ptr=0x1000, wait_option=TX_WAIT_FOREVER, owner_thread_ptr=0x2000, ownership_count=3\n",
       "and reads as the event does without one")
same(len(re.findall(r"^threadx, event ", template("doc", "-d", "threadx", "TX_TRACE_MUTEX_*").out, re.M)), 8,
     "* matches names")
ALL_EVENTS = template("doc", "-d", "threadx", "*")
ok(ALL_EVENTS.status == GOOD and ALL_EVENTS.out.count("\nthreadx, event ") > 500, "all events can be listed")
EVERYTHING = in_tmp("everything.trcfmt", THREADX + "".join(
    part.split("\n\n")[0].rstrip("\n") + "\n" for part in ALL_EVENTS.out.split("template to begin with:\n")[1:]))
RUN = template("check", "--lint", EVERYTHING)
ok(RUN.status == GOOD and not RUN.err, "the templates that doc shows for all events are good together", RUN.out, RUN.err[:2000])
MINE = in_tmp("mine.trcfmt", THREADX + 'TX_TRACE_MUTEX_GET 1.0 "@" mine \\\n\t$mutex_ptr # \x1b\nTX_TRACE_USER_EVENT_START+906 1.0 x\n')
OF_LITEOS = template("doc", "SEM_PEND").out
ok(re.search(r"^  \$hwiActive +bits 8 to 11 of 4 bytes at 28: number$", OF_LITEOS, re.M) and
   re.search(r"^  \$is_huawei +number of the event's type, 0 here$", OF_LITEOS, re.M),
   "doc has bit fields, and numbers of the event's type", OF_LITEOS)
RUN = template("doc", "--templates", MINE, "TX_TRACE_MUTEX_GET")
ok(f"template in force, in {MINE}:\nTX_TRACE_MUTEX_GET 1.0 \"@\" mine \\\n\t$mutex_ptr # \\x1b\ntemplate to begin" in RUN.out,
   "doc shows the lines of the template in force", RUN.out)
ok("template in force, in built-in/threadx.trcfmt:\n" in template("doc", "TX_TRACE_MUTEX_GET").out, "which may be built in")
for ASKED, KEYED, NUMBER in (("TX_TRACE_USER_EVENT_START+906", "TX_TRACE_USER_EVENT_START+906", 5002),
                             ("5002", "TX_TRACE_USER_EVENT_START+906", 5002),
                             ("TX_TRACE_USER_EVENT_START", "TX_TRACE_USER_EVENT_START", 4096),
                             ("*USER_EVENT_START*", "TX_TRACE_USER_EVENT_START", 4096),
                             ("tml_trace_user_event_start+7", "TML_TRACE_USER_EVENT_START+7", 1032)):
    RUN = template("doc", "--templates", MINE, ASKED)
    ok(f"{KEYED}\nthreadx, event {NUMBER}: user event" in RUN.out and f"template to begin with:\n{KEYED} 1.0 " in RUN.out and
       (("+906 1.0 x" in RUN.out) == (NUMBER == 5002)), f"{ASKED} has a template of this key", RUN.out, RUN.err)
same({name: template("doc", name).lines[0] for name in ("tx_mutex_get", "52", "0x34")},
     dict.fromkeys(("tx_mutex_get", "52", "0x34"), "TX_TRACE_MUTEX_GET"), "services and numbers name events, too")
run_is(template("doc", "NO_SUCH"), USAGE, "", "an event that there is not is refused", "NO_SUCH")
run_is(template("doc", "-d", "morse", "*"), USAGE, "", "so is a dialect", "morse")

# --- what the trace knows -----------------------------------------------------------------------------------------

# Codes read words as AIX has them, high byte first: 100 in an event of this machine is 0x64000000, and the other way round.
SWAPPED = 0x64000000
LOG = posix_log.Log().add("", posix_log.TASK, posix_log.task(SWAPPED, SWAPPED, b"server")).add(
    "", posix_log.TYPE, posix_log.event_type(70, b"kept")).add(
    "", posix_log.EVENTS, posix_log.events(posix_log.event(70, 1, pid=SWAPPED, tid=7), posix_log.event(70, 2, pid=100, tid=8)))
KEPT = in_tmp("kept.trcfmt", '# dialect: posix\nkept 1.0 "of" O8 P4\n')
TOLD = [json.loads(line)["text"] for line in rastrum("report", "-q", "-f", "jsonl", "--templates", KEPT,
                                                     in_tmp("process.log", LOG.bytes())).lines]
ok(TOLD == ["of 100", "of server"], "P4 is the name of a process where the trace knows it", TOLD)

# --- usage and output ---------------------------------------------------------------------------------------------

run_is(template(), USAGE, "", "without a verb the usage is reported", "needs a subcommand; it is one of check, list, eval, test, doc")
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
        ok(told.returncode == IO and "cannot write" in told.stderr, f"a full disk is reported by {WORDS[0]}", told.stderr)

# --- embedding ----------------------------------------------------------------------------------------------------

STRANGE = os.path.join(TMP, "strange.trcfmt")
with open(STRANGE, "wb") as out_file:
    out_file.write(bytes(range(256)) * 20)
MADE_C = subprocess.run(["sh", "tools/embed.sh", "template/set/search.h", "template_builtin", STRANGE, in_tmp("empty.trcfmt", "")], capture_output=True, text=True,
                        check=False)
ARRAYS = [bytes(map(int, re.findall(r"\d+", a))) for a in re.findall(r"text_\d\[\] = \{(.*?)\}", MADE_C.stdout, re.S)]
ok(MADE_C.returncode == 0 and ARRAYS == [bytes(range(256)) * 20 + b"\0", b"\0"] and '"strange.trcfmt"' in MADE_C.stdout,
   "tools/embed.sh turns any bytes into C", MADE_C.stderr)

shutil.rmtree(TMP)
sys.exit(done())
