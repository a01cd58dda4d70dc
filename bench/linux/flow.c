/* The only program inside the machine of bench/linux: it loads a module, receives, or
 * sends continuously over TCP connections and records what TCP_INFO reports about them.
 *
 *     flow load FILE                   load a kernel module
 *     flow receive PORT                receive everything, on any number of connections
 *     flow send ADDRESS PORT MS LAW... one connection per law for this many milliseconds;
 *                                      one starts every 500 ms
 *
 * `send` polls every 10 ms. At the end it prints, with times in ms since the first start:
 *
 *     sample FLOW TIME CWND SSTHRESH RTT_US ACKED RETRANSMITTED   every 100 ms
 *     entered FLOW TIME recovery|loss                             a change of state
 *
 * ACKED is in bytes, RETRANSMITTED in segments, both since the start.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { MOST = 64, LOOK_MS = 10, SAMPLE_MS = 100, APART_MS = 500, CHUNK = 1 << 17 };

/* TCP_CA_Recovery and TCP_CA_Loss of the kernel's enum tcp_ca_state */
enum { RECOVERY = 3, LOSS = 4 };

static char buffer[CHUNK];
static char *said;
static size_t length, room;

static void fail(const char *what)
{
	fprintf(stderr, "flow: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int ok(int result, const char *what)
{
	if (result < 0)
		fail(what);
	return result;
}

/* Stores a line: writing while packets move would take time from them. */
static void say(const char *format, ...)
{
	va_list list;
	int n;

	if (length + 200 > room) {
		room = 2 * room + 65536;
		said = realloc(said, room);
		if (!said)
			fail("memory");
	}
	va_start(list, format);
	n = vsnprintf(said + length, 200, format, list);
	va_end(list);
	length += (size_t)n;
}

static int load(const char *file)
{
	int fd = ok(open(file, O_RDONLY | O_CLOEXEC), file);

	ok((int)syscall(SYS_finit_module, fd, "", 0), file);
	return 0;
}

static struct sockaddr_in place(const char *address, const char *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)) };

	if (inet_pton(AF_INET, address, &at.sin_addr) != 1) {
		errno = EINVAL;
		fail(address);
	}
	return at;
}

static _Noreturn void receive(const char *port)
{
	struct sockaddr_in at = place("0.0.0.0", port);
	struct pollfd polled[MOST + 1];
	int count = 1;

	polled[0].fd = ok(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
	polled[0].events = POLLIN;
	ok(bind(polled[0].fd, (struct sockaddr *)&at, sizeof at), "bind");
	ok(listen(polled[0].fd, MOST), "listen");
	for (;;) {
		ok(poll(polled, (nfds_t)count, -1), "poll");
		for (int i = count - 1; i > 0; i--) {
			/* MSG_TRUNC: TCP forgets the bytes instead of copying them */
			if (polled[i].revents && recv(polled[i].fd, buffer, CHUNK, MSG_TRUNC | MSG_DONTWAIT) == 0) {
				close(polled[i].fd);
				polled[i] = polled[--count];
			}
		}
		if (polled[0].revents && count <= MOST) {
			polled[count].fd = ok(accept(polled[0].fd, NULL, NULL), "accept");
			polled[count++].events = POLLIN;
		}
	}
}

static int begin(const struct sockaddr_in *at, const char *law)
{
	int fd = ok(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");

	ok(setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, law, (socklen_t)strlen(law)), law);
	ok(connect(fd, (const struct sockaddr *)at, sizeof *at), "connect");
	ok(fcntl(fd, F_SETFL, O_NONBLOCK), "O_NONBLOCK");
	return fd;
}

static void look(int flow, int fd, int ms, int *state)
{
	struct tcp_info info = { 0 };
	socklen_t size = sizeof info;

	ok(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size), "TCP_INFO");
	if (info.tcpi_ca_state != *state && info.tcpi_ca_state >= RECOVERY)
		say("entered %d %d %s\n", flow, ms, info.tcpi_ca_state == LOSS ? "loss" : "recovery");
	*state = info.tcpi_ca_state;
	if (ms % SAMPLE_MS == 0)
		say("sample %d %d %u %u %u %llu %u %u\n", flow, ms, info.tcpi_snd_cwnd, info.tcpi_snd_ssthresh,
		    info.tcpi_rtt, (unsigned long long)info.tcpi_bytes_acked, info.tcpi_total_retrans,
		    info.tcpi_snd_wnd);
}

static int send_all(const char *address, const char *port, int end, int laws, char **law)
{
	struct sockaddr_in at = place(address, port);
	struct itimerspec every = { { 0, LOOK_MS * 1000000L }, { 0, LOOK_MS * 1000000L } };
	struct pollfd polled[MOST + 1];
	int state[MOST] = { 0 };
	int count = 0, ms = 0;

	if (laws > MOST) {
		errno = E2BIG;
		fail("laws");
	}
	polled[0].fd = ok(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), "timerfd");
	polled[0].events = POLLIN;
	polled[1].fd = begin(&at, law[0]);
	polled[1].events = POLLOUT;
	count = 1;
	ok(timerfd_settime(polled[0].fd, 0, &every, NULL), "timerfd");
	while (ms < end) {
		ok(poll(polled, (nfds_t)count + 1, -1), "poll");
		for (int i = 1; i <= count; i++)
			if (polled[i].revents && send(polled[i].fd, buffer, CHUNK, MSG_NOSIGNAL) < 0 && errno != EAGAIN)
				fail("send");
		if (polled[0].revents) {
			uint64_t ticks = 0;

			if (read(polled[0].fd, &ticks, sizeof ticks) != (ssize_t)sizeof ticks)
				fail("timer");
			for (; ticks > 0; ticks--) {
				ms += LOOK_MS;
				for (int i = 1; i <= count; i++)
					look(i - 1, polled[i].fd, ms, &state[i - 1]);
			}
			if (count < laws && ms >= count * APART_MS) {
				count++;
				polled[count].fd = begin(&at, law[count - 1]);
				polled[count].events = POLLOUT;
			}
		}
	}
	fwrite(said, 1, length, stdout);
	return fflush(stdout);
}

int main(int count, char **argument)
{
	if (count == 3 && strcmp(argument[1], "load") == 0)
		return load(argument[2]);
	if (count == 3 && strcmp(argument[1], "receive") == 0)
		receive(argument[2]);
	if (count > 5 && strcmp(argument[1], "send") == 0)
		return send_all(argument[2], argument[3], atoi(argument[4]), count - 5, argument + 5);
	fprintf(stderr, "usage: flow load FILE | receive PORT | send ADDRESS PORT MS LAW...\n");
	return 2;
}
