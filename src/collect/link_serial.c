/* SPDX-License-Identifier: MIT */
/*
 * A serial device: eight bits, no parity, one stop bit, no flow control, and every byte as it is. The rate is given to the
 * kernel as a number (termios2, BOTHER), so that any will do that the device can make.
 */
#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "collect/link.h"

enum { RATE_PERCENT = 3 }; /* a UART reads on with a rate that is wrong by so much */

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

/* What has been received stays: it may be from before the link was lost. */
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

static enum rst_status open_serial(struct link *link, struct rst_error *err)
{
	enum rst_status status;

	link->fd = open(link->address, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (link->fd < 0)
		return link_refused(link, "open", errno, err);
	/* Of two readers each would get a part of the bytes. A device that knows no locks is left at that. */
	if (flock(link->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		status = link_refused(link, "open", EBUSY, err);
	else
		status = set_line(link, err);
	if (status < 0) {
		close(link->fd);
		link->fd = -1;
	}
	return status;
}

static ssize_t read_serial(struct link *link, uint8_t *room, size_t n_room)
{
	ssize_t n = read(link->fd, room, n_room);

	return n < 0 && errno == EIO ? 0 : n; /* so the system says that it is gone */
}

const struct link_kind link_serial = {
	.lost = "the device is gone",
	.can_send = true,
	.open = open_serial,
	.read = read_serial,
};
