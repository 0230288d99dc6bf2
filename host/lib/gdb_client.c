/* SPDX-License-Identifier: MIT */
#include "gdb_client.h"

#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_MS 2000
#define RESUME_MS 1000
/* A refusal to resume comes at once, if it comes. */
#define REFUSAL_MS 30
/* How long a signal may wait to be seen. */
#define SLICE_MS 50
#define TRIES 3
#define GARBAGE_MAX 4096
/* What every server takes, where it does not say more. */
#define PACKET_DEFAULT 400
#define INTERRUPT "\x03"
/* Of an answer in words. */
#define ANSWER_SHOWN 120

/* Between functions here: the command has to be sent again. */
#define SEND_AGAIN (-1000)

uint64_t gdb_now_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void gdb_client_init(struct gdb_client *client, int fd, const char *name,
                     unsigned budget_ms)
{
    memset(client, 0, sizeof *client);
    client->fd = fd;
    client->name = name;
    client->stop_us = gdb_now_us();
    client->end_us = client->stop_us + UINT64_C(1000) * budget_ms;
    client->read_max = (PACKET_DEFAULT - 4) / 2;
}

/* A server that serves somebody hangs up on the next, or lets it wait. */
#define SERVES_ONE                                                             \
    "end the other debugger if one is connected there: a server serves one "   \
    "at a time; else "

static int closed(struct gdb_client *client, struct error *error)
{
    client->broken = true;
    if (!client->heard)
        return error_set(error, MCUPROF_E_UNREACHABLE,
                         SERVES_ONE "see what it says, and start it again",
                         "%s closed the connection without a word",
                         client->name);
    return error_set(error, MCUPROF_E_UNREACHABLE,
                     "see what it says, and start it again",
                     "%s closed the connection", client->name);
}

static int silent(const struct gdb_client *client, struct error *error)
{
    return error_set(error, MCUPROF_E_UNREACHABLE,
                     client->heard ? "check that it is a gdb server, and that "
                                     "it has found the target"
                                   : SERVES_ONE "check that it is a gdb server",
                     "%s does not answer", client->name);
}

static int garbage(const struct gdb_client *client, struct error *error)
{
    return error_set(error, MCUPROF_E_FORMAT,
                     "check the port: OpenOCD's is 3333, J-Link's 2331, QEMU's "
                     "1234",
                     "what %s sends is no answer of a gdb server",
                     client->name);
}

/* A signal that is held back, and will end the program. */
static bool is_asked_to_end(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t pending;

    (void)sigemptyset(&pending);
    (void)sigpending(&pending);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (sigismember(&pending, signals[i]) == 1)
            return true;
    return false;
}

static int interrupted(const struct gdb_client *client, struct error *error)
{
    return error_set(error, MCUPROF_E_IO, "", "reading from %s was interrupted",
                     client->name);
}

static uint64_t within(const struct gdb_client *client, unsigned ms)
{
    uint64_t deadline = gdb_now_us() + UINT64_C(1000) * ms;

    return deadline < client->end_us ? deadline : client->end_us;
}

/* Wait for EVENTS of the socket until DEADLINE. */
static int wait_for(struct gdb_client *client, short events, uint64_t deadline,
                    struct error *error)
{
    for (;;) {
        struct pollfd wait = {.fd = client->fd, .events = events};
        uint64_t now = gdb_now_us();
        uint64_t left = now < deadline ? (deadline - now) / 1000 + 1 : 0;

        if (client->end_us != UINT64_MAX && is_asked_to_end())
            return interrupted(client, error);
        if (left == 0)
            return silent(client, error);
        if (poll(&wait, 1, left < SLICE_MS ? (int)left : SLICE_MS) > 0)
            return 0;
    }
}

static int get_byte(struct gdb_client *client, uint64_t deadline, char *byte,
                    struct error *error)
{
    while (client->input_at == client->input_size) {
        ssize_t got;
        int result = client->broken ? closed(client, error)
                                    : wait_for(client, POLLIN, deadline, error);

        if (result < 0)
            return result;
        got = recv(client->fd, client->input, sizeof client->input, 0);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            return closed(client, error);
        client->heard = client->heard || got > 0;
        client->input_at = 0;
        client->input_size = got < 0 ? 0 : (size_t)got;
    }
    *byte = (char)client->input[client->input_at++];
    return 0;
}

static int put_bytes(struct gdb_client *client, const char *bytes, size_t size,
                     struct error *error)
{
    uint64_t deadline = within(client, ANSWER_MS);

