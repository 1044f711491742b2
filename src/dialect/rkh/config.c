/* SPDX-License-Identifier: MIT */
/*
 * The build settings of a target: the defaults, the user's settings, and the frame that announces them
 * (RKH_TE_FWK_TCFG).
 *
 * Since 2.4.4 that frame is an id and 13 bytes, without sequence number and time stamp:
 *
 *	version:16  options:32  sig|stamp  ptr|ntick  nblk|ne  -|esize  bsize|pools  hz:16
 *
 * It has a checksum if the target uses them; only its own option bits show that. The older forms are ordinary
 * frames:
 *
 *	2.4.3      version:16  options:16  sig|stamp  ptr|ntick  nblk|ne  esize|seq  checksum|has stamp  bsize|pools
 *	2.3        sig|stamp  ptr|ntick  nblk|ne  esize|seq  checksum|has stamp
 *
 * so the parser tries each form of the fields in front until the announcement agrees with the form tried.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/load.h"
#include "base/text.h"
#include "dialect/rkh/rkh.h"

/* --- settings ------------------------------------------------------------------------------------------- */

struct setting {
	size_t offset;	 /* in struct rkh_layout */
	unsigned values; /* bit n: n is possible */
};

enum { WIDTH_124 = 1 << 1 | 1 << 2 | 1 << 4, WIDTH_248 = 1 << 2 | 1 << 4 | 1 << 8, YES_NO = 1 << 0 | 1 << 1 };

const struct dialect_option rkh_options[] = {
	{ "te", "1|2|4", "bytes of an event id; the configuration frame has this and all below" },
	{ "fptr", "2|4|8", "bytes of a function's address, default as ptr" },
	{ "chk", "0|1", "whether frames have a checksum, default 1" },
	{ "nseq", "0|1", "whether frames have a sequence number, default 1" },
	{ "ts", "0|1", "whether frames have a time stamp, default 1" },
	{ "tssz", "1|2|4", "bytes of a time stamp, default 4" },
	{ "ptr", "2|4|8", "bytes of an address, default 4" },
	{ "sig", "1|2|4", "bytes of a signal, default 1" },
	{ "esize", "1|2|4", "bytes of the size of an event, default 2" },
	{ "ntick", "1|2|4", "bytes of a number of ticks, default 2" },
	{ "nblk", "1|2|4", "bytes of a number of blocks, default 1" },
	{ "bsize", "1|2|4", "bytes of the size of a block, default 1" },
	{ "ne", "1|2|4", "bytes of a number of elements, default 1" },
	{ "sender", "0|1", "whether events have their sender, default 0" },
	{ "quelwm", "0|1", "whether events have the low mark of queues, default 0" },
	{ "mplwm", "0|1", "whether events have the low mark of pools, default 0" },
	{ "version", "2.3|2.4.3|2.4.4|2.4.5|3", "release that numbers the events, default 3" },
	{ "symbols", "FILE", "names: a stream with the symbol events of the target" },
	{ NULL, NULL, NULL },
};

/* The numeric settings, in the order of rkh_options. */
#define AT(member) offsetof(struct rkh_layout, member)
static const struct setting settings[] = {
	{ AT(te), WIDTH_124 },
	{ AT(fptr), WIDTH_248 },
	{ AT(has_checksum), YES_NO },
	{ AT(has_seq), YES_NO },
	{ AT(has_stamp), YES_NO },
	{ AT(stamp), WIDTH_124 },
	{ AT(ptr), WIDTH_248 },
	{ AT(sig), WIDTH_124 },
	{ AT(esize), WIDTH_124 },
	{ AT(ntick), WIDTH_124 },
	{ AT(nblk), WIDTH_124 },
	{ AT(bsize), WIDTH_124 },
	{ AT(ne), WIDTH_124 },
	{ AT(has_sender), YES_NO },
	{ AT(has_queue_low), YES_NO },
	{ AT(has_pool_low), YES_NO },
};

