/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/record/record.h"

/* The program of this name in the directory of the running one. */
static bool program_beside(const char *name, char *ret_path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", ret_path, size - 1);

	if (n <= 0)
		return false;
	ret_path[n] = 0;
	char *slash = strrchr(ret_path, '/');
	if (!slash || (size_t)(slash + 1 - ret_path) + strlen(name) >= size)
		return false;
	strcpy(slash + 1, name);
	return access(ret_path, X_OK) == 0;
}

static int peer_spawn(const char *path, int in, int out)
{
	pid_t child = fork();

	if (child != 0)
		return child;
	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
		execl(path, path, (char *)NULL);
	_exit(127);
}

static enum rst_status peer_failed(struct rst_error *err, const char *name)
{
	return error_set(err, RST_E_IO, RST_NO_OFFSET, "the peer '%s' did not answer", name);
}

/* "NAME BYTES" until an empty line. */
static bool read_rows(struct record_peer *peer)
{
	char line[RECORD_NAME_MAX + 32];

	while (fgets(line, sizeof(line), peer->from)) {
		if (line[0] == '\n')
			return peer->n_rows > 0;
		if (peer->n_rows == RECORD_ROWS_MAX ||
			sscanf(line, "%31[a-z0-9_] %u", peer->rows[peer->n_rows].name,
				&peer->rows[peer->n_rows].n_bytes) != 2)
			return false;
		peer->n_rows++;
	}
	return false;
}

enum rst_status record_peer_start(struct record_peer *peer, const char *name, struct rst_error *err)
{
	int to[2], from[2];
	char path[4096];

	*peer = (struct record_peer){ 0 };
	if (!program_beside(name, path, sizeof(path)))
		return RST_END;
	if (pipe2(to, O_CLOEXEC) != 0)
		return error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(from, O_CLOEXEC) != 0) {
		error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot make a pipe: %s", strerror(errno));
		close(to[0]);
		close(to[1]);
		return RST_E_IO;
	}
	peer->pid = peer_spawn(path, to[0], from[1]);
	close(to[0]);
	close(from[1]);
	peer->to = fdopen(to[1], "w");
	peer->from = fdopen(from[0], "r");
	if (peer->pid > 0 && peer->to && peer->from && read_rows(peer))
		return RST_OK;
	record_peer_end(peer);
	return peer_failed(err, name);
}

enum rst_status record_peer_round(
	struct record_peer *peer, uint64_t n_events, double *ret_ns, struct rst_error *err)
{
	bool is_good = fprintf(peer->to, "%llu\n", (unsigned long long)n_events) > 0 && fflush(peer->to) == 0;

	for (unsigned i = 0; is_good && i < peer->n_rows; i++)
		is_good = fscanf(peer->from, "%lf", &ret_ns[i]) == 1;
	return is_good ? RST_OK : peer_failed(err, peer->rows[0].name);
}

/* The end of its input is a peer's sign to go. */
void record_peer_end(struct record_peer *peer)
{
	int status;

	if (peer->to)
		fclose(peer->to);
	if (peer->from)
		fclose(peer->from);
	if (peer->pid > 0)
		waitpid(peer->pid, &status, 0);
	*peer = (struct record_peer){ 0 };
}
