/* SPDX-License-Identifier: MIT */
#include "record/rendezvous/child_test.h"
#include "record/rendezvous/trust.h"

#define SOMEBODY 2147480001u

static char folder[64] = "/tmp/trust_test-XXXXXX", file[80], code[80];

static void file_make(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	if (fd < 0)
		exit(1);
	close(fd);
}

static const struct trial {
	unsigned int folder_owner, folder_mode, owner, group, mode;
	bool is_trusted;
	const char *sentence;
} trials[] = {
	{ 0, 0755, 0, 0, 0755, true, "root's file in root's folder is trusted" },
	{ 0, 01777, 0, 0, 0755, false, "not in a folder where others may write, sticky or not" },
	{ 0, 0777, 0, 0, 0755, false, "nor where it is not" },
	{ 0, 0755, 0, 0, 0757, false, "nor a file that others may write to" },
	{ 0, 0755, 0, NOBODY, 0775, false, "nor one that another group may write to" },
	{ 0, 0775, 0, 0, 0775, true, "root's group may" },
	{ 0, 0755, NOBODY, 0, 0755, true, "a file of the calling code's owner is trusted, too" },
	{ NOBODY, 0755, NOBODY, NOBODY, 0755, true, "also in that user's folder" },
	{ 0, 0755, SOMEBODY, 0, 0755, false, "another user's file is not" },
	{ SOMEBODY, 0755, 0, 0, 0755, false, "nor root's file in another user's folder" },
};

static bool trial_set(const struct trial *trial)
{
	return chown(folder, trial->folder_owner, 0) == 0 && chmod(folder, trial->folder_mode) == 0 &&
	       chown(file, trial->owner, trial->group) == 0 && chmod(file, trial->mode) == 0;
}

static int ask_as_somebody(void)
{
	return child_become(SOMEBODY, SOMEBODY) ? trust_file(file, NULL) : 200;
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	snprintf(file, sizeof file, "%s/helper", folder);
	snprintf(code, sizeof code, "%s/code", folder);
	file_make(file);
	file_make(code);
	ok(trust_file(file, NULL) && trust_file(file, code), "what is the caller's own is trusted");
	ok(!trust_file("helper", NULL) && !trust_file("/nonexistent/helper", NULL),
		"what is not there is not");
	if (getuid() == 0 && chown(code, NOBODY, NOBODY) == 0) {
		for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++)
			ok(trial_set(&trials[i]) && trust_file(file, code) == trials[i].is_trusted, "%s",
				trials[i].sentence);
		trial_set(&trials[0]);
		is_number((unsigned)child_do(ask_as_somebody), 1, "root's file is trusted by every user");
		trial_set(&trials[6]);
		is_number((unsigned)child_do(ask_as_somebody), 0, "others' files are not");
	} else {
		skip("not root", "what is other users' is not trusted");
	}
	unlink(file);
	unlink(code);
	rmdir(folder);
	return tap_done();
}