enum { N_SETTINGS = sizeof(settings) / sizeof(settings[0]), GIVEN_VERSION = N_SETTINGS, SETTING_FPTR = 1 };

static const struct {
	const char *name;
	uint16_t version;
} releases[] = {
	{ "2.3", RKH_2_3 },
	{ "2.4.3", RKH_2_4_3 },
	{ "2.4.4", RKH_2_4_4 },
	{ "2.4.5", RKH_2_4_5 },
	{ "3", RKH_3_4 },
};

static uint8_t *setting_in(struct rkh_layout *layout, size_t setting)
{
	return (uint8_t *)layout + settings[setting].offset;
}

static enum rst_status take_number(
	struct rkh *rkh, const struct rst_open *how, size_t setting, struct rst_error *err)
{
	const char *value = dialect_setting(how, rkh_options[setting].key);
	uint64_t number;

	if (!value)
		return RST_OK;
	if (!text_parse_u64(value, &number) || number > 8 || !(settings[setting].values >> number & 1))
		return dialect_bad_setting(&dialect_rkh, rkh_options[setting].key, value, err);
	*setting_in(&rkh->wanted, setting) = (uint8_t)number;
	rkh->given |= 1U << setting;
	return RST_OK;
}

static enum rst_status take_version(struct rkh *rkh, const struct rst_open *how, struct rst_error *err)
{
	const char *value = dialect_setting(how, "version");

	if (!value)
		return RST_OK;
	for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
		if (strcmp(value, releases[i].name) != 0)
			continue;
		rkh->wanted.version = releases[i].version;
		rkh->given |= 1U << GIVEN_VERSION;
		return RST_OK;
	}
	return dialect_bad_setting(&dialect_rkh, "version", value, err);
}

enum rst_status rkh_config_open(struct rkh *rkh, const struct rst_open *how, struct rst_error *err)
{
	for (size_t i = 0; i < N_SETTINGS; i++)
		error_try(take_number(rkh, how, i, err));
	return take_version(rkh, how, err);
}

void rkh_config_override(const struct rkh *rkh, struct rkh_layout *layout)
{
	struct rkh_layout wanted = rkh->wanted;

	for (size_t i = 0; i < N_SETTINGS; i++)
		if (rkh->given >> i & 1)
			*setting_in(layout, i) = *setting_in(&wanted, i);
	if (!(rkh->given >> SETTING_FPTR & 1))
		layout->fptr = layout->ptr;
	if (rkh->given >> GIVEN_VERSION & 1)
		layout->version = wanted.version;
}

/* --- the announcement ----------------------------------------------------------------------------------- */

enum {
	OPTION_SENDER = 0,
	OPTION_QUEUE_LOW = 11,
	OPTION_POOL_LOW = 12,
	OPTION_SEQ = 15,
	OPTION_STAMP = 16,
	OPTION_CHECKSUM = 17,
	N_OPTIONS = 18,
	NEW_BYTES = 13,
	MIDDLE_BYTES = 10,
	OLD_BYTES = 5,
	ID_NEW = 0xac,
	ID_2_4_5 = 0xae,
	ID_OLD = 0xad,
	EVENT_NEW = 12,
};

static const char *const option_names[N_OPTIONS] = { "sender", "rtfil", "user", "all", "mp", "que", "sma",
	"tmr", "sm", "fwk", "assert", "quelwm", "mplwm", "rtfil_sma", "rtfil_signal", "nseq", "ts", "chk" };

static bool is_width(uint8_t value, unsigned widths)
{
	return value <= 8 && widths >> value & 1;
}

static bool layout_is_possible(const struct rkh_layout *layout)
{
	return is_width(layout->sig, WIDTH_124) && is_width(layout->ptr, WIDTH_248) &&
	       is_width(layout->ntick, WIDTH_124) && is_width(layout->nblk, WIDTH_124) &&
	       is_width(layout->ne, WIDTH_124) && is_width(layout->esize, WIDTH_124) &&
	       is_width(layout->bsize, WIDTH_124) &&
	       (!layout->has_stamp || is_width(layout->stamp, WIDTH_124));
}

