/* SPDX-License-Identifier: MIT */
/*
 * --system puts libraries in front of a program; the loader loads these libraries first. A program that is
 * linked statically has no loader. The loader ignores the libraries if the program gains rights when it
 * starts (set-user-ID and similar). Such programs are refused, so that they are not recorded without a
 * message.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/installed.h"
#include "cli/record/record.h"

/* --- the libraries -------------------------------------------------------------------------------------- */

/*
 * By the name that programs load it by: the shorter one is for the linker, and is absent where nothing is
 * built.
 */
#define RECORDER "libposixtrace.so.0"
static const char *const libraries[] = { "librastrum-preload.so", RECORDER };
enum { N_LIBRARIES = sizeof(libraries) / sizeof(libraries[0]) };

static enum rst_status list_libraries(char *ret_list, size_t list_bytes, struct rst_error *err)
{
	char path[PATH_MAX];
	size_t n = 0;

	for (size_t i = 0; i < N_LIBRARIES; i++) {
		error_try(installed_find(INSTALLED_LIBRARY, libraries[i], "--system", path, err));
		/* The variable's separators. */
		if (strpbrk(path, " :")) {
			error_set(err, RST_E_UNSUPPORTED, RST_NO_OFFSET,
				"LD_PRELOAD cannot name this library, for its path has a blank or colon");
			error_name(err, path);
			error_advise(err, "install Rastrum elsewhere");
			return RST_E_UNSUPPORTED;
		}
		n += (size_t)snprintf(ret_list + n, list_bytes - n, "%s%s", n ? ":" : "", path);
	}
	return RST_OK;
}

/* --- the program ---------------------------------------------------------------------------------------- */

/* The loader that the file names. */
struct loading {
	bool is_elf;
	bool has_loader;
	char loader[PATH_MAX];
};

static bool read_loader(int fd, Elf *elf, struct loading *ret_loading)
{
	size_t n_headers = 0;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &n_headers) != 0)
		return false;
	for (int i = 0; i < (int)n_headers && i < PN_XNUM; i++) {
		ssize_t n;

		if (!gelf_getphdr(elf, i, &header) || header.p_type != PT_INTERP)
			continue;
		n = pread(fd, ret_loading->loader, sizeof(ret_loading->loader) - 1, (off_t)header.p_offset);
		ret_loading->has_loader = n > 0;
		ret_loading->loader[n > 0 ? n : 0] = '\0';
		break;
	}
	return true;
}

static void look_at_elf(int fd, struct loading *ret_loading)
{
	Elf *elf = elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;

	memset(ret_loading, 0, sizeof(*ret_loading));
	ret_loading->is_elf = elf && elf_kind(elf) == ELF_K_ELF && read_loader(fd, elf, ret_loading);
	if (elf)
		elf_end(elf);
}

/* "#!INTERPRETER ARGUMENT": what really runs. */
static bool read_script(int fd, char ret_interpreter[PATH_MAX])
{
	char line[PATH_MAX] = "", *word = line + 2;
	ssize_t n = pread(fd, line, sizeof(line) - 1, 0);

	if (n < 3 || memcmp(line, "#!", 2) != 0)
		return false;
	word += strspn(word, " \t");
	word[strcspn(word, " \t\r\n")] = '\0';
	strcpy(ret_interpreter, word);
	return true;
}

/* Whether being started gives the process rights that its user has not. */
static bool gains_rights(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	return (st.st_mode & S_ISUID && st.st_uid != getuid()) ||
	       ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getgid()) ||
	       (getuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0);
}

/*
 * The file that exec ends at; interpreters of interpreters are followed as far as the kernel does. Returns -1
 * if it cannot be read.
 */
static int open_program(const char *program, char ret_path[PATH_MAX])
{
	enum { DEPTH_MAX = 5 };
	char next[PATH_MAX];
	int fd = -1;

	snprintf(ret_path, PATH_MAX, "%s", program);
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		fd = open(ret_path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || !read_script(fd, next))
			break;
		close(fd);
		fd = -1;
		strcpy(ret_path, next);
	}
	return fd;
}

static enum rst_status program_refuse(const char *program, const char *why, struct rst_error *err)
{
	common_refuse(err, "record it without --system", "this program %s", why);
	error_name(err, program);
	return RST_E_USAGE;
}

/* Libraries are for one loader: that of another C library, or of another word size, cannot load ours. */
static enum rst_status check_loader(const char *program, int fd, struct rst_error *err)
{
	struct loading theirs, ours;
	int own_fd;

	look_at_elf(fd, &theirs);
	if (!theirs.is_elf)
		return RST_OK; /* exec() will report the error */
	if (!theirs.has_loader)
		return program_refuse(
			program, "is linked statically, so that --system can load nothing into it", err);
	own_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (own_fd < 0)
		return RST_OK;
	look_at_elf(own_fd, &ours);
	close(own_fd);
	if (!ours.has_loader || strcmp(ours.loader, theirs.loader) == 0)
		return RST_OK;
	return program_refuse(program, "has another loader than the libraries of --system are made for", err);
}

static enum rst_status check_program(const char *program, struct rst_error *err)
{
	enum rst_status status = RST_OK;
	char path[PATH_MAX];
	int fd = open_program(program, path);

	if (fd < 0)
		return RST_OK; /* may be run, but not read: its loader is not known */
	if (gains_rights(fd))
		status = program_refuse(path,
			"gets rights by being started (set-user-ID, set-group-ID, capabilities), so that "
			"--system cannot "
			"load anything into it",
			err);
	else
		status = check_loader(path, fd, err);
	close(fd);
	return status;
}

enum rst_status preload_make(const char *program, char **ret_preload, struct rst_error *err)
{
	const char *before = getenv("LD_PRELOAD");
	char list[N_LIBRARIES * PATH_MAX];

	error_try(check_program(program, err));
	error_try(list_libraries(list, sizeof(list), err));
	if (asprintf(ret_preload, "%s%s%s", before ? before : "", before && before[0] ? ":" : "", list) < 0)
		return error_nomem(err);
	return RST_OK;
}
