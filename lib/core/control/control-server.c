/*
 * SPDX-License-Identifier: MIT
 *
 * control-server.c - see control-server.h.
 *
 * The thread has a table of descriptors of its own, with nothing in it but the sockets. So the program can close all
 * of its descriptors, or count them, or fork, and neither sees ours nor touches them; and no file of the program is
 * held open by us. What needs the program's table (a module's file, a message) is not done here: control-command.c.
 *
 * Whoever connects must be this user or root; the folder keeps others out already. Even such a client is not trusted to
 * be quick, or sane: a few are served at once, each with a bounded line and a bounded time; one that comes when all
 * places are taken takes that of the client which has said nothing for longest; and so many a second are let in that
 * they cost the program nothing that it would notice.
 */
#include "control-server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "background.h"
#include "control-command.h"
#include "control-place.h"
#include "nanoseconds.h"

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1U << 1)
#endif

enum {
	CLIENTS = 8,
	STACK = 256 << 10, /* realpath () alone takes two pages */
	NEW_A_SECOND = 100,
};
static const uint64_t patience_ns = UINT64_C (10000000000), busy_ns = 5000000;

enum { READING, ASKING, AWAITING, WRITING };

struct client {
	int fd; /* -1: a free place */
	int state;
	uint64_t since; /* when its state began */
	size_t length;  /* of what was read, or is to be written */
	size_t done;    /* of what was written */
	char *buffer;   /* MONOCLE__CONTROL_ANSWER bytes: a request, then its answer */
	bool is_last;   /* nothing more is read after the answer */
};

struct server {
	unsigned session;
	unsigned commands; /* the session of control-command.c */
	int listener;
	struct client clients[CLIENTS];
	uint64_t second; /* when the one began in which `let_in` is counted */
	unsigned let_in;
};

_Static_assert((int) MONOCLE__CONTROL_LINE < (int) MONOCLE__CONTROL_ANSWER, "a request and its answer share a buffer");

/* Under the lock; read by the thread that ends it all. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static monocle__control_place place;
static bool is_made;
static atomic_uint session; /* goes up at each begin and end: the thread of another one ends */

/* --- one client --------------------------------------------------------------------------------------------------- */

static void
enter (struct client *client, int state, uint64_t now)
{
	client->state = state;
	client->since = now;
}

static void
drop (struct client *client)
{
	close (client->fd);
	client->fd = -1;
}

