/* SPDX-License-Identifier: MIT */
/*
 * Linux's names are those of the C library. AIX's are those of its <sys/errno.h>, as the system's public
 * interfaces give them (the table of errors of its strerror(), which language runtimes print).
 */
#include "template/language/errors.h"

#include <errno.h>
#include <string.h>

enum { ERRORS_MAX = 256 };

static const char *const of_aix[] = {
	[1] = "EPERM",
	[2] = "ENOENT",
	[3] = "ESRCH",
	[4] = "EINTR",
	[5] = "EIO",
	[6] = "ENXIO",
	[7] = "E2BIG",
	[8] = "ENOEXEC",
	[9] = "EBADF",
	[10] = "ECHILD",
	[11] = "EAGAIN",
	[12] = "ENOMEM",
	[13] = "EACCES",
	[14] = "EFAULT",
	[15] = "ENOTBLK",
	[16] = "EBUSY",
	[17] = "EEXIST",
	[18] = "EXDEV",
	[19] = "ENODEV",
	[20] = "ENOTDIR",
	[21] = "EISDIR",
	[22] = "EINVAL",
	[23] = "ENFILE",
	[24] = "EMFILE",
	[25] = "ENOTTY",
	[26] = "ETXTBSY",
	[27] = "EFBIG",
	[28] = "ENOSPC",
	[29] = "ESPIPE",
	[30] = "EROFS",
	[31] = "EMLINK",
	[32] = "EPIPE",
	[33] = "EDOM",
	[34] = "ERANGE",
	[35] = "ENOMSG",
	[36] = "EIDRM",
	[37] = "ECHRNG",
	[38] = "EL2NSYNC",
	[39] = "EL3HLT",
	[40] = "EL3RST",
	[41] = "ELNRNG",
	[42] = "EUNATCH",
	[43] = "ENOCSI",
	[44] = "EL2HLT",
	[45] = "EDEADLK",
	[46] = "ENOTREADY",
	[47] = "EWRPROTECT",
	[48] = "EFORMAT",
	[49] = "ENOLCK",
	[50] = "ENOCONNECT",
	[52] = "ESTALE",
	[53] = "EDIST",
	[55] = "EINPROGRESS",
	[56] = "EALREADY",
	[57] = "ENOTSOCK",
	[58] = "EDESTADDRREQ",
	[59] = "EMSGSIZE",
	[60] = "EPROTOTYPE",
	[61] = "ENOPROTOOPT",
	[62] = "EPROTONOSUPPORT",
	[63] = "ESOCKTNOSUPPORT",
	[64] = "EOPNOTSUPP",
	[65] = "EPFNOSUPPORT",
	[66] = "EAFNOSUPPORT",
	[67] = "EADDRINUSE",
	[68] = "EADDRNOTAVAIL",
	[69] = "ENETDOWN",
	[70] = "ENETUNREACH",
	[71] = "ENETRESET",
	[72] = "ECONNABORTED",
	[73] = "ECONNRESET",
	[74] = "ENOBUFS",
	[75] = "EISCONN",
	[76] = "ENOTCONN",
	[77] = "ESHUTDOWN",
	[78] = "ETIMEDOUT",
	[79] = "ECONNREFUSED",
	[80] = "EHOSTDOWN",
	[81] = "EHOSTUNREACH",
	[82] = "ERESTART",
	[83] = "EPROCLIM",
	[84] = "EUSERS",
	[85] = "ELOOP",
	[86] = "ENAMETOOLONG",
	[88] = "EDQUOT",
	[89] = "ECORRUPT",
	[90] = "ESYSERROR",
	[93] = "EREMOTE",
	[94] = "ENOTRECOVERABLE",
	[95] = "EOWNERDEAD",
	[109] = "ENOSYS",
	[110] = "EMEDIA",
	[111] = "ESOFT",
	[112] = "ENOATTR",
	[113] = "ESAD",
	[114] = "ENOTRUST",
	[115] = "ETOOMANYREFS",
	[116] = "EILSEQ",
	[117] = "ECANCELED",
	[118] = "ENOSR",
	[119] = "ETIME",
	[120] = "EBADMSG",
	[121] = "EPROTO",
	[122] = "ENODATA",
	[123] = "ENOSTR",
	[124] = "ENOTSUP",
	[125] = "EMULTIHOP",
	[126] = "ENOLINK",
	[127] = "EOVERFLOW",
};

/* A number has one name above; these are the others. */
static const struct {
	const char *name;
	int numbers[2]; /* by enum error_numbers; 0 if the name has no number */
} others[] = {
	{ "EWOULDBLOCK", { EAGAIN, 11 } },
	{ "EDEADLOCK", { EDEADLK, 0 } },
	{ "ENOTSUP", { EOPNOTSUPP, 0 } },
	{ "ENOTEMPTY", { 0, 17 } },
	{ "ECLONEME", { 0, 82 } },
};

const char *error_number_name(enum error_numbers whose, uint64_t number)
{
	if (number == 0 || number >= ERRORS_MAX)
		return NULL;
	if (whose == ERRORS_OF_LINUX)
		return strerrorname_np((int)number);
	return number < sizeof(of_aix) / sizeof(of_aix[0]) ? of_aix[number] : NULL;
}

static int is_name(const char *known, const char *name, size_t n_bytes)
{
	return strlen(known) == n_bytes && memcmp(known, name, n_bytes) == 0;
}

int error_name_number(enum error_numbers whose, const char *name, size_t n_bytes)
{
	for (int number = 1; number < ERRORS_MAX; number++) {
		const char *known = error_number_name(whose, (uint64_t)number);

		if (known && is_name(known, name, n_bytes))
			return number;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (is_name(others[i].name, name, n_bytes))
			return others[i].numbers[whose];
	return 0;
}
