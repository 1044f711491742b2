/* SPDX-License-Identifier: MIT */
#include "dialect/liteos/tlv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc16.h"
#include "base/load.h"
#include "tests/tap.h"

/* Messages as a target puts them on the wire, in both byte orders. */
struct vector {
	const char *what;
	enum liteos_kind kind;
	const char *little, *big;
};

static const struct vector vectors[] = {
	{ "a start notice", LITEOS_NOTIFY, "ff000c00cc5f0104110000000204efbeadde",
		"ff00000c1b390104000000110204deadbeef" },
	{ "a stop notice", LITEOS_NOTIFY, "ff000c0003ee0104120000000204efbeadde",
		"ff00000cc3bb0104000000120204deadbeef" },
	{ "a head", LITEOS_HEAD, "ff01120071940104785634120204010000000804007a030a",
		"ff010012a96e01041234567802040000000108040a037a00" },
	{ "a task", LITEOS_OBJ,
		"ff022e00a6ed01040300000002040300000003206170705f6374726c000000000000000000000000000000000000"
		"0"
		"00000000000",
		"ff02002e684001040000000302040000000303206170705f6374726c000000000000000000000000000000000000"
		"0"
		"00000000000" },
	{ "an event of words of 4 bytes", LITEOS_EVENT,
		"ff032a00786a02044500000003085544332211000000050401000000060405000000070c1f000000040000000900"
		"00"
		"00",
		"ff03002abb4e02040000004503080000001122334455050400000001060400000005070c0000001f000000040000"
		"00"
		"09" },
	{ "an event with all but link registers", LITEOS_EVENT,
		"ff034c00492b0104010100000204240000000308630000000000000004040700000005040100000006082d000000"
		"00"
		"0000000718000000000000000000000000000000000000000000000000080402000000",
		"ff03004ced4f01040110000002040000002403080000000000000063040400000007050400000001060800000000"
		"0"
		"000002d0718000000000000000000000000000000000000000000000000080400000002" },
};

enum { N_VECTORS = sizeof(vectors) / sizeof(*vectors) };

static size_t from_hex(uint8_t *bytes, const char *hex)
{
	size_t n = 0;

	for (; hex[0] && hex[1]; hex += 2) {
		const char pair[3] = { hex[0], hex[1], '\0' };

		bytes[n++] = (uint8_t)strtoul(pair, NULL, 16);
	}
	return n;
}

/* Parses a copy of exact size on the heap, so that a sanitizer finds a read beyond it. */
static enum liteos_verdict parse_exact(
	struct liteos_message *message, const uint8_t *bytes, size_t n_bytes, bool is_big)
{
	uint8_t *copy = malloc(n_bytes ? n_bytes : 1);
	enum liteos_verdict verdict;

	if (!copy)
		exit(1);
	memcpy(copy, bytes, n_bytes);
	verdict = liteos_message_parse(message, copy, n_bytes, is_big);
	free(copy);
	return verdict;
}

static void check_whole(const struct vector *vector, bool is_big)
{
	uint8_t bytes[LITEOS_MESSAGE_MAX];
	size_t n = from_hex(bytes, is_big ? vector->big : vector->little);
	const char *order = is_big ? "big" : "little";
	struct liteos_message message;
	unsigned n_not_cut = 0;

	ok(liteos_message_parse(&message, bytes, n, is_big) == LITEOS_IS_MESSAGE &&
			message.kind == vector->kind && message.n_bytes == n && !message.is_repaired,
		"%s in %s order is one", vector->what, order);
	ok(parse_exact(&message, bytes, n, !is_big) == LITEOS_NO_MESSAGE,
		"%s in %s order is none in the other order", vector->what, order);
	for (size_t cut = 0; cut < n; cut++)
		n_not_cut += parse_exact(&message, bytes, cut, is_big) != LITEOS_IS_CUT;
	ok(n_not_cut == 0, "%s in %s order may be cut anywhere", vector->what, order);
}

/* Flips every bit, one at a time: only a flip in the type byte can be corrected. */
static void check_flips(const struct vector *vector)
{
	uint8_t bytes[LITEOS_MESSAGE_MAX];
	size_t n = from_hex(bytes, vector->little);
	unsigned n_taken = 0, n_repaired = 0;
	struct liteos_message message;

	for (size_t bit = 0; bit < 8 * n; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
		if (parse_exact(&message, bytes, n, false) == LITEOS_IS_MESSAGE) {
			n_taken++;
			n_repaired += message.is_repaired && message.kind == vector->kind && bit / 8 == 1;
		}
		bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
	}
	ok(n_taken == 8 && n_repaired == 8,
		"%s with a bit turned over is taken only where that is in its type, which is put right",
		vector->what);
}

