/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gdb_client.h"

/*
 * A server whose answers are all on their way before they are asked for: what
 * it heard is looked at afterwards. How it may misbehave in time is for
 * tests/cli/gdb_server.bats.
 */
struct server {
    int fds[2];
    struct gdb_client client;
    struct error error;
};

static int set_up(void **state)
{
    struct server *server = calloc(1, sizeof *server);

    if (server == NULL || socketpair(AF_UNIX, SOCK_STREAM, 0, server->fds) < 0)
        return -1;
    (void)fcntl(server->fds[0], F_SETFL, O_NONBLOCK);
    (void)fcntl(server->fds[1], F_SETFL, O_NONBLOCK);
    gdb_client_init(&server->client, server->fds[0], "the server", 5000);
    *state = server;
    return 0;
}

static int tear_down(void **state)
{
    struct server *server = *state;

    (void)close(server->fds[0]);
    (void)close(server->fds[1]);
    free(server);
    return 0;
}

static void say_raw(struct server *server, const char *text)
{
    assert_int_equal(send(server->fds[1], text, strlen(text), 0), strlen(text));
}

/* "+$TEXT#12", as the protocol has it. */
static void say(struct server *server, const char *text)
{
    char packet[600];
    unsigned sum = 0;

    for (const char *at = text; *at != '\0'; at++)
        sum += (unsigned char)*at;
    (void)snprintf(packet, sizeof packet, "+$%s#%02x", text, sum & 255);
    say_raw(server, packet);
}

static void assert_heard(struct server *server, const char *expected)
{
    char heard[600];
    ssize_t got = recv(server->fds[1], heard, sizeof heard - 1, 0);

    heard[got < 0 ? 0 : got] = '\0';
    assert_string_equal(heard, expected);
}

/* Checksums by hand: 'm'+'2'+'0'+','+'4' = 0x6d+0x32+0x30+0x2c+0x34 = 0x12f. */
static void test_read(void **state)
{
    struct server *server = *state;
    uint8_t out[4];

    say(server, "0aBc0102");
    assert_int_equal(gdb_client_read(&server->client, 0x20, out, 4, NULL), 0);
    assert_memory_equal(out, "\x0A\xBC\x01\x02", 4);
    assert_heard(server, "$m20,4#2f+");
}

/* "0* " is 0 four times: 0x20 - 29 more; '"' is five more than one. */
static void test_run_lengths(void **state)
{
    struct server *server = *state;
    uint8_t out[6];

    say(server, "0* 7f3*\"");
    assert_int_equal(gdb_client_read(&server->client, 0x20, out, 6, NULL), 0);
    assert_memory_equal(out, "\0\0\x7F\x33\x33\x33", 6);
}

static void test_escapes(void **state)
{
    struct server *server = *state;

    /* 0x03 ^ 0x20 is '#', which may not stand for itself. */
    say(server, "a}\x03"
                "b");
    assert_int_equal(gdb_client_ask(&server->client, "x", NULL), 0);
    assert_string_equal(server->client.reply, "a#b");
}

static void test_parts(void **state)
{
    struct server *server = *state;
    uint8_t out[6] = {0};

    /* Less than was asked for is gone on with. */
    say(server, "010203");
    say(server, "04");
    say(server, "0506");
    assert_int_equal(gdb_client_read(&server->client, 0xFFFFFFF0, out, 6, NULL),
                     0);
    assert_memory_equal(out, "\1\2\3\4\5\6", 6);
    assert_heard(server, "$mfffffff0,6#c9+$mfffffff3,3#c9+$mfffffff4,2#c9+");
}

static void test_repetition(void **state)
{
    struct server *server = *state;
    uint8_t out[1];

    /* Refused by us, then by it; what stands around packets is no matter. */
    say_raw(server, "+$01#60");
    say_raw(server, "noise$01#61");
    assert_int_equal(gdb_client_read(&server->client, 0, out, 1, NULL), 0);
    assert_heard(server, "$m0,1#fa-+");
    say_raw(server, "-");
    say(server, "02");
    assert_int_equal(gdb_client_read(&server->client, 0, out, 1, NULL), 0);
    assert_int_equal(out[0], 2);
    assert_heard(server, "$m0,1#fa$m0,1#fa+");
    /* One that is broken off by the next. */
    say_raw(server, "+$0$03#63");
    assert_int_equal(gdb_client_read(&server->client, 0, out, 1, NULL), 0);
    assert_int_equal(out[0], 3);
}