/* What is to be written is in the buffer. */
static void
send_some (struct client *client, uint64_t now)
{
	ssize_t sent =
	    send (client->fd, client->buffer + client->done, client->length - client->done, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (sent < 0 && errno != EAGAIN && errno != EINTR) {
		drop (client);
		return;
	}
	client->done += sent > 0 ? (size_t) sent : 0;
	if (client->done < client->length)
		return;
	if (client->is_last) {
		drop (client);
		return;
	}
	client->length = client->done = 0;
	enter (client, READING, now);
}

/* The answer is in the buffer. */
static void
answer (struct client *client, size_t length, uint64_t now)
{
	client->length = length;
	client->done = 0;
	enter (client, WRITING, now);
	send_some (client, now);
}

static void
refuse (struct client *client, const char *error, uint64_t now)
{
	int length = snprintf (client->buffer, MONOCLE__CONTROL_ANSWER, MONOCLE__CONTROL_ERROR " %.200s\n", error);
	answer (client, (size_t) length, now);
}

/* The whole line is there: without its line feed, with a NUL. */
static void
ask (const struct server *server, struct client *client, uint64_t now)
{
	monocle__control_request request;
	const char *error = monocle__control_words_read (client->buffer, client->length, &request);
	if (error)
		refuse (client, error, now);
	else if (monocle__control_command_post (server->commands, &request))
		enter (client, AWAITING, now);
}

/* One request at a time: what follows it in the same breath is not read. */
static void
read_some (const struct server *server, struct client *client, uint64_t now)
{
	size_t room = MONOCLE__CONTROL_LINE - client->length;
	ssize_t got = recv (client->fd, client->buffer + client->length, room, MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		drop (client);
		return;
	}
	char *end = memchr (client->buffer + client->length, '\n', (size_t) got);
	client->length += (size_t) got;
	if (!end && client->length == MONOCLE__CONTROL_LINE) {
		client->is_last = true;
		refuse (client, "a request is one line, shorter than 16384 bytes", now);
	} else if (end) {
		*end = '\0';
		client->length = (size_t) (end - client->buffer);
		enter (client, ASKING, now);
		ask (server, client, now);
	}
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

/* The next one may ask when the answer to the one before was taken. */
static void
take_answer (struct server *server, uint64_t now)
{
	for (int i = 0; i < CLIENTS; i++) {
		struct client *client = &server->clients[i];
		bool is_awaiting = client->fd >= 0 && client->state == AWAITING;
		size_t length = is_awaiting ? monocle__control_command_take (server->commands, client->buffer) : 0;
		if (length)
			answer (client, length, now);
	}
	for (int i = 0; i < CLIENTS; i++)
		if (server->clients[i].fd >= 0 && server->clients[i].state == ASKING)
			ask (server, &server->clients[i], now);
}

/* Who waits for an answer keeps its place. */
static void
drop_the_slow (struct server *server, uint64_t now)
{
	for (int i = 0; i < CLIENTS; i++) {
		struct client *client = &server->clients[i];
		bool is_talking = client->state == READING || client->state == WRITING;
		if (client->fd >= 0 && is_talking && now - client->since >= patience_ns)
			drop (client);
	}
}

/* A free place, or that of the client that has been talking for longest. NULL: all wait for answers. */
static struct client *
find_place (struct server *server)
{
	struct client *oldest = NULL;
	for (int i = 0; i < CLIENTS; i++) {
		struct client *client = &server->clients[i];
		if (client->fd < 0)
			return client;
		if ((client->state == READING || client->state == WRITING) && (!oldest || client->since < oldest->since))
			oldest = client;
	}
	return oldest;
}

static bool
is_welcome (int fd)
{
	struct ucred peer;
	socklen_t size = sizeof peer;
	return getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == 0 || peer.uid == geteuid ());
}

static void
let_in (struct server *server, uint64_t now)
{
	struct client *client = find_place (server);
	int fd = client ? accept4 (server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK) : -1;
	if (fd < 0)
		return;
	server->let_in++;
	if (!is_welcome (fd)) {
		close (fd);
		return;
	}
	if (client->fd >= 0)
		drop (client);
	client->fd = fd;
	client->length = client->done = 0;
	client->is_last = false;
	enter (client, READING, now);
	read_some (server, client, now);
}

/* --- the loop ----------------------------------------------------------------------------------------------------- */

/* When there have been enough in this second, the door opens again in the next one; and there must be a place. */
static bool
is_open (struct server *server, uint64_t now)
{
	if (now - server->second >= MONOCLE__NANOSECONDS_SECOND) {
		server->second = now;
		server->let_in = 0;
	}
	return server->let_in < NEW_A_SECOND && find_place (server);
}

/* Until something is due without an event; UINT64_MAX: never. */
static uint64_t
time_left (const struct server *server, bool is_door_open, uint64_t now)
{
	uint64_t left = is_door_open ? UINT64_MAX : server->second + MONOCLE__NANOSECONDS_SECOND - now;
	for (int i = 0; i < CLIENTS; i++) {
		const struct client *client = &server->clients[i];
		bool is_talking = client->state == READING || client->state == WRITING;
		uint64_t until = is_talking ? client->since + patience_ns : now + busy_ns;
		if (client->fd >= 0 && (until <= now ? 0 : until - now) < left)
			left = until <= now ? 0 : until - now;
	}
	return left;
}

/* Waits for an event. False: the descriptors are no good any more. */
static bool
wait_for_event (const struct server *server, struct pollfd polled[CLIENTS + 1], bool is_door_open, uint64_t now)
{
	uint64_t left = time_left (server, is_door_open, now);
	struct timespec timeout = monocle__nanoseconds_timespec (left);
	polled[CLIENTS] = (struct pollfd) { .fd = is_door_open ? server->listener : -1, .events = POLLIN };
	for (int i = 0; i < CLIENTS; i++) {
		const struct client *client = &server->clients[i];
		bool is_talking = client->state == READING || client->state == WRITING;
		polled[i] = (struct pollfd) { .fd = is_talking ? client->fd : -1,
			                          .events = client->state == READING ? POLLIN : POLLOUT };
	}
	if (ppoll (polled, CLIENTS + 1, left == UINT64_MAX ? NULL : &timeout, NULL) < 0) {
		memset (polled, 0, (CLIENTS + 1) * sizeof *polled);
		return errno == EINTR || errno == ENOMEM;
	}
	return !(polled[CLIENTS].revents & (POLLNVAL | POLLERR));
}

static void
serve_clients (struct server *server, const struct pollfd *polled, uint64_t now)
{
	for (int i = 0; i < CLIENTS; i++) {
		struct client *client = &server->clients[i];
		if (client->fd < 0 || !polled[i].revents)
			continue;
		if (client->state == READING)
			read_some (server, client, now);
		else if (client->state == WRITING)
			send_some (client, now);
	}
}

static void
serve (struct server *server)
{
	struct pollfd polled[CLIENTS + 1];
	uint64_t now = monocle__nanoseconds (CLOCK_MONOTONIC);
	while (session == server->session && wait_for_event (server, polled, is_open (server, now), now)) {
		now = monocle__nanoseconds (CLOCK_MONOTONIC);
		serve_clients (server, polled, now);
		take_answer (server, now);
		drop_the_slow (server, now);
		if (polled[CLIENTS].revents)
			let_in (server, now);
	}
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

/*
 * Nothing of the program's table is in ours, not even for a moment. Where a seccomp filter knows close_range () it lets
 * it pass; unshare () is often kept for root. The first three numbers are taken by what cannot be written to, so that
 * no message of somebody's ever goes into a socket.
 */
static bool
leave_descriptors (void)
{
	if (syscall (SYS_close_range, 0, UINT_MAX, CLOSE_RANGE_UNSHARE))
		return false;
	for (int i = 0; i <= STDERR_FILENO; i++)
		if (open ("/", O_PATH | O_CLOEXEC) != i)
			return false;
	return true;
}

/* -1: there is none, or the end has come already. */
static int
make_listener (unsigned mine)
{
	int fd = -1;
	pthread_mutex_lock (&lock);
	if (session == mine) {
		fd = monocle__control_place_make (&place);
		is_made = fd >= 0;
	}
	pthread_mutex_unlock (&lock);
	return fd;
}

static void *
run (void *data)
{
	struct server *server = data;
	prctl (PR_SET_NAME, MONOCLE__CONTROL_THREAD);
	if (leave_descriptors () && (server->listener = make_listener (server->session)) >= 0)
		serve (server);
	for (int i = 0; i < CLIENTS; i++)
		if (server->clients[i].fd >= 0)
			drop (&server->clients[i]);
	free (server->clients[0].buffer);
	free (server);
	return NULL;
}

bool
monocle__control_server_begin (void)
{
	pthread_t thread;
	struct server *server = calloc (1, sizeof *server);
	char *buffers = server ? malloc (CLIENTS * MONOCLE__CONTROL_ANSWER) : NULL;
	for (int i = 0; i < CLIENTS && buffers; i++) {
		server->clients[i].fd = -1;
		server->clients[i].buffer = buffers + i * MONOCLE__CONTROL_ANSWER;
	}
	if (server) {
		server->session = ++session;
		server->commands = monocle__control_command_session ();
	}
	monocle__control_place_begin ();
	if (buffers && monocle__background_start (&thread, run, server, STACK)) {
		pthread_detach (thread);
		return true;
	}
	free (buffers);
	free (server);
	return false;
}

/* The thread waits for one thing only, somebody who connects. */
static void
knock (void)
{
	int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0) {
		connect (fd, (const struct sockaddr *) &place.address, sizeof place.address);
		close (fd);
	}
}

void
monocle__control_server_end (void)
{
	session++;
	pthread_mutex_lock (&lock);
	if (is_made) {
		knock ();
		monocle__control_place_remove (&place);
	}
	is_made = false;
	pthread_mutex_unlock (&lock);
}