    while (size > 0) {
        ssize_t sent = client->broken
                               ? -1
                               : send(client->fd, bytes, size, MSG_NOSIGNAL);
        int result;

        if (sent > 0) {
            bytes += sent;
            size -= (size_t)sent;
            continue;
        }
        if (client->broken || (errno != EAGAIN && errno != EINTR))
            return closed(client, error);
        result = wait_for(client, POLLOUT, deadline, error);
        if (result < 0)
            return result;
    }
    return 0;
}

static int put_packet(struct gdb_client *client, const char *command,
                      struct error *error)
{
    char packet[80];
    uint8_t sum = 0;

    for (const char *at = command; *at != '\0'; at++)
        sum = (uint8_t)(sum + (uint8_t)*at);
    (void)snprintf(packet, sizeof packet, "$%s#%02x", command, sum);
    return put_bytes(client, packet, strlen(packet), error);
}

/* A packet that is coming: "$...#12", with "x*n" for x many times. */
struct incoming {
    uint8_t sum;
    bool escaped;
    bool repeats;
    bool too_long;
};

static void keep(struct gdb_client *client, struct incoming *incoming,
                 char byte, size_t times)
{
    if (times > GDB_REPLY_MAX - client->reply_size) {
        incoming->too_long = true;
        return;
    }
    memset(client->reply + client->reply_size, byte, times);
    client->reply_size += times;
}

static void take_byte(struct gdb_client *client, struct incoming *incoming,
                      char byte)
{
    incoming->sum = (uint8_t)(incoming->sum + (uint8_t)byte);
    if (incoming->escaped) {
        incoming->escaped = false;
        keep(client, incoming, (char)(byte ^ 0x20), 1);
    } else if (incoming->repeats) {
        incoming->repeats = false;
        if (client->reply_size > 0 && (uint8_t)byte >= 29)
            keep(client, incoming, client->reply[client->reply_size - 1],
                 (size_t)(uint8_t)byte - 29);
        else
            incoming->too_long = true;
    } else if (byte == '}') {
        incoming->escaped = true;
    } else if (byte == '*') {
        incoming->repeats = true;
    } else {
        keep(client, incoming, byte, 1);
    }
}

static int digit(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    if (byte >= 'a' && byte <= 'f')
        return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F')
        return byte - 'A' + 10;
    return -1;
}

/* Behind the '$'; IS_GOOD says whether the checksum is right. */
static int get_packet(struct gdb_client *client, uint64_t deadline,
                      bool *is_good, struct error *error)
{
    struct incoming incoming = {0};
    unsigned begun = 0;
    char byte = '\0';
    int sum = 0;
    int result;

    client->reply_size = 0;
    for (;;) {
        result = get_byte(client, deadline, &byte, error);
        if (result < 0 || byte == '#')
            break;
        /* One that was broken off is followed by another, but not for ever. */
        if (byte == '$') {
            incoming = (struct incoming){.too_long = ++begun > TRIES};
            client->reply_size = 0;
        } else {
            take_byte(client, &incoming, byte);
        }
        if (incoming.too_long)
            return garbage(client, error);
    }
    for (int i = 0; result == 0 && i < 2; i++) {
        result = get_byte(client, deadline, &byte, error);
        sum = sum * 16 + digit(byte);
    }
    client->reply[client->reply_size] = '\0';
    *is_good = sum == incoming.sum;
    return result;
}

/* What a server prints for its user while a target runs. */
static bool is_console(const struct gdb_client *client)
{
    return client->reply[0] == 'O' && strcmp(client->reply, "OK") != 0;
}

/* Skip to what a packet begins with, or a refusal of ours. */
static int find_packet(struct gdb_client *client, uint64_t deadline,
                       struct error *error)
{
    char byte = '\0';
    int result = 0;

    for (unsigned skipped = 0; skipped < GARBAGE_MAX; skipped++) {
        result = get_byte(client, deadline, &byte, error);
        if (result < 0 || byte == '$')
            return result;
        if (byte == '-')
            return SEND_AGAIN;
    }
    return garbage(client, error);
}

/* Wait for an answer; SEND_AGAIN if the server did not understand us. */
static int get_answer(struct gdb_client *client, unsigned ms,
                      struct error *error)
{
    uint64_t deadline = within(client, ms);
    unsigned bad = 0;