static void test_no_memory(void **state)
{
    static const char *const answers[] = {"0", "0x", "0102030405", "OK", "e1"};
    struct server *server = *state;
    uint8_t out[4];

    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        memset(&server->client.failure, 0, sizeof server->client.failure);
        say(server, answers[i]);
        /* That is a byte, and no error. */
        if (i == 4)
            say(server, "zz");
        assert_int_equal(
                gdb_client_read(&server->client, 0, out, 4, &server->error),
                MCUPROF_E_FORMAT);
        assert_true(server->error.remedy[0] != '\0');
    }
    /* After that it is not asked any more. */
    assert_int_equal(gdb_client_read(&server->client, 0, out, 4, NULL),
                     MCUPROF_E_FORMAT);
    memset(&server->client.failure, 0, sizeof server->client.failure);
}

/* Where there is nothing, elsewhere may be something. */
static void test_refusals(void **state)
{
    static const struct {
        const char *answer;
        const char *cause;
    } refusals[] = {
            {"E0f", "it answers E0f"},
            {"E.no memory\x1b[31m there", "it answers E.no memory?[31m there"},
            {"E.", "it answers E."},
            {"", "it answers nothing"},
    };
    struct server *server = *state;
    uint8_t out[4];

    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        say(server, refusals[i].answer);
        assert_int_equal(
                gdb_client_read(&server->client, 0, out, 4, &server->error),
                MCUPROF_E_IO);
        assert_non_null(strstr(server->error.cause, refusals[i].cause));
        say(server, "01020304");
        assert_int_equal(gdb_client_read(&server->client, 0, out, 4, NULL), 0);
    }
    /* Three digits of it are no error. */
    say(server, "E012");
    assert_int_equal(gdb_client_read(&server->client, 0, out, 2, NULL), 0);
    assert_memory_equal(out, "\xE0\x12", 2);
}

/* That the target stands may be told behind the first question. */
static void test_late_stop(void **state)
{
    struct server *server = *state;
    uint8_t out[4];

    say(server, "T02thread:01;");
    say_raw(server, "$01020304#8a");
    assert_int_equal(gdb_client_read(&server->client, 0x20, out, 4, NULL), 0);
    assert_memory_equal(out, "\x01\x02\x03\x04", 4);
    assert_heard(server, "$m20,4#2f++");
}

static void test_halt(void **state)
{
    struct server *server = *state;
    uint64_t connected = --server->client.stop_us;

    say(server, "swbreak+;PacketSize=100;vContSupported+");
    say(server, "T05thread:01;");
    assert_int_equal(gdb_client_halt(&server->client, NULL), 0);
    assert_int_equal(server->client.read_max, 126);
    assert_int_equal(server->client.stop_us, connected);
    assert_heard(server, "$qSupported#37+$?#3f+");
    /* It runs: it is told to stop, and says so. */
    say(server, "");
    say(server, "S00");
    say(server, "T02");
    assert_int_equal(gdb_client_halt(&server->client, NULL), 0);
    assert_heard(server, "$qSupported#37+$?#3f+\x03+");
    /* It ran until then. */
    assert_true(server->client.stop_us > connected);
    /* Or only when asked again. */
    say(server, "");
    say(server, "S00");
    say(server, "S00");
    say(server, "S02");
    assert_int_equal(gdb_client_halt(&server->client, NULL), 0);
    say(server, "");
    say(server, "W00");
    assert_int_equal(gdb_client_halt(&server->client, &server->error),
                     MCUPROF_E_UNREACHABLE);
    assert_non_null(strstr(server->error.cause, "has ended"));
}

static void test_resume(void **state)
{
    struct server *server = *state;

    say_raw(server, "+");
    assert_int_equal(gdb_client_resume(&server->client, NULL), 0);
    assert_heard(server, "$c#63");
    assert_true(server->client.run_us >= server->client.stop_us);
}

/* Neither a time that is over nor a signal leaves a target halted. */
static void test_resume_in_any_case(void **state)
{
    struct server *server = *state;
    uint8_t out[1];
    sigset_t held, before;
    int number = 0;
    int result;

    gdb_client_init(&server->client, server->fds[0], "the server", 0);
    server->client.end_us = 0;
    say(server, "01");
    assert_int_equal(
            gdb_client_read(&server->client, 0, out, 1, &server->error),
            MCUPROF_E_UNREACHABLE);
    (void)sigemptyset(&held);
    (void)sigaddset(&held, SIGTERM);
    (void)sigprocmask(SIG_BLOCK, &held, &before);
    (void)raise(SIGTERM);
    say_raw(server, "+");
    result = gdb_client_resume(&server->client, NULL);
    (void)sigwait(&held, &number);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    assert_int_equal(result, 0);
    assert_int_equal(number, SIGTERM);
    assert_heard(server, "$m0,1#fa+$c#63");
}