/* Three bytes that all forms have. */
static void take_widths(struct rkh_layout *layout, const uint8_t *at)
{
	layout->sig = at[0] >> 4;
	layout->stamp = at[0] & 0xf;
	layout->ptr = layout->fptr = at[1] >> 4;
	layout->ntick = at[1] & 0xf;
	layout->nblk = at[2] >> 4;
	layout->ne = at[2] & 0xf;
}

static void take_options(struct rkh_config *config, uint64_t options)
{
	config->options = options;
	config->layout.has_sender = options >> OPTION_SENDER & 1;
	config->layout.has_queue_low = options >> OPTION_QUEUE_LOW & 1;
	config->layout.has_pool_low = options >> OPTION_POOL_LOW & 1;
}

static bool parse_new(struct rkh_config *config, unsigned te, const uint8_t *args)
{
	struct rkh_layout *layout = &config->layout;

	*config = (struct rkh_config){ .layout = { .te = (uint8_t)te } };
	layout->version = load_u16(args, false);
	take_options(config, load_u32(args + 2, false));
	layout->has_seq = config->options >> OPTION_SEQ & 1;
	layout->has_stamp = config->options >> OPTION_STAMP & 1;
	layout->has_checksum = config->options >> OPTION_CHECKSUM & 1;
	take_widths(layout, args + 6);
	layout->esize = args[9] & 0xf;
	layout->bsize = args[10] >> 4;
	config->n_pools = args[10] & 0xf;
	config->clock_hz = load_u16(args + 11, false);
	return layout_is_possible(layout);
}

/* Both forms have these five bytes, which also describe the frame itself. */
static bool parse_sizes(struct rkh_config *config, const uint8_t *at)
{
	struct rkh_layout *layout = &config->layout;

	take_widths(layout, at);
	layout->esize = at[3] >> 4;
	layout->has_seq = at[3] & 0xf;
	layout->has_checksum = at[4] >> 4;
	layout->has_stamp = at[4] & 0xf;
	layout->bsize = 1;
	return layout->has_seq <= 1 && layout->has_checksum <= 1 && layout->has_stamp <= 1;
}

/*
 * Parses an ordinary frame with n_args bytes of arguments. They must announce the fields that are in front of
 * them.
 */
static bool parse_ordinary(struct rkh_config *config, const uint8_t *bytes, size_t n_bytes, size_t n_args)
{
	const bool is_middle = n_args == MIDDLE_BYTES;
	struct rkh_layout *layout = &config->layout;

	for (size_t has_checksum = 0; has_checksum <= 1 && n_bytes > n_args + has_checksum; has_checksum++) {
		size_t n_head = n_bytes - n_args - has_checksum;
		const uint8_t *args = bytes + n_head;

		*config = (struct rkh_config){ .layout = { .te = 1, .version = RKH_2_3 } };
		if (!parse_sizes(config, args + (is_middle ? 4 : 0)) || layout->has_checksum != has_checksum)
			continue;
		if (is_middle) {
			layout->version = load_u16(args, false);
			take_options(config, load_u16(args + 2, false));
			layout->bsize = args[9] >> 4;
			config->n_pools = args[9] & 0xf;
		}
		if (n_head == 1U + layout->has_seq + (layout->has_stamp ? layout->stamp : 0U) &&
			layout->version == (is_middle ? RKH_2_4_3 : RKH_2_3) && layout_is_possible(layout))
			return true;
	}
	return false;
}

