/* SPDX-License-Identifier: MIT */
#include "bench/visitor.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/installed.h"

static enum rst_status refused(struct rst_error *err, const char *what)
{
	return error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot %s: %s", what, strerror(errno));
}

static enum rst_status server_start(
	struct visitor *visitor, const char *program, const char *path, int *ret_fd, struct rst_error *err)
{
	int ends[2];

	if (pipe(ends) < 0)
		return refused(err, "make a pipe");
	visitor->server = fork();
	if (visitor->server == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execl(program, program, "--no-browser", path, (char *)NULL);
		_exit(EXIT_FAILURE);
	}
	close(ends[1]);
	*ret_fd = ends[0];
	return visitor->server < 0 ? refused(err, "start the server") : RST_OK;
}

enum rst_status visitor_come(struct visitor *visitor, const char *path, struct rst_error *err)
{
	char program[PATH_MAX], link[256] = "";
	int fd = -1;

	*visitor = (struct visitor){ .server = -1, .answer = malloc(VISITOR_BYTES) };
	if (!visitor->answer)
		return error_nomem(err);
	error_try(installed_find(INSTALLED_PROGRAM, "rastrum-view", "`rastrum bench view`", program, err));
	error_try(server_start(visitor, program, path, &fd, err));
	FILE *out = fdopen(fd, "r");

	if (!out || !fgets(link, sizeof(link), out) ||
		sscanf(link, "http://127.0.0.1:%u/?token=%63[0-9a-f]", &visitor->port, visitor->token) != 2) {
		error_set(err, RST_E_IO, RST_NO_OFFSET, "the server has not begun");
		error_name(err, path);
		if (out)
			fclose(out);
		return RST_E_IO;
	}
	fclose(out);
	return RST_OK;
}

static int link_open(unsigned port)
{
	const struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (const struct sockaddr *)(const void *)&address, sizeof(address)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

const char *visitor_ask(struct visitor *visitor, const char *path)
{
	const int fd = link_open(visitor->port);
	char request[1024];
	const char *body;
	ssize_t n;

	if (fd < 0)
		return NULL;
	n = snprintf(request, sizeof(request),
		"GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nAuthorization: Bearer %s\r\nConnection: "
		"close\r\n\r\n",
		path, visitor->port, visitor->token);
	visitor->n_answer = 0;
	if (send(fd, request, (size_t)n, MSG_NOSIGNAL) == n)
		while ((n = read(fd, visitor->answer + visitor->n_answer,
				VISITOR_BYTES - 1 - visitor->n_answer)) > 0)
			visitor->n_answer += (size_t)n;
	close(fd);
	visitor->answer[visitor->n_answer] = '\0';
	body = strstr(visitor->answer, "\r\n\r\n");
	return body && strncmp(visitor->answer, "HTTP/1.1 200 ", 13) == 0 ? body + 4 : NULL;
}

bool visitor_number(const char *answer, const char *key, uint64_t *ret_number)
{
	char wanted[64];
	const char *at;

	snprintf(wanted, sizeof(wanted), "\"%s\":", key);
	at = answer ? strstr(answer, wanted) : NULL;
	if (!at || at[strlen(wanted)] < '0' || at[strlen(wanted)] > '9')
		return false;
	*ret_number = strtoull(at + strlen(wanted), NULL, 10);
	return true;
}

double visitor_server_ms(const struct visitor *visitor)
{
	struct timespec used = { 0 };
	clockid_t clock;

	if (clock_getcpuclockid(visitor->server, &clock) == 0)
		clock_gettime(clock, &used);
	return (double)used.tv_sec * 1e3 + (double)used.tv_nsec / 1e6;
}

/* Its name, and the first number of schedstat: nanoseconds on a processor. */
static double task_ms(const char *folder, const char *task, const char *name)
{
	char path[300], line[64] = "";
	uint64_t ns = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/comm", folder, task);
	file = fopen(path, "r");
	if (file && !fgets(line, sizeof(line), file))
		*line = '\0';
	if (file)
		fclose(file);
	line[strcspn(line, "\n")] = '\0';
	if (strcmp(line, name) != 0)
		return 0;
	snprintf(path, sizeof(path), "%s/%s/schedstat", folder, task);
	file = fopen(path, "r");
	if (file && fscanf(file, "%" SCNu64, &ns) != 1)
		ns = 0;
	if (file)
		fclose(file);
	return (double)ns / 1e6;
}

double visitor_thread_ms(const struct visitor *visitor, const char *name)
{
	char folder[32];
	double ms = 0;
	DIR *tasks;

	snprintf(folder, sizeof(folder), "/proc/%d/task", (int)visitor->server);
	tasks = opendir(folder);
	for (struct dirent *task; tasks && (task = readdir(tasks));)
		ms += *task->d_name == '.' ? 0 : task_ms(folder, task->d_name, name);
	if (tasks)
		closedir(tasks);
	return ms;
}

uint64_t visitor_memory(const struct visitor *visitor, const char *key)
{
	char path[64], line[256];
	uint64_t kib = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)visitor->server);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':')
			kib = strtoull(line + strlen(key) + 1, NULL, 10);
	if (file)
		fclose(file);
	return kib;
}

void visitor_leave(struct visitor *visitor)
{
	if (visitor->server > 0) {
		kill(visitor->server, SIGTERM);
		waitpid(visitor->server, NULL, 0);
	}
	free(visitor->answer);
}
