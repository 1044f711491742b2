/* SPDX-License-Identifier: MIT */
#include "input/foreign.h"

#include <string.h>

#include "base/text.h"

enum {
	ALIKE_BYTES_MIN = 64, /* this many bytes of one value are not a recording */
	HEADING_BYTES = 128,  /* a text names its kind within these */
	FRAMES_MIN = 8,	      /* this many whole frames in order are not chance */
	FRAMES_MAX = 400,
	OLD_RKH_ID_MAX = 44,
};

struct row {
	struct foreign foreign;
	const char *magic;
	size_t n_magic, at;
	bool (*is_it)(const uint8_t *bytes, size_t n_bytes); /* in place of a magic */
};

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static const uint8_t *skip_blanks(const uint8_t *at, const uint8_t *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

/* Whether it is an object, with its first key next, or a list of objects, lists or texts. */
static bool is_json(const uint8_t *bytes, size_t n_bytes)
{
	const uint8_t *const end = bytes + n_bytes, *const first = skip_blanks(bytes, end);

	if (first == end || (*first != '{' && *first != '['))
		return false;
	const uint8_t *const second = skip_blanks(first + 1, end);

	return second < end && (*second == '"' || (*first == '[' && (*second == '{' || *second == '[')));
}

static bool is_web_page(const uint8_t *bytes, size_t n_bytes)
{
	static const char *const heads[] = { "<!doctype html", "<html" };
	const uint8_t *const end = bytes + n_bytes, *const first = skip_blanks(bytes, end);

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if ((size_t)(end - first) >= strlen(heads[i]) &&
			text_is_same_fold((const char *)first, heads[i], strlen(heads[i])))
			return true;
	return false;
}

/* Whether it is lines of remarks, one of which names the program, and then packets. */
static bool is_system_view(const uint8_t *bytes, size_t n_bytes)
{
	static const char name[] = "SEGGER SystemView";
	const size_t n = n_bytes < HEADING_BYTES ? n_bytes : HEADING_BYTES;

	return n && bytes[0] == ';' && memmem(bytes, n, name, sizeof(name) - 1) != NULL;
}

/* Whether it is letters and digits of two bytes, low byte first, behind a byte order mark. */
static bool is_utf16(const uint8_t *bytes, size_t n_bytes)
{
	if (n_bytes < 4 || bytes[0] != 0xff || bytes[1] != 0xfe)
		return false;
	for (size_t i = 2; i + 1 < n_bytes && i < HEADING_BYTES; i += 2)
		if (bytes[i + 1] != 0 || bytes[i] >= 0x7f || (bytes[i] < ' ' && !is_blank(bytes[i])))
			return false;
	return true;
}

/* Frames between flags 7e, as HDLC, RKH and QP have them; 7d inverts bit 5 of the next byte. */
struct framing {
	uint8_t sum;   /* of all bytes of a frame */
	size_t seq_at; /* the position of the byte that counts frames */
	size_t id_at;
	uint8_t id_max;
};

/* Whether nearly all frames have the right sum, and nearly all of those follow each other. */
static bool has_frames(const uint8_t *bytes, size_t n_bytes, const struct framing *framing)
{
	enum { FLAG = 0x7e, ESCAPE = 0x7d, TURN = 0x20, HEAD = 2 };
	const uint8_t *end = bytes + n_bytes, *at = n_bytes ? memchr(bytes, FLAG, n_bytes) : NULL, *next;
	unsigned n_frames = 0, n_right = 0, n_follow = 0;
	uint8_t last = 0;

	for (; at && n_frames < FRAMES_MAX; at = next) {
		uint8_t head[HEAD] = { 0 }, sum = 0;
		size_t n = 0;

		at++;
		next = memchr(at, FLAG, (size_t)(end - at));
		for (; next && at < next; at++) {
			uint8_t byte = *at;

			if (byte == ESCAPE) {
				at++; /* reaches the flag at most */
				byte = *at ^ TURN;
			}
			if (n < HEAD)
				head[n] = byte;
			n++;
			sum = (uint8_t)(sum + byte);
		}
		if (!next || !n)
			continue;
		n_frames++;
		if (n <= HEAD || sum != framing->sum || head[framing->id_at] > framing->id_max)
			continue;
		n_follow += n_right++ && head[framing->seq_at] == (uint8_t)(last + 1);
		last = head[framing->seq_at];
	}
	return n_right >= FRAMES_MIN && 10 * n_right >= 9 * n_frames && 10 * n_follow >= 8 * n_right;
}

/* In RKH 2.0 to 2.2, events have numbers 0 to 44 without groups. */
static bool is_old_rkh(const uint8_t *bytes, size_t n_bytes)
{
	static const struct framing framing = { .sum = 0, .seq_at = 1, .id_at = 0, .id_max = OLD_RKH_ID_MAX };

	return has_frames(bytes, n_bytes, &framing);
}

static bool is_qspy(const uint8_t *bytes, size_t n_bytes)
{
	static const struct framing framing = {
		.sum = UINT8_MAX, .seq_at = 0, .id_at = 1, .id_max = UINT8_MAX
	};

	return has_frames(bytes, n_bytes, &framing);
}

static bool is_all(const uint8_t *bytes, size_t n_bytes, uint8_t value)
{
	return n_bytes >= ALIKE_BYTES_MIN && bytes[0] == value && memcmp(bytes, bytes + 1, n_bytes - 1) == 0;
}

static bool is_zeros(const uint8_t *bytes, size_t n_bytes)
{
	return is_all(bytes, n_bytes, 0);
}

static bool is_ones(const uint8_t *bytes, size_t n_bytes)
{
	return is_all(bytes, n_bytes, 0xff);
}

#define PIPED(words, command) words ": " command " FILE | rastrum report -"
#define UNPACK(command)	      PIPED("unpack it first", command), true, NULL
#define OTHER(advice)	      advice, false, NULL

static const char own_viewer[] = "its own viewer reads it; rastrum does not";
static const char percepio[] = "its own viewer reads it; rastrum reads streams of FreeRTOS and bare metal "
			       "only (rastrum-percepio(7))";
static const char system_view[] =
	"its own viewer reads it; rastrum reads files with a stream for each core, not "
	"those with ESP_Extension (rastrum-systemview(7))";
static const char no_recording[] = "give the recording itself";
static const char from_memory[] = "copy the trace buffer out of it with gdb: see docs/CAPTURE.md";
static const char old_rkh[] =
	"its frames are whole, but their numbers mean other events: build it with RKH 2.3 or later";
static const char qspy[] = "qspy of QTools reads it; rastrum does not";
static const char networks[] = "wireshark and tshark read it; rastrum does not";
static const char ctf[] = "name the folder that it lies in: rastrum report FOLDER";

static const struct row rows[] = {
#define MAGIC(text)	   text, sizeof(text) - 1, 0, NULL
#define MAGIC_AT(text, at) text, sizeof(text) - 1, at, NULL
#define LOOK(function)	   NULL, 0, 0, function
	/* Packed files: a recording may be inside. */
	{ { "an lz4 file", UNPACK("lz4 -dc") }, MAGIC("\x04\x22\x4d\x18") },
	{ { "an lz4 file", UNPACK("lz4 -dc") }, MAGIC("\x02\x21\x4c\x18") },
	{ { "an lzip file", UNPACK("lzip -dc") }, MAGIC("LZIP\1") },
	{ { "an lzop file", UNPACK("lzop -dc") }, MAGIC("\x89LZO\0\r\n\x1a\n") },
	{ { "a file of compress", UNPACK("gzip -dc") }, MAGIC("\x1f\x9d\x90") },
	{ { "a zip file", UNPACK("unzip -p") }, MAGIC("PK\x03\x04") },
	{ { "a 7z file", UNPACK("7z e -so") }, MAGIC("7z\xbc\xaf\x27\x1c") },
	{ { "a rar file", UNPACK("unrar p -inul") }, MAGIC("Rar!\x1a\x07") },
	{ { "a tar file", PIPED("unpack it first", "tar -xOf"), true, "ctf" }, MAGIC_AT("ustar", 257) },
	{ { "text in UTF-16, as PowerShell writes it", PIPED("convert it first", "iconv -f UTF-16 -t UTF-8"),
		  true, NULL },
		LOOK(is_utf16) },
	/* Memory contents, where a recording may have been. */
	{ { "an ELF file, a program or core", OTHER(from_memory) }, MAGIC("\x7f"
									  "ELF") },
	{ { "a firmware image (UF2)", OTHER("read the memory of the running board instead") },
		MAGIC("UF2\nWQ]\x9e") },
	{ { "nothing but bytes 00", OTHER("this memory was never written: is the address right?") },
		LOOK(is_zeros) },
	{ { "nothing but bytes ff", OTHER("this is erased flash or no memory: is the address right?") },
		LOOK(is_ones) },
	/* Recordings of other tools. */
	{ { "a CTF trace, as LTTng writes it", OTHER(ctf) }, MAGIC("\xc1\x1f\xfc\xc1") },
	{ { "a CTF trace, as LTTng writes it", OTHER(ctf) }, MAGIC("\xc1\xfc\x1f\xc1") },
	{ { "the metadata of a CTF trace, as of LTTng", OTHER(ctf) }, MAGIC("\x57\x1d\xd1\x75") },
	{ { "the metadata of a CTF trace, as of LTTng", OTHER(ctf) }, MAGIC("\x75\xd1\x1d\x57") },
	{ { "the metadata of a CTF trace", OTHER(ctf) }, MAGIC("/* CTF 1.") },
	{ { "a recording of perf", OTHER("perf script reads it; rastrum does not") }, MAGIC("PERFILE2") },
	{ { "a recording of perf", OTHER("perf script reads it; rastrum does not") }, MAGIC("2ELIFREP") },
	{ { "a recording of trace-cmd", OTHER("trace-cmd report reads it; rastrum does not") },
		MAGIC("\x17\x08\x44tracing") },
	{ { "text of the kernel's ftrace", OTHER("it is readable as it is; rastrum does not read it") },
		MAGIC("# tracer: ") },
	{ { "a recording of uftrace", OTHER("uftrace replay reads its folder; rastrum does not") },
		MAGIC("Ftrace!") },
	{ { "a recording of SEGGER SystemView", OTHER(system_view) }, LOOK(is_system_view) },
	{ { "a recording for Tracealyzer", OTHER(percepio) }, MAGIC("\0FSP") },
	{ { "a recording for Tracealyzer", OTHER(percepio) }, MAGIC("PSF\0") },
	{ { "a ring buffer for Tracealyzer", OTHER(own_viewer) },
		MAGIC("\5\6\7\x8\x75\x76\x77\x78\xf5\xf6\xf7\xf8") },
	{ { "a snapshot for Tracealyzer", OTHER(own_viewer) },
		MAGIC("\1\2\3\4\x71\x72\x73\x74\xf1\xf2\xf3\xf4") },
	{ { "a stream of RKH 2.0 to 2.2", old_rkh, false, "rkh" }, LOOK(is_old_rkh) },
	{ { "a stream of QP's QS, as QSPY reads it", OTHER(qspy) }, LOOK(is_qspy) },
	{ { "a trace for Chrome or Perfetto", OTHER("ui.perfetto.dev shows it; rastrum does not") },
		MAGIC("{\"traceEvents\"") },
	{ { "a log of AIX's trace daemon",
		  OTHER("report it with trcrpt on AIX: where its entries end is not published") },
		MAGIC("\xef\xdf\x11\x14") },
	{ { "a pcap file of network packets", OTHER(networks) }, MAGIC("\xd4\xc3\xb2\xa1") },
	{ { "a pcap file of network packets", OTHER(networks) }, MAGIC("\xa1\xb2\xc3\xd4") },
	{ { "a pcap file of network packets", OTHER(networks) }, MAGIC("\x4d\x3c\xb2\xa1") },
	{ { "a pcap file of network packets", OTHER(networks) }, MAGIC("\xa1\xb2\x3c\x4d") },
	{ { "a pcapng file of network packets", OTHER(networks) }, MAGIC("\x0a\x0d\x0d\x0a") },
	{ { "a log of systemd's journal", OTHER("journalctl --file reads it; rastrum does not") },
		MAGIC("LPKSHHRH") },
	{ { "a value change dump of signals", OTHER("GTKWave shows it; rastrum does not") }, MAGIC("$date") },
	{ { "a value change dump of signals", OTHER("GTKWave shows it; rastrum does not") },
		MAGIC("$timescale") },
	/* Files that are not recordings. */
	{ { "JSON Lines, as rastrum report writes them", OTHER(no_recording) }, MAGIC("{\"seq\":") },
	{ { "CSV, as rastrum report writes it", OTHER(no_recording) }, MAGIC("seq,") },
	{ { "JSON", OTHER(no_recording) }, LOOK(is_json) },
	{ { "a web page", OTHER("the download gave a page in place of the file") }, LOOK(is_web_page) },
	{ { "a pointer of Git LFS", OTHER("fetch the file itself: git lfs pull") },
		MAGIC("version https://git-lfs.github.com/spec/") },
	{ { "an SQLite database", OTHER(no_recording) }, MAGIC("SQLite format 3") },
	{ { "a picture (PNG)", OTHER(no_recording) }, MAGIC("\x89PNG\r\n\x1a\n") },
	{ { "a picture (JPEG)", OTHER(no_recording) }, MAGIC("\xff\xd8\xff") },
	{ { "a picture (GIF)", OTHER(no_recording) }, MAGIC("GIF8") },
	{ { "a PDF document", OTHER(no_recording) }, MAGIC("%PDF-") },
#undef MAGIC
#undef MAGIC_AT
#undef LOOK
};

static bool is_row(const struct row *row, const uint8_t *bytes, size_t n_bytes)
{
	if (row->is_it)
		return row->is_it(bytes, n_bytes);
	return n_bytes >= row->at + row->n_magic && memcmp(bytes + row->at, row->magic, row->n_magic) == 0;
}

const struct foreign *foreign_find(const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (is_row(&rows[i], bytes, n_bytes))
			return &rows[i].foreign;
	return NULL;
}