bool rkh_config_is_id(const uint8_t *bytes, size_t n_bytes, unsigned n_id)
{
	const uint32_t group_event = EVENT_NEW;

	if ((n_id == 0 || n_id == 1) && n_bytes > 1 && bytes[0] >= ID_NEW && bytes[0] <= ID_2_4_5)
		return true;
	if ((n_id == 0 || n_id == 2) && n_bytes > 2 && load_u16(bytes, false) == (RKH_FWK << 8 | group_event))
		return true;
	return (n_id == 0 || n_id == 4) && n_bytes > 4 &&
	       load_u32(bytes, false) == ((uint32_t)RKH_FWK << 24 | group_event);
}

/* Without a checksum, or with a right one. */
static bool parse_as(
	struct rkh_config *config, unsigned te, const uint8_t *bytes, size_t n_bytes, bool is_summed)
{
	bool has_sum = n_bytes == te + NEW_BYTES + 1U;

	if (n_bytes != te + NEW_BYTES && !has_sum)
		return false;
	if (has_sum && !is_summed)
		return false;
	return parse_new(config, te, bytes + te) && (has_sum || !config->layout.has_checksum);
}

static bool version_is(const struct rkh_config *config, uint16_t since, uint16_t before)
{
	return config->layout.version >= since && config->layout.version < before;
}

bool rkh_config_parse(struct rkh_config *ret_config, const struct rkh_layout *now, const uint8_t *bytes,
	size_t n_bytes, bool is_summed)
{
	enum { BEFORE_4 = 0x4000 };
	static const struct {
		uint8_t te, id;
		uint16_t since, before;
	} forms[] = {
		{ 1, ID_NEW, RKH_3, BEFORE_4 },
		{ 2, EVENT_NEW, RKH_3, BEFORE_4 },
		{ 4, EVENT_NEW, RKH_3, BEFORE_4 },
		{ 1, ID_2_4_5, RKH_2_4_5, RKH_3 },
		{ 1, ID_OLD, RKH_2_4_4, RKH_2_4_5 },
	};
	unsigned n_id = now ? now->te : 0;
	bool is_3 = now && now->version >= RKH_3;

	if (!rkh_config_is_id(bytes, n_bytes, n_id))
		return false;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (forms[i].id == bytes[0] && !(is_3 && forms[i].since < RKH_3) &&
			(n_id == 0 || n_id == forms[i].te) && rkh_config_is_id(bytes, n_bytes, forms[i].te) &&
			parse_as(ret_config, forms[i].te, bytes, n_bytes, is_summed) &&
			version_is(ret_config, forms[i].since, forms[i].before))
			return true;
	return bytes[0] == ID_OLD && n_id <= 1 && !is_3 &&
	       (parse_ordinary(ret_config, bytes, n_bytes, MIDDLE_BYTES) ||
		       parse_ordinary(ret_config, bytes, n_bytes, OLD_BYTES)) &&
	       (is_summed || !ret_config->layout.has_checksum);
}

/* --- what follows from it ------------------------------------------------------------------------------- */

/*
 * The announcement has only 16 bits for the frequency: 1000000 is announced as 16960. A number that people
 * choose (a power of two, or one or two digits and zeros) is trusted; any other number may have lost its high
 * bits.
 */
static bool hz_is_chosen(uint16_t hz)
{
	unsigned digits = hz;

	while (digits >= 10 && digits % 10 == 0)
		digits /= 10;
	return hz != 0 && ((hz & (hz - 1)) == 0 || digits < 100);
}

static bool use_clock(struct rkh *rkh, struct model *model, const struct rkh_config *config)
{
	if (rkh->wanted_hz || !config->layout.has_stamp) {
		model->clock_hz = config->layout.has_stamp ? rkh->wanted_hz : 0;
		return true;
	}
	model->clock_hz = hz_is_chosen(config->clock_hz) ? config->clock_hz : 0;
	return model->clock_hz || config->clock_hz == 0 ||
	       model_warn(model,
		       "the target announces a clock of %u Hz, in a number of 16 bits that may have been "
		       "cut: --clock-hz says how fast it is",
		       config->clock_hz);
}

