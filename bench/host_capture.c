/* SPDX-License-Identifier: MIT */
/*
 * host_capture N [ADDRESSES]: writes a capture of N samples to standard
 * output, with two contexts and jittered lateness: 3,000 addresses in 200
 * functions, Zipf-like, or those in the file ADDRESSES, each at least once if
 * N allows, the first ones more often. Frames are as the firmware sends them,
 * docs/wire.md.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define BASE 0x08000000u
#define ADDRESSES 3000u
#define ADDRESSES_MAX 1000000u
#define PERIOD 16800u

static uint32_t state = 1;
static uint16_t seq;
static uint32_t *addresses; /* NULL: made up */
static uint32_t address_count;

static uint32_t dice(uint32_t sides)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % sides;
}

static uint8_t *put(uint8_t *at, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        *at++ = (uint8_t)(value >> 8 * i);
    return at;
}

static uint8_t *put_varint(uint8_t *at, uint32_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

/* RAW begins with three bytes to be filled: type and number. */
static void send(uint8_t type, uint8_t *raw, uint8_t *end)
{
    uint8_t out[300] = {0};
    uint8_t *code = out + 1;
    uint8_t *at = code + 1;

    raw[0] = type;
    (void)put(raw + 1, seq++, 2);
    end = put(end, crc32(0, raw, (uInt)(end - raw)), 4);
    for (; raw < end; raw++) {
        if (*raw != 0) {
            *at++ = *raw;
            continue;
        }
        *code = (uint8_t)(at - code);
        code = at++;
    }
    *code = (uint8_t)(at - code);
    *at++ = 0;
    if (fwrite(out, 1, (size_t)(at - out), stdout) != (size_t)(at - out))
        exit(1);
}

static void send_hello(void)
{
    uint8_t raw[300] = {0};
    uint8_t *p = raw + 3;

    p[0] = 1;
    p[1] = 0x10 | (seq == 0);
    p[2] = 1;
    p[3] = 1;
    p[4] = 32;
    (void)put(p + 6, 60, 2);
    (void)put(p + 8, 0x410FC241, 4);
    (void)put(p + 16, 168000000, 4);
    (void)put(p + 20, PERIOD, 4);
    p[46] = 1;
    p[47] = 8;
    (void)put(p + 52, 15, 2);
    p[55] = 1;
    send(0x01, raw, p + 56);
}

static void send_time(uint32_t produced)
{
    uint8_t raw[300] = {0};
    uint8_t *p = put(raw + 3, (uint64_t)produced * PERIOD, 8) + 8;

    p[0] = 1;
    p[1] = 24;
    (void)put(p + 4, produced, 4);
    send(0x03, raw, p + 24);
}

static uint32_t pick_half(uint32_t index)
{
    if (address_count == 0)
        return BASE / 2 + 7 * dice(1 + dice(ADDRESSES));
    if (index >= address_count)
        index = dice(1 + dice(address_count));
    return addresses[index] / 2;
}

static uint32_t send_samples(uint32_t first, uint32_t count)
{
    uint8_t raw[300];
    uint8_t *at = put(put(raw + 3, first, 4), 0, 4);
    uint32_t half = 0;
    uint32_t context = 0;
    uint32_t done = 0;

    while (done < count && at < raw + 3 + 240 - 11) {
        uint32_t pc = pick_half(first + done);
        uint32_t next = dice(20) == 0 ? 15 : 0;
        int32_t step = (int32_t)(pc - half);
        uint32_t zigzag =
                step < 0 ? 2 * (uint32_t)-step - 1 : 2 * (uint32_t)step;

        at = put_varint(at, 2 * zigzag + (next != context));
        if (next != context)
            at = put_varint(at, next);
        at = put_varint(at, dice(100) == 0 ? dice(4000) : dice(100));
        half = pc;
        context = next;
        done++;
    }
    send(0x10, raw, at);
    return done;
}

/* One hexadecimal address a line. */
static void read_addresses(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[32];

    if (file == NULL) {
        perror(path);
        exit(1);
    }
    addresses = malloc(ADDRESSES_MAX * sizeof *addresses);
    while (addresses != NULL && address_count < ADDRESSES_MAX
           && fgets(line, sizeof line, file) != NULL)
        addresses[address_count++] = (uint32_t)strtoul(line, NULL, 16);
    (void)fclose(file);
    if (address_count == 0) {
        (void)fprintf(stderr, "%s: no addresses\n", path);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000000;
    uint32_t hello = 0;

    if (argc > 2)
        read_addresses(argv[2]);
    for (uint32_t done = 0; done < count;) {
        if (done >= hello) {
            send_hello();
            send_time(done);
            hello = done + 2000;
        }
        done += send_samples(done, count - done);
    }
    send_time(count);
    return fflush(stdout) != 0;
}
