/* SPDX-License-Identifier: MIT */
#include "analysis/stats/ages.h"

#include "tests/tap.h"

/* Returns -1 if it is not known. */
static long take(struct ages *ages, uint64_t at)
{
	uint64_t age;

	return ages_receive(ages, at, &age) ? (long)age : -1;
}

int main(void)
{
	struct ages ages = { 0 };

	ages_send(&ages, 10);
	ages_send(&ages, 20);
	ok(take(&ages, 30) == 20 && take(&ages, 50) == 30 && take(&ages, 60) == -1,
		"the oldest message leaves first");
	ages_wait(&ages);
	ages_send(&ages, 70);
	ages_send(&ages, 80);
	ok(take(&ages, 90) == 10, "a message for which a receiver waits is not put in");
	ages_send(&ages, 100);
	ages_level(&ages, 3);
	ok(take(&ages, 110) == -1 && take(&ages, 120) == -1 && take(&ages, 130) == 30,
		"where there are more than were seen, the older ones are of unknown age");
	ages_send(&ages, 140);
	ages_send(&ages, 150);
	ages_level(&ages, 1);
	ok(take(&ages, 160) == 10, "where there are fewer, the oldest ones have gone");
	ages_send(&ages, 170);
	ages_forget(&ages);
	ok(take(&ages, 180) == -1, "behind a loss nothing is known");
	for (uint64_t at = 200; at <= 200 + AGES_MAX; at++)
		ages_send(&ages, at);
	for (unsigned n = 0; n < AGES_MAX; n++)
		take(&ages, 9000);
	ok(take(&ages, 9000) == 9000 - 200 - AGES_MAX && !ages.n,
		"of more messages than have room, the newest ones are known");
	tap_fail_alloc_after(0);
	ages_done(&ages);
	ages = (struct ages){ 0 };
	ok(!ages_send(&ages, 1), "without memory it fails");
	tap_fail_alloc_after(-1);
	ages_done(&ages);
	return tap_done();
}