static size_t put_version(char *text, size_t room, uint16_t version)
{
	int n = version < RKH_2_4_3 ? snprintf(text, room, "%x.%x", version >> 12, version >> 8 & 0xf)
				    : snprintf(text, room, "%x.%x.%02x", version >> 12, version >> 8 & 0xf,
					      version & 0xff);

	return (size_t)n + 1;
}

static void put_options(char *text, uint64_t options)
{
	char *p = text;

	for (unsigned i = 0; i < N_OPTIONS; i++) {
		if (!(options >> i & 1))
			continue;
		if (p > text)
			*p++ = ' ';
		p = text_put(p, option_names[i], strlen(option_names[i]));
	}
	*p = '\0';
}

static struct rst_detail number_detail(const char *name, uint64_t value)
{
	return (struct rst_detail){ .name = name, .type = RST_DETAIL_NUMBER, .number = value };
}

static struct rst_detail text_detail(const char *name, const char *text)
{
	return (struct rst_detail){ .name = name, .type = RST_DETAIL_TEXT, .text = text };
}

/* Shows the announced values, without the user's settings. Allocates its memory once. */
static bool config_show(struct rkh *rkh, struct model *model, const struct rkh_config *config)
{
	enum { N_OTHER = 4, TEXT_ROOM = 256 };
	static const uint8_t order[] = { 0, 3, 4, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	struct rkh_layout layout = config->layout;
	struct rst_detail *detail = &model->details[rkh->config_detail], *items = rkh->config_details;
	size_t n = 0, n_version;

	if (!items) {
		items = rkh->config_details =
			arena_alloc(&model->arena, (N_OTHER + sizeof(order)) * sizeof(*items) + TEXT_ROOM);
		if (!items)
			return false;
	}
	char *text = (char *)(items + N_OTHER + sizeof(order));

	n_version = put_version(text, TEXT_ROOM, layout.version);
	put_options(text + n_version, config->options);
	items[n++] = text_detail("version", text);
	items[n++] = number_detail("ts_hz", config->clock_hz);
	items[n++] = number_detail("max_pools", config->n_pools);
	items[n++] = text_detail("options", text + n_version);
	for (size_t i = 0; i < sizeof(order); i++)
		items[n++] = number_detail(rkh_options[order[i]].key, *setting_in(&layout, order[i]));
	*detail = (struct rst_detail){
		.name = "config", .type = RST_DETAIL_GROUP, .n_items = n, .items = items
	};
	return true;
}

void rkh_config_clock(struct rkh *rkh, struct model *model)
{
	const struct rkh_layout *layout = &rkh->config.layout;

	clock_init(&rkh->clock, (uint64_t)1 << (8 * layout->stamp & 63), false);
	model->clock_bits = layout->has_stamp ? 8U * layout->stamp : 0;
	if (!layout->has_stamp)
		model->clock_hz = 0;
	rkh->wants_rebase = true;
}

bool rkh_config_use(struct rkh *rkh, struct model *model, const struct rkh_config *config)
{
	struct rkh_config now = *config;
	struct rkh_layout before = rkh->config.layout;
	bool is_news;

	rkh_config_override(rkh, &now.layout);
	is_news = !rkh->is_announced || memcmp(&now.layout, &before, sizeof(before)) != 0 ||
		  now.clock_hz != rkh->config.clock_hz || now.options != rkh->config.options;
	if (!is_news)
		return true;
	if (!rkh_bind_layout(rkh, model, &now.layout))
		return false;
	if (memcmp(&rkh->bound->layout, &now.layout, sizeof(now.layout)) != 0)
		return true; /* one too many */
	rkh->config = now;
	rkh->is_announced = true;
	if (now.layout.stamp != before.stamp || now.layout.has_stamp != before.has_stamp)
		rkh_config_clock(rkh, model);
	return use_clock(rkh, model, &now) && config_show(rkh, model, config);
}