    client->reply[0] = '\0';
    while (bad < TRIES) {
        bool is_good = false;
        int result = find_packet(client, deadline, error);

        if (result == 0)
            result = get_packet(client, deadline, &is_good, error);
        if (result == 0)
            result = put_bytes(client, is_good ? "+" : "-", 1, error);
        if (result < 0)
            return result;
        if (is_good && !is_console(client))
            return 0;
        bad += !is_good;
    }
    return error_set(error, MCUPROF_E_FORMAT,
                     "check the connection between server and target",
                     "the answers of %s have wrong checksums", client->name);
}

int gdb_client_ask(struct gdb_client *client, const char *command,
                   struct error *error)
{
    for (int i = 0; i < TRIES; i++) {
        int result = put_packet(client, command, error);

        client->waiting = true;
        if (result == 0)
            result = get_answer(client, ANSWER_MS, error);
        client->waiting = result < 0;
        if (result != SEND_AGAIN)
            return result;
    }
    return error_set(error, MCUPROF_E_FORMAT, "restart the server",
                     "%s refuses what is sent to it as damaged", client->name);
}

/* "PacketSize=4000" among others, in hexadecimal. */
static void note_packet_size(struct gdb_client *client)
{
    const char *found = strstr(client->reply, "PacketSize=");
    unsigned long size =
            found == NULL ? 0
                          : strtoul(found + strlen("PacketSize="), NULL, 16);

    if (size > GDB_REPLY_MAX)
        size = GDB_REPLY_MAX;
    if (size >= 16)
        client->read_max = (size - 4) / 2;
}

static bool is_stop(const struct gdb_client *client)
{
    return client->reply[0] == 'T' || client->reply[0] == 'S';
}

/* Signal 0 is that of a target that runs. */
static bool is_halted(const struct gdb_client *client)
{
    return is_stop(client) && strncmp(client->reply + 1, "00", 2) != 0;
}

/* Why it stands, if it does; a server may answer that there is no target. */
static int ask_state(struct gdb_client *client, struct error *error)
{
    int result = gdb_client_ask(client, "?", error);

    if (result == 0 && (client->reply[0] == 'W' || client->reply[0] == 'X'))
        return error_set(error, MCUPROF_E_UNREACHABLE, "start it again",
                         "the program behind %s has ended", client->name);
    if (result == 0 && client->reply[0] == 'E') {
        char answer[ANSWER_SHOWN];

        text_clean(answer, sizeof answer, client->reply);
        return error_set(error, MCUPROF_E_UNREACHABLE,
                         "check that the target has power and is connected",
                         "%s has no target: it answers %s", client->name,
                         answer);
    }
    return result;
}

static int interrupt(struct gdb_client *client, struct error *error)
{
    int result = put_bytes(client, INTERRUPT, 1, error);

    client->stop_us = gdb_now_us();
    if (result == 0)
        result = get_answer(client, ANSWER_MS, error);
    return result == SEND_AGAIN ? garbage(client, error) : result;
}

/* No answer may mean that it runs: some only answer once it stands. */
static bool may_run(const struct gdb_client *client, int result)
{
    return result == 0
           || (result == MCUPROF_E_UNREACHABLE && !client->broken
               && client->reply[0] == '\0');
}

int gdb_client_halt(struct gdb_client *client, struct error *error)
{
    int result = gdb_client_ask(client, "qSupported", error);

    if (result == 0) {
        note_packet_size(client);
        result = ask_state(client, error);
    }
    if (may_run(client, result) && !is_halted(client))
        result = interrupt(client, error);
    /* Who was told to stop may say so only when asked. */
    if (may_run(client, result) && !is_halted(client))
        result = ask_state(client, error);
    if (result < 0 || is_halted(client))
        return result;
    return error_set(error, MCUPROF_E_UNREACHABLE,
                     "check that the target has power and does not sleep",
                     "the target behind %s does not stop", client->name);
}

