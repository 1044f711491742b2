/* SPDX-License-Identifier: MIT */
#include "view/session/session.h"

void turnstile_init(struct turnstile *turnstile)
{
	pthread_mutex_init(&turnstile->lock, NULL);
	pthread_mutex_init(&turnstile->turn, NULL);
}

void turnstile_done(struct turnstile *turnstile)
{
	pthread_mutex_destroy(&turnstile->lock);
	pthread_mutex_destroy(&turnstile->turn);
}

void turnstile_lock(struct turnstile *turnstile)
{
	pthread_mutex_lock(&turnstile->turn);
	pthread_mutex_lock(&turnstile->lock);
	pthread_mutex_unlock(&turnstile->turn);
}

void turnstile_unlock(struct turnstile *turnstile)
{
	pthread_mutex_unlock(&turnstile->lock);
}

void session_lock(struct session *session)
{
	turnstile_lock(&session->turnstile);
}

void session_unlock(struct session *session)
{
	turnstile_unlock(&session->turnstile);
}

void judge_lock(struct session *session)
{
	turnstile_lock(&session->judge.turnstile);
}

void judge_unlock(struct session *session)
{
	turnstile_unlock(&session->judge.turnstile);
}

void judge_pause(struct session *session)
{
	judge_unlock(session);
	judge_lock(session);
}

void session_pause(struct session *session)
{
	if (!session->judge.is_apart)
		judge_unlock(session);
	session_unlock(session);
	session_lock(session);
	if (!session->judge.is_apart)
		judge_lock(session);
}
