/* SPDX-License-Identifier: MIT */
#include "view/terminal/screen.h"

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

/* States differ by their characters, so that readers can distinguish them without colours. */
const struct glyph glyphs[N_CLASSES] = {
	[RST_STATE_UNKNOWN] = { "·", ".", PAINT_FAINT, "not known" },
	[RST_STATE_RUNNING] = { "█", "#", PAINT_BLUE, "running" },
	[RST_STATE_READY] = { "▒", "+", PAINT_YELLOW, "ready" },
	[RST_STATE_WAITING] = { "─", "-", PAINT_PLAIN, "waiting" },
	[RST_STATE_INTERRUPTED] = { "┆", ":", PAINT_MAGENTA, "interrupted" },
	[RST_STATE_CREATED] = { "╴", "`", PAINT_FAINT, "not begun or ended" },
	[RST_STATE_ENDED] = { "╴", "`", PAINT_FAINT, "not begun or ended" },
	[RST_STATE_IDLE] = { "_", "_", PAINT_FAINT, "idle" },
	[RST_STATE_INTERRUPT] = { "▓", "%", PAINT_MAGENTA, "interrupt" },
	[RST_STATE_HELD] = { "■", "H", PAINT_GREEN, "held" },
	[CLASS_ON] = { "▬", "=", PAINT_CYAN, "on" },
	[CLASS_WAITING + RST_REASON_NONE] = { "─", "-", PAINT_PLAIN, "waiting" },
	[CLASS_WAITING + RST_REASON_SLEEP] = { "┄", "~", PAINT_FAINT, "asleep" },
	[CLASS_WAITING + RST_REASON_LOCK] = { "╳", "x", PAINT_RED, "waiting for a lock" },
	[CLASS_WAITING + RST_REASON_SEMAPHORE] = { "─", "-", PAINT_PLAIN, "waiting" },
	[CLASS_WAITING + RST_REASON_QUEUE] = { "─", "-", PAINT_PLAIN, "waiting" },
	[CLASS_WAITING + RST_REASON_FLAGS] = { "─", "-", PAINT_PLAIN, "waiting" },
	[CLASS_WAITING + RST_REASON_MEMORY] = { "─", "-", PAINT_PLAIN, "waiting" },
	[CLASS_WAITING + RST_REASON_IO] = { "─", "-", PAINT_PLAIN, "waiting" },
	[CLASS_WAITING + RST_REASON_JOIN] = { "─", "-", PAINT_PLAIN, "waiting" },
	[CLASS_WAITING + RST_REASON_CHILD] = { "─", "-", PAINT_PLAIN, "waiting" },
	[CLASS_WAITING + RST_REASON_SUSPENDED] = { "╌", "s", PAINT_FAINT, "suspended" },
	[CLASS_WAITING + RST_REASON_OTHER] = { "─", "-", PAINT_PLAIN, "waiting" },
};