/* The bytes of an answer to "m", at most SIZE of them; 0 if it is none. */
static size_t take_memory(const struct gdb_client *client, uint8_t *out,
                          size_t size)
{
    size_t count = client->reply_size / 2;

    if (client->reply_size % 2 != 0 || count > size)
        return 0;
    for (size_t i = 0; i < count; i++) {
        int high = digit(client->reply[2 * i]);
        int low = digit(client->reply[2 * i + 1]);

        if (high < 0 || low < 0)
            return 0;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return count;
}

/* "E14" or "E.text", or nothing, as from a server that reads none there. */
static bool is_refusal(const struct gdb_client *client)
{
    const char *reply = client->reply;

    return reply[0] == '\0'
           || (reply[0] == 'E' && (client->reply_size == 3 || reply[1] == '.'));
}

static int refused(const struct gdb_client *client, const char *act,
                   uint32_t address, size_t size, struct error *error)
{
    char answer[ANSWER_SHOWN];

    text_clean(answer, sizeof answer, client->reply);
    return error_set(error, MCUPROF_E_IO,
                     "name the ELF of the firmware that runs with -e",
                     "%s cannot %s %zu bytes at 0x%08" PRIx32 ": it answers %s",
                     client->name, act, size, address,
                     answer[0] != '\0' ? answer : "nothing");
}

static int ask_memory(struct gdb_client *client, uint32_t address, size_t size,
                      struct error *error)
{
    char command[40];
    int result;

    (void)snprintf(command, sizeof command, "m%" PRIx32 ",%zx", address, size);
    result = gdb_client_ask(client, command, error);
    /* The stop may be told late. */
    if (result == 0 && is_stop(client))
        result = get_answer(client, ANSWER_MS, error);
    return result == SEND_AGAIN ? garbage(client, error) : result;
}

int gdb_client_read(struct gdb_client *client, uint32_t address, uint8_t *out,
                    size_t size, struct error *error)
{
    struct error *failure = &client->failure;

    while (size > 0 && failure->code == 0) {
        size_t part = size < client->read_max ? size : client->read_max;

        if (ask_memory(client, address, part, failure) < 0)
            break;
        if (is_refusal(client))
            return refused(client, "read", address, part, error);
        part = take_memory(client, out, part);
        if (part == 0)
            (void)garbage(client, failure);
        address += (uint32_t)part;
        out += part;
        size -= part;
    }
    if (failure->code != 0 && error != NULL)
        *error = *failure;
    return failure->code;
}

/* What was asked last may still be answered, and wants its '+'. */
static void take_late_answer(struct gdb_client *client)
{
    if (client->waiting && get_answer(client, RESUME_MS, NULL) < 0)
        client->input_at = client->input_size;
    client->waiting = false;
}

int gdb_client_write(struct gdb_client *client, uint32_t address,
                     const uint8_t *bytes, size_t size, struct error *error)
{
    char command[40 + 2 * GDB_WRITE_MAX];
    int used = snprintf(command, sizeof command, "M%" PRIx32 ",%zx:", address,
                        size);
    int result;

    for (size_t i = 0; i < size && i < GDB_WRITE_MAX; i++)
        used += snprintf(command + used, sizeof command - (size_t)used, "%02x",
                         bytes[i]);
    take_late_answer(client);
    result = gdb_client_ask(client, command, error);
    if (result == 0 && is_stop(client))
        result = get_answer(client, ANSWER_MS, error);
    if (result == SEND_AGAIN)
        return garbage(client, error);
    if (result < 0 || strcmp(client->reply, "OK") == 0)
        return result;
    return refused(client, "write", address, size, error);
}

/* The server has the command; it is not answered before the target stops. */
static int put_acknowledged(struct gdb_client *client, const char *command,
                            struct error *error)
{
    uint64_t deadline = within(client, RESUME_MS);
    int result = put_packet(client, command, error);
    char byte = '\0';

    while (result == 0 && byte != '+') {
        result = get_byte(client, deadline, &byte, error);
        if (result == 0 && byte == '-')
            result = put_packet(client, command, error);
    }
    return result;
}

int gdb_client_resume(struct gdb_client *client, struct error *error)
{
    int answer = 0;

    /* From here on nothing else counts, signals included. */
    client->end_us = UINT64_MAX;
    take_late_answer(client);
    client->reply[0] = '\0';
    if (put_acknowledged(client, "c", NULL) == 0) {
        client->run_us = gdb_now_us();
        answer = get_answer(client, REFUSAL_MS, NULL);
    }
    if (answer == MCUPROF_E_UNREACHABLE && !client->broken)
        return 0;
    if (is_halted(client))
        return error_set(error, MCUPROF_E_UNREACHABLE,
                         "take its breakpoints away, and let it run",
                         "the target behind %s stopped again at once",
                         client->name);
    if (!client->broken && gdb_client_ask(client, "D", error) == 0
        && strcmp(client->reply, "OK") == 0) {
        client->run_us = gdb_now_us();
        return 0;
    }
    return error_set(error, MCUPROF_E_UNREACHABLE,
                     "let it run with a debugger: it may have stayed halted",
                     "%s did not let the target run again", client->name);
}
