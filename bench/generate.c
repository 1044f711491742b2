/* SPDX-License-Identifier: MIT */
/* `rastrum bench gen`: recordings of any size, for measurements. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "bench/gen.h"
#include "bench/verbs.h"

/* Numbers that are too large stay too large, for the generator to refuse. */
static unsigned number_narrow(uint64_t number)
{
	return number > UINT_MAX ? UINT_MAX : (unsigned)number;
}

int generate_events(const struct bench_args *args, int fd)
{
	const struct gen_threadx how = {
		.n_events = args->n_events,
		.word_bytes = number_narrow(args->word),
		.is_big_endian = args->endian == 1,
		.n_wrapped = args->n_wrapped,
		.seed = args->seed,
		.n_threads = number_narrow(args->n_threads),
		.timer_mask = args->timer_mask,
		.n_cores = number_narrow(args->n_cores),
		.name_bytes = number_narrow(args->name_bytes),
	};
	struct outbuf out;
	struct rst_error err;
	int exit_status = EXIT_GOOD;

	if (!outbuf_init(&out, fd)) {
		error_nomem(&err);
		return common_fail(&err);
	}
	if (!gen_threadx(&out, &how) && out.error != EPIPE) {
		error_set(&err, out.error == EINVAL ? RST_E_USAGE : RST_E_IO, RST_NO_OFFSET,
			"cannot generate such a recording: %s",
			out.error == EINVAL ? "a number is out of its range" : strerror(out.error));
		if (out.error == EINVAL)
			error_advise(&err,
				"--word is 4 or 8, --threads 1 to %d, --cores 1 to %d, --name-size 1 to "
				"65535, "
				"--mask fits a word, and so does the dump's size",
				GEN_THREADS_MAX, GEN_CORES_MAX);
		exit_status = common_fail(&err);
	}
	outbuf_done(&out);
	return exit_status;
}

int verb_gen(const struct bench_args *args, char *const *files)
{
	struct rst_error err;
	int fd, exit_status;

	(void)files;
	if (common_output(args->output, false, 0, NULL, &fd, &err) < 0)
		return common_fail(&err);
	exit_status = generate_events(args, fd);
	return outcome_worse(exit_status, common_close(fd));
}