static void check_elements(void)
{
	uint8_t bytes[LITEOS_MESSAGE_MAX];
	struct liteos_message m;
	size_t n = from_hex(bytes, vectors[5].big);

	ok(liteos_message_parse(&m, bytes, n, true) == LITEOS_IS_MESSAGE, "the event with all is one");
	is_number(load_u32(m.value[LITEOS_EVENT_TYPE], true), 0x24, "its type is there");
	is_number(load_u64(m.value[LITEOS_EVENT_TIME], true), 99, "its time is there");
	is_number(load_u32(m.value[LITEOS_EVENT_COUNT], true), 7, "its count is there");
	is_number(load_u64(m.value[LITEOS_EVENT_IDENTITY], true), 45, "its identity is there");
	is_number(load_u32(m.value[LITEOS_EVENT_PID], true), 2, "its process is there");
	is_number(m.n_value_bytes[LITEOS_EVENT_PARAMS], 24, "it has three parameters of 8 bytes");
	ok(!m.value[LITEOS_EVENT_LR], "what was not sent is absent, not zero");
}

/* A message of this type and body, with a good check. */
static enum liteos_verdict parse_body(struct liteos_message *message, unsigned type, const char *hex)
{
	static uint8_t bytes[LITEOS_MESSAGE_MAX + 2];
	size_t n_body = from_hex(bytes + LITEOS_MESSAGE_HEAD, hex);
	uint16_t crc = crc16(bytes + LITEOS_MESSAGE_HEAD, n_body);

	bytes[0] = LITEOS_MAGIC;
	bytes[1] = (uint8_t)type;
	bytes[2] = (uint8_t)n_body;
	bytes[3] = (uint8_t)(n_body >> 8);
	bytes[4] = (uint8_t)crc;
	bytes[5] = (uint8_t)(crc >> 8);
	return liteos_message_parse(message, bytes, LITEOS_MESSAGE_HEAD + n_body, false);
}

#define FIRST                  \
	"020445000000"         \
	"03085544332211000000" \
	"050401000000"

static void check_shapes(void)
{
	struct liteos_message m;

	ok(parse_body(&m, 3, FIRST "060405000000") == LITEOS_IS_MESSAGE && !m.value[LITEOS_EVENT_PARAMS],
		"an event may end with its identity");
	ok(parse_body(&m, 3, FIRST) == LITEOS_NO_MESSAGE, "an event without identity is none");
	ok(parse_body(&m, 3,
		   FIRST "060405000000"
			 "080402000000") == LITEOS_IS_MESSAGE &&
			m.value[LITEOS_EVENT_PID],
		"an event without parameters may have a process");
	ok(parse_body(&m, 3,
		   FIRST "060405000000"
			 "080402000000"
			 "070401000000") == LITEOS_NO_MESSAGE,
		"elements in another order are none of an event");
	ok(parse_body(&m, 3,
		   FIRST "060405000000"
			 "070301000000") == LITEOS_NO_MESSAGE,
		"parameters are whole words");
	ok(parse_body(&m, 3,
		   FIRST "060405000000"
			 "0914"
			 "0000000000000000000000000000000000000000") == LITEOS_IS_MESSAGE &&
			m.value[LITEOS_EVENT_LR],
		"an event may have five link registers");
	ok(parse_body(&m, 3,
		   FIRST "060405000000"
			 "0910"
			 "00000000000000000000000000000000") == LITEOS_NO_MESSAGE,
		"four link registers are none");
	ok(parse_body(&m, 3, "") == LITEOS_NO_MESSAGE, "nothing with a good check is none");
	ok(parse_body(&m, 3,
		   FIRST "060405000000"
			 "07") == LITEOS_NO_MESSAGE,
		"a body that is there to its end, with a byte over, is not waited for");
	ok(parse_body(&m, 1, "0104785634130204010000000804007a030a") == LITEOS_NO_MESSAGE,
		"a head whose endian word is wrong is none");
	ok(parse_body(&m, 7,
		   "010411000000"
		   "0204efbeadde") == LITEOS_IS_MESSAGE &&
			m.is_repaired && m.kind == LITEOS_NOTIFY,
		"a type that there is not is put right");
	ok(parse_body(&m, 3,
		   FIRST "060405000000"
			 "0a00") == LITEOS_NO_MESSAGE,
		"an unknown element is none");
}

static void check_claims(void)
{
	struct liteos_message m;
	const uint8_t huge[] = { 0xff, 3, 0xff, 0xff, 0, 0 }, most[] = { 0xff, 3, 0x5d, 0x01, 0, 0 };

	ok(parse_exact(&m, huge, sizeof(huge), false) == LITEOS_NO_MESSAGE,
		"a body longer than all elements together is not waited for");
	ok(parse_exact(&m, most, sizeof(most), false) == LITEOS_IS_CUT,
		"a body as long as all elements together is waited for");
}

int main(void)
{
	for (size_t i = 0; i < N_VECTORS; i++) {
		check_whole(&vectors[i], false);
		check_whole(&vectors[i], true);
		check_flips(&vectors[i]);
	}
	check_elements();
	check_shapes();
	check_claims();
	return tap_done();
}
