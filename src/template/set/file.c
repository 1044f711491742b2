/* SPDX-License-Identifier: MIT */
/* Files of templates, whole in memory. */
#include "template/set/set.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"

enum {
	FILE_ROOM_FIRST = 64 * 1024,
	FILE_BYTES_MAX = 16 * 1024 * 1024, /* what is larger, or has no end, is no file of templates */
};

const char template_input_name[] = "<standard input>";

/* Takes text over; NULL, with text freed, when memory ran out. */
static struct template_file *new_file(const char *name, char *text, size_t n_bytes)
{
	static const char mark[] = "\xef\xbb\xbf"; /* some editors begin UTF-8 with it */
	enum { N_MARK = sizeof(mark) - 1 };
	struct template_file *file = calloc(1, sizeof(*file));
	char *copy = strdup(name);

	if (!file || !copy) {
		free(file);
		free(copy);
		free(text);
		return NULL;
	}
	if (n_bytes >= N_MARK && memcmp(text, mark, N_MARK) == 0)
		memmove(text, text + N_MARK, n_bytes -= N_MARK);
	text[n_bytes] = '\0';
	*file = (struct template_file){ .name = copy, .text = text, .n_bytes = n_bytes };
	return file;
}

struct template_file *template_file_of(const char *name, const char *text, size_t n_bytes)
{
	char *copy = malloc(n_bytes + 1);

	if (!copy)
		return NULL;
	if (n_bytes)
		memcpy(copy, text, n_bytes);
	return new_file(name, copy, n_bytes);
}

struct template_file *template_file_free(struct template_file *file)
{
	if (!file)
		return NULL;
	free((void *)(uintptr_t)file->name);
	free((void *)(uintptr_t)file->text);
	free(file);
	return NULL;
}

/* --- reading -------------------------------------------------------------------------------------------- */

struct text_buffer {
	char *text;
	size_t n_bytes, room; /* with one byte more for the NUL */
};

static bool grow_buffer(struct text_buffer *buffer)
{
	size_t room = buffer->room ? 2 * buffer->room : FILE_ROOM_FIRST;
	char *text = realloc(buffer->text, room + 1);

	if (!text)
		return false;
	buffer->text = text;
	buffer->room = room;
	return true;
}

static enum rst_status read_all(struct text_buffer *buffer, int fd, struct rst_error *err)
{
	for (;;) {
		ssize_t n;

		if (buffer->n_bytes > FILE_BYTES_MAX)
			return error_set(err, RST_E_IO, RST_NO_OFFSET,
				"larger than %d MiB, the most that is read", FILE_BYTES_MAX >> 20);
		if (buffer->n_bytes == buffer->room && !grow_buffer(buffer))
			return error_nomem(err);
		n = read(fd, buffer->text + buffer->n_bytes, buffer->room - buffer->n_bytes);
		if (n == 0)
			return RST_OK;
		if (n < 0 && errno != EINTR)
			return error_set(err, RST_E_IO, RST_NO_OFFSET, "%s", strerror(errno));
		buffer->n_bytes += n > 0 ? (size_t)n : 0;
	}
}

/* --- gzip ----------------------------------------------------------------------------------------------- */

static enum rst_status inflate_all(z_stream *stream, struct text_buffer *buffer, struct rst_error *err)
{
	for (;;) {
		int status;

		if (buffer->n_bytes > FILE_BYTES_MAX)
			return error_set(err, RST_E_IO, RST_NO_OFFSET,
				"larger than %d MiB, the most that is read", FILE_BYTES_MAX >> 20);
		if (buffer->n_bytes == buffer->room && !grow_buffer(buffer))
			return error_nomem(err);
		stream->next_out = (uint8_t *)buffer->text + buffer->n_bytes;
		stream->avail_out = (unsigned)(buffer->room - buffer->n_bytes);
		status = inflate(stream, Z_NO_FLUSH);
		buffer->n_bytes = buffer->room - stream->avail_out;
		if (status == Z_STREAM_END)
			return RST_OK;
		if (status == Z_MEM_ERROR)
			return error_nomem(err);
		if (status != Z_OK || (stream->avail_in == 0 && stream->avail_out > 0))
			return error_set(
				err, RST_E_IO, RST_NO_OFFSET, "what gzip compressed is damaged or cut");
	}
}

