/*
 * SPDX-License-Identifier: MIT
 *
 * web_load.c - clients of a web server that keep it busy while something in it is switched on and off.
 *
 *     web-load PORT PATH CLIENTS PID SWITCH PAIRS MILLISECONDS
 *
 * Each client has one connection and one request on its way. For each pair the switch is off and on in turn, and one
 * line tells what was answered meanwhile, and the CPU time that the process PID used for it:
 *
 *     pair <tab> answers off <tab> ns off <tab> answers on <tab> ns on
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS_MAX = 256, ANSWER_MAX = 1 << 14, SETTLE_MS = 30 };

typedef struct {
	int fd;
	size_t length;
	char answer[ANSWER_MAX + 1];
} client;

static client clients[CLIENTS_MAX];
static char request[512];
static int request_length, queue;
static uint64_t answers;
static clockid_t server_clock;

static void
fail (const char *what)
{
	fprintf (stderr, "web-load: %s: %s\n", what, errno ? strerror (errno) : "not understood");
	exit (1);
}

static uint64_t
now (clockid_t clock)
{
	struct timespec time;
	if (clock_gettime (clock, &time))
		fail ("clock");
	return (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec;
}

static void
ask (client *c)
{
	c->length = 0;
	if (write (c->fd, request, (size_t) request_length) != request_length)
		fail ("write");
}

static void
open_client (client *c, int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons ((uint16_t) port) };
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = c };
	address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
	c->fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0 || connect (c->fd, (struct sockaddr *) &address, sizeof address))
		fail ("connect");
	setsockopt (c->fd, IPPROTO_TCP, TCP_NODELAY, &(int) { 1 }, sizeof (int));
	if (epoll_ctl (queue, EPOLL_CTL_ADD, c->fd, &event))
		fail ("epoll_ctl");
	ask (c);
}

/* One request is on its way, so that what was read is the beginning of one answer, or all of it. */
static bool
is_complete (const client *c)
{
	static const char last_chunk[] = "\r\n0\r\n\r\n";
	const char *body = strstr (c->answer, "\r\n\r\n"), *length = strstr (c->answer, "Content-Length: ");
	if (!body)
		return false;
	if (length && length < body)
		return c->length - (size_t) (body + 4 - c->answer) >= strtoul (length + 16, NULL, 10);
	return c->length >= sizeof last_chunk - 1 &&
	       memcmp (c->answer + c->length - (sizeof last_chunk - 1), last_chunk, sizeof last_chunk - 1) == 0;
}

static void
hear (client *c)
{
	ssize_t got = read (c->fd, c->answer + c->length, ANSWER_MAX - c->length);
	if (got <= 0)
		fail ("read");
	c->length += (size_t) got;
	c->answer[c->length] = 0;
	if (is_complete (c)) {
		answers++;
		ask (c);
	} else if (c->length == ANSWER_MAX) {
		errno = 0;
		fail ("answer");
	}
}

static void
serve_until (uint64_t end)
{
	struct epoll_event events[CLIENTS_MAX];
	while (now (CLOCK_MONOTONIC) < end) {
		int count = epoll_wait (queue, events, CLIENTS_MAX, 1);
		for (int i = 0; i < count; i++)
			hear (events[i].data.ptr);
	}
}

static void
set_switch (int fd, bool is_on)
{
	char order = is_on ? '1' : '0';
	if (write (fd, &order, 1) != 1 || read (fd, &order, 1) != 1)
		fail ("switch");
}

static void
measure (int fd, bool is_on, uint64_t length, uint64_t *ret_answers, uint64_t *ret_cpu)
{
	set_switch (fd, is_on);
	serve_until (now (CLOCK_MONOTONIC) + SETTLE_MS * 1000000);
	uint64_t before = answers, cpu = now (server_clock), from = now (CLOCK_MONOTONIC);
	serve_until (from + length);
	double share = (double) length / (double) (now (CLOCK_MONOTONIC) - from);
	*ret_answers = (uint64_t) ((double) (answers - before) * share + 0.5);
	*ret_cpu = (uint64_t) ((double) (now (server_clock) - cpu) * share);
}

int
main (int count, char **arguments)
{
	if (count != 8 || atoi (arguments[3]) < 1 || atoi (arguments[3]) > CLIENTS_MAX)
		return 2;
	request_length = snprintf (request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", arguments[2]);
	queue = epoll_create1 (EPOLL_CLOEXEC);
	if (clock_getcpuclockid (atoi (arguments[4]), &server_clock))
		fail ("clock");
	for (int i = 0; i < atoi (arguments[3]); i++)
		open_client (&clients[i], atoi (arguments[1]));
	int fd = atoi (arguments[5]), pairs = atoi (arguments[6]);
	uint64_t length = strtoull (arguments[7], NULL, 10) * 1000000;
	for (int i = 0; i < pairs; i++) {
		uint64_t got[2], cpu[2];
		for (int k = 0; k < 2; k++) {
			int on = (i + k) % 2;
			measure (fd, on, length, &got[on], &cpu[on]);
		}
		printf ("pair\t%llu\t%llu\t%llu\t%llu\n", (unsigned long long) got[0], (unsigned long long) cpu[0],
		        (unsigned long long) got[1], (unsigned long long) cpu[1]);
	}
	return 0;
}