const char *glyph_level(const struct screen *screen, double share)
{
	static const char *const utf8[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const ascii[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9" };
	const unsigned n = screen->is_utf8 ? 8 : 10;
	const unsigned step = share >= 1 ? n - 1 : share <= 0 ? 0 : 1 + (unsigned)(share * (n - 2));

	return screen->is_utf8 ? utf8[step] : ascii[step];
}

static const short paint_colors[N_PAINTS] = {
	[PAINT_PLAIN] = -1,
	[PAINT_BLUE] = COLOR_BLUE,
	[PAINT_YELLOW] = COLOR_YELLOW,
	[PAINT_RED] = COLOR_RED,
	[PAINT_MAGENTA] = COLOR_MAGENTA,
	[PAINT_GREEN] = COLOR_GREEN,
	[PAINT_CYAN] = COLOR_CYAN,
	[PAINT_FAINT] = -1,
};

static void colors_begin(void)
{
	start_color();
	use_default_colors();
	for (short i = 1; i < N_PAINTS; i++)
		init_pair(i, paint_colors[i], -1);
}

/* Messages of readers would break the picture, so they wait until the end. */
static void messages_hold(struct screen *screen)
{
	screen->held_stderr = -1;
	screen->messages = memfd_create("messages", MFD_CLOEXEC);
	if (screen->messages < 0 || !isatty(STDERR_FILENO))
		return;
	screen->held_stderr = dup(STDERR_FILENO);
	if (screen->held_stderr >= 0)
		dup2(screen->messages, STDERR_FILENO);
}

static void messages_release(struct screen *screen)
{
	char bytes[4096];
	off_t at = 0;

	fflush(stderr);
	if (screen->held_stderr >= 0) {
		dup2(screen->held_stderr, STDERR_FILENO);
		close(screen->held_stderr);
		for (ssize_t n; (n = pread(screen->messages, bytes, sizeof(bytes), at)) > 0; at += n)
			if (write(STDERR_FILENO, bytes, (size_t)n) != n)
				break;
	}
	if (screen->messages >= 0)
		close(screen->messages);
}

enum rst_status screen_check(struct rst_error *err)
{
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return RST_OK;
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "timeline needs a terminal for its input and its output");
	error_advise(err, "`rastrum draw` and `rastrum report --intervals` need none");
	return RST_E_USAGE;
}

enum rst_status screen_begin(struct screen *screen, const struct screen_look *look, struct rst_error *err)
{
	const char *term = getenv("TERM");
	SCREEN *terminal;

	setlocale(LC_CTYPE, "");
	screen->is_utf8 = !look->is_ascii && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal) {
		error_set(err, RST_E_USAGE, RST_NO_OFFSET, "this terminal is not known: TERM is '%.40s'",
			term ? term : "");
		error_advise(err, "set TERM");
		return RST_E_USAGE;
	}
	screen->terminal = terminal;
	screen->has_color = has_colors() && look->wants_color;
	if (screen->has_color)
		colors_begin();
	set_escdelay(25);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, true);
	nodelay(stdscr, true);
	curs_set(0);
	messages_hold(screen);
	return RST_OK;
}

void screen_end(struct screen *screen)
{
	endwin();
	delscreen(screen->terminal);
	messages_release(screen);
}

void screen_suspend(void)
{
	endwin();
	kill(getpid(), SIGSTOP);
	clearok(curscr, true);
	refresh();
}

void screen_resize(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	clearok(curscr, true);
}

static attr_t attributes(const struct screen *screen, enum paint paint, unsigned style)
{
	attr_t attr = (style & STYLE_BOLD ? A_BOLD : 0) | (style & STYLE_REVERSE ? A_REVERSE : 0);

	if (screen->has_color)
		attr |= (attr_t)COLOR_PAIR(paint) | (paint == PAINT_FAINT ? A_DIM : 0);
	return attr;
}

/*
 * The next character of clean text: its bytes, and what is shown in place of what the terminal cannot show.
 */
static size_t next_character(
	const struct screen *screen, const char *text, const char **ret_shown, size_t *ret_n)
{
	const uint8_t *bytes = (const uint8_t *)text;
	const size_t n =
		*bytes < 0x80 ? (*bytes >= 0x20 && *bytes < 0x7f) : text_utf8_bytes(bytes, strnlen(text, 4));

	*ret_shown = n == 0 || (n > 1 && !screen->is_utf8) ? "?" : text;
	*ret_n = *ret_shown == text ? n : 1;
	return n ? n : 1;
}

int screen_text(const struct screen *screen, int line, int column, int n_columns, enum paint paint,
	unsigned style, const char *text)
{
	int n_taken = 0;

	if (line < 0 || line >= screen->n_lines || column < 0 || move(line, column) == ERR)
		return 0;
	attrset((int)attributes(screen, paint, style));
	while (*text) {
		const char *shown;
		size_t n_shown;
		const size_t n = next_character(screen, text, &shown, &n_shown);
		const int width = (int)text_columns(shown, n_shown);

		if (n_taken + width > n_columns || column + n_taken + width > screen->n_columns)
			break;
		addnstr(shown, (int)n_shown);
		n_taken += width;
		text += n;
	}
	attrset(A_NORMAL);
	return n_taken;
}
