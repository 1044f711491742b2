/* SPDX-License-Identifier: MIT */
/*
 * A serial device: eight bits, no parity, one stop bit, no flow control, and every byte as it is. The kernel
 * gets the rate as a number (termios2, BOTHER), so any rate works that the device can make.
 */
#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/serial.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "input/live/holder.h"
#include "input/live/link.h"

enum { RATE_PERCENT = 3 }; /* a UART still works if its rate is wrong by this much */

static bool is_near(uint64_t rate, uint64_t wanted)
{
	return rate * 100 >= wanted * (100 - RATE_PERCENT) && rate * 100 <= wanted * (100 + RATE_PERCENT);
}

static enum rst_status refuse_rate(const struct link *link, unsigned rate, struct rst_error *err)
{
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "the device cannot do %llu baud, it took %u",
		(unsigned long long)link->baud, rate);
	error_name(err, link->name);
	return RST_E_USAGE;
}

/* Keeps the bytes already received: they may be from before the link was lost. */
static enum rst_status set_line(const struct link *link, struct rst_error *err)
{
	struct termios2 line;

	if (ioctl(link->fd, TCGETS2, &line) != 0)
		return link_refused(link, "read as a serial device", errno, err);
	line.c_iflag = IGNBRK;
	line.c_oflag = 0;
	line.c_lflag = 0;
	line.c_cflag = CS8 | CREAD | CLOCAL | BOTHER | BOTHER << IBSHIFT;
	line.c_cc[VMIN] = 1;
	line.c_cc[VTIME] = 0;
	line.c_ispeed = line.c_ospeed = (speed_t)link->baud;
	if (ioctl(link->fd, TCSETS2, &line) != 0 || ioctl(link->fd, TCGETS2, &line) != 0)
		return link_refused(link, "set the line", errno, err);
	return is_near(line.c_ospeed, link->baud) ? RST_OK : refuse_rate(link, line.c_ospeed, err);
}

/* Reads the driver's counts. *ret_now is all 0 if the driver does not count. */
static void read_counts(const struct link *link, uint32_t ret_now[LINK_N_COUNTS])
{
	struct serial_icounter_struct counts = { 0 };

	memset(ret_now, 0, LINK_N_COUNTS * sizeof(*ret_now));
	if (ioctl(link->fd, TIOCGICOUNT, &counts) != 0)
		return;
	ret_now[LINK_OVERRUNS] = (uint32_t)counts.overrun;
	ret_now[LINK_FULL] = (uint32_t)counts.buf_overrun;
	ret_now[LINK_FRAMING] = (uint32_t)counts.frame;
	ret_now[LINK_PARITY] = (uint32_t)counts.parity;
}

static void count_errors(struct link *link)
{
	uint32_t now[LINK_N_COUNTS];

	read_counts(link, now);
	for (unsigned which = LINK_OVERRUNS; which < LINK_N_COUNTS; which++)
		link_counted(link, (enum link_count)which, now[which]);
}

/* Starts from the present counts, since those of a device go on from its last user. */
static void begin_counts(struct link *link)
{
	uint32_t now[LINK_N_COUNTS];

	read_counts(link, now);
	for (unsigned which = LINK_OVERRUNS; which < LINK_N_COUNTS; which++)
		link_count_from(link, (enum link_count)which, now[which]);
}

/* Names the holder if /proc shows it: /proc shows the user's own processes, and all of them to root. */
static enum rst_status refuse_busy(const struct link *link, struct rst_error *err)
{
	struct holder holder;

	link_refused(link, "open", EBUSY, err);
	if (holder_find(link->address, &holder))
		error_advise(err, "process %ld (%s) has it", holder.pid, holder.name);
	else
		error_advise(err, "another process has it; `sudo fuser -v %s` names it", link->address);
	return RST_E_IO;
}

static enum rst_status open_serial(struct link *link, struct rst_error *err)
{
	enum rst_status status;

	link->fd = open(link->address, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (link->fd < 0)
		return errno == EBUSY ? refuse_busy(link, err) : link_refused(link, "open", errno, err);
	/* Two readers would each get a part of the bytes. A device without locks is used without one. */
	if (flock(link->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		status = refuse_busy(link, err);
	else
		status = set_line(link, err);
	if (status < 0) {
		close(link->fd);
		link->fd = -1;
		return status;
	}
	begin_counts(link);
	return status;
}

/* Bytes lost in an overrun are missing among the bytes that are there now. */
static ssize_t read_serial(struct link *link, uint8_t *room, size_t n_room)
{
	ssize_t n;

	count_errors(link);
	if (link->is_missing) {
		errno = EAGAIN;
		return -1;
	}
	n = read(link->fd, room, n_room);
	return n < 0 && errno == EIO ? 0 : n; /* EIO reports that the device is gone */
}

static void tell_line(const struct link *link)
{
	link_notify(link, "reading at %" PRIu64 " baud, 8N1; Ctrl-C ends the report", link->baud);
}

const struct link_kind link_serial = {
	.lost = "the device is gone",
	.doubt = "are --baud and --dialect right?",
	.tell_begun = tell_line,
	.can_send = true,
	.open = open_serial,
	.read = read_serial,
	.count = count_errors,
};
