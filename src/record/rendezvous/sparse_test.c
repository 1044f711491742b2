/* SPDX-License-Identifier: MIT */
#include "record/rendezvous/sparse.h"
#include "tests/tap.h"
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096u

/*
 * A file that ends in the midst of its mapping stands for a file system that has no more room: both are a
 * SIGBUS.
 */
static unsigned char *map_cut(int *ret_fd)
{
	*ret_fd = memfd_create("sparse", 0);
	if (*ret_fd < 0 || ftruncate(*ret_fd, 4 * PAGE) < 0)
		return NULL;
	return mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, *ret_fd, 0);
}

int main(void)
{
	struct stat st;
	int fd;
	unsigned char *memory = map_cut(&fd);

	ok(memory && memory != MAP_FAILED, "a mapping is longer than its file");
	errno = 42;
	ok(sparse_get(memory, 0), "no bytes are always there");
	ok(sparse_get(memory + PAGE - 1, 2) && fstat(fd, &st) == 0 &&
			st.st_blocks * 512 == 2 * (blkcnt_t)PAGE,
		"each page of a range is got, and no other");
	memory[PAGE] = 7;
	ok(sparse_get(memory, 4 * PAGE) && memory[PAGE] == 7 && memory[PAGE - 1] == 0,
		"what is in them stays");
	ok(!sparse_get(memory + 3 * PAGE, 2 * PAGE) && !sparse_get(memory + 4 * PAGE, 1),
		"what cannot be had is reported, without a signal");
	is_number((unsigned)errno, 42, "errno is kept");
	return tap_done();
}
