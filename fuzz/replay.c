/* SPDX-License-Identifier: MIT */
/* Replays files through a fuzzer built with any compiler: `make check` runs the kept corpora this way. */
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static int replay(const char *path)
{
	enum { INPUT_MAX = 1 << 20 };
	unsigned char *data = malloc(INPUT_MAX);
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!data || !file) {
		fprintf(stderr, "cannot read %s\n", path);
		return 1;
	}
	size = fread(data, 1, INPUT_MAX, file);
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	int status = 0;

	for (int i = 1; i < argc; i++)
		status |= replay(argv[i]);
	return status;
}