/* The text in the place of its compressed bytes. */
static enum rst_status unpack(struct text_buffer *buffer, struct rst_error *err)
{
	enum { WITH_GZIP_HEADER = 16 };
	struct text_buffer text = { NULL, 0, 0 };
	z_stream stream = { .next_in = (uint8_t *)buffer->text, .avail_in = (unsigned)buffer->n_bytes };
	enum rst_status status;

	if (inflateInit2(&stream, MAX_WBITS + WITH_GZIP_HEADER) != Z_OK)
		return error_nomem(err);
	status = inflate_all(&stream, &text, err);
	inflateEnd(&stream);
	free(buffer->text);
	*buffer = text;
	return status;
}

static bool is_packed(const struct text_buffer *buffer)
{
	return buffer->n_bytes > 2 && memcmp(buffer->text, "\x1f\x8b", 2) == 0;
}

static enum rst_status read_file(
	struct template_file **ret_file, int fd, const char *name, struct rst_error *err)
{
	struct text_buffer buffer = { NULL, 0, 0 };
	enum rst_status status = read_all(&buffer, fd, err);
	const bool has_gzip = status == RST_OK && is_packed(&buffer);

	if (has_gzip)
		status = unpack(&buffer, err);
	if (status != RST_OK) {
		free(buffer.text);
		return status;
	}
	*ret_file = new_file(name, buffer.text, buffer.n_bytes);
	if (!*ret_file)
		return error_nomem(err);
	(*ret_file)->is_packed = has_gzip;
	return RST_OK;
}

enum rst_status template_file_read(struct template_file **ret_file, const char *path, struct rst_error *err)
{
	bool is_input = strcmp(path, "-") == 0;
	const char *name = is_input ? template_input_name : path;
	int fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	enum rst_status status;

	*ret_file = NULL;
	if (fd < 0)
		status = error_set(err, RST_E_IO, RST_NO_OFFSET, "%s", strerror(errno));
	else
		status = read_file(ret_file, fd, name, err);
	if (status != RST_OK)
		error_name(err, name);
	if (fd >= 0 && !is_input)
		close(fd);
	return status;
}

/* --- the dialect ---------------------------------------------------------------------------------------- */

static const char *skip_spaces(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* The word behind `# dialect:` in a line, or an empty text. */
static struct text dialect_of_line(const char *at, const char *end)
{
	static const char word[] = "dialect:";
	enum { N_WORD = sizeof(word) - 1 };
	struct text dialect = { NULL, 0 };

	if (at == end || *at != '#')
		return dialect;
	at = skip_spaces(at + 1, end);
	if (end - at <= N_WORD || strncasecmp(at, word, N_WORD) != 0)
		return dialect;
	dialect.bytes = at = skip_spaces(at + N_WORD, end);
	while (at < end && *at != ' ' && *at != '\t' && *at != '\r')
		at++;
	dialect.n_bytes = (size_t)(at - dialect.bytes);
	return dialect;
}

struct text template_file_dialect(const struct template_file *file)
{
	const char *at = file->text, *end = at + file->n_bytes;

	while (at < end && (*at == '#' || *at == '*' || *at == '\n' || *at == '\r')) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;
		struct text dialect = dialect_of_line(at, line_end);

		if (dialect.n_bytes)
			return dialect;
		at = newline ? newline + 1 : end;
	}
	return (struct text){ "aix", 3 };
}

bool template_file_is_of(const struct template_file *file, const char *dialect)
{
	const struct text own = template_file_dialect(file);

	return strlen(dialect) == own.n_bytes && strncasecmp(dialect, own.bytes, own.n_bytes) == 0;
}