static void test_resume_refused_as_damaged(void **state)
{
    struct server *server = *state;

    say_raw(server, "-+");
    assert_int_equal(gdb_client_resume(&server->client, NULL), 0);
    assert_heard(server, "$c#63$c#63");
}

static void test_stopped_again(void **state)
{
    struct server *server = *state;

    say(server, "T05swbreak:;");
    assert_int_equal(gdb_client_resume(&server->client, &server->error),
                     MCUPROF_E_UNREACHABLE);
    assert_non_null(strstr(server->error.cause, "stopped again at once"));
    assert_heard(server, "$c#63+");
}

/* Who serves another hangs up at once, or says nothing at all. */
static void test_somebody_else_is_connected(void **state)
{
    struct server *server = *state;
    uint8_t out[4];

    server->client.end_us = gdb_now_us();
    assert_int_equal(
            gdb_client_read(&server->client, 0, out, 4, &server->error),
            MCUPROF_E_UNREACHABLE);
    assert_non_null(strstr(server->error.cause, "does not answer"));
    assert_non_null(strstr(server->error.remedy, "the other debugger"));
    gdb_client_init(&server->client, server->fds[0], "the server", 5000);
    (void)shutdown(server->fds[1], SHUT_WR);
    assert_int_equal(
            gdb_client_read(&server->client, 0, out, 4, &server->error),
            MCUPROF_E_UNREACHABLE);
    assert_non_null(strstr(server->error.cause, "without a word"));
    assert_non_null(strstr(server->error.remedy, "the other debugger"));
}

static void test_nobody_else_is_connected(void **state)
{
    struct server *server = *state;
    uint8_t out[4];

    say_raw(server, "+");
    (void)shutdown(server->fds[1], SHUT_WR);
    assert_int_equal(
            gdb_client_read(&server->client, 0, out, 4, &server->error),
            MCUPROF_E_UNREACHABLE);
    assert_null(strstr(server->error.remedy, "the other debugger"));
}

/* An answer that is still on its way is taken before. */
static void test_resume_in_the_middle(void **state)
{
    struct server *server = *state;

    server->client.waiting = true;
    say(server, "0102");
    say_raw(server, "+");
    assert_int_equal(gdb_client_resume(&server->client, NULL), 0);
    assert_heard(server, "+$c#63");
}

static void test_resume_by_detaching(void **state)
{
    struct server *server = *state;

    say(server, "E01");
    say(server, "OK");
    assert_int_equal(gdb_client_resume(&server->client, NULL), 0);
    assert_heard(server, "$c#63+$D#44+");
}

static void test_it_has_gone(void **state)
{
    struct server *server = *state;
    uint8_t out[4];

    (void)close(server->fds[1]);
    assert_int_equal(
            gdb_client_read(&server->client, 0, out, 4, &server->error),
            MCUPROF_E_UNREACHABLE);
    assert_non_null(strstr(server->error.cause, "closed the connection"));
    assert_int_equal(gdb_client_resume(&server->client, &server->error),
                     MCUPROF_E_UNREACHABLE);
    assert_non_null(strstr(server->error.remedy, "halted"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_read, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_run_lengths, set_up,
                                            tear_down),
            cmocka_unit_test_setup_teardown(test_escapes, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_parts, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_repetition, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_no_memory, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_refusals, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_late_stop, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_resume_in_any_case, set_up,
                                            tear_down),
            cmocka_unit_test_setup_teardown(test_resume_refused_as_damaged,
                                            set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_stopped_again, set_up,
                                            tear_down),
            cmocka_unit_test_setup_teardown(test_somebody_else_is_connected,
                                            set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_nobody_else_is_connected,
                                            set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_halt, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_resume, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_resume_in_the_middle, set_up,
                                            tear_down),
            cmocka_unit_test_setup_teardown(test_resume_by_detaching, set_up,
                                            tear_down),
            cmocka_unit_test_setup_teardown(test_it_has_gone, set_up,
                                            tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
