/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include "capture.h"
#include "complain.h"
#include "load.h"
#include "output.h"
#include "print_quality.h"
#include "print_table.h"
#include "quality.h"
#include "symbolize.h"
#include "timeline.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#define SCHEMA_VERSION 1

/* The timeline has the records of rings that were read from RAM, no others:
   what a stream brings may be long. */
struct info {
    struct capture *capture;
    struct timeline *timeline;
    struct decode_handler follower;
    uint64_t left; /* records that the ring may still bring */
    struct fact ring_seconds;
};

static const struct table_column columns[] = {
        {"item", "item", TABLE_TEXT, TABLE_EVERYWHERE},
        {"value", "value", TABLE_TEXT, TABLE_EVERYWHERE},
};

static int add(struct table *table, const char *item, const char *value)
{
    struct table_cell *cells = table_add(table, false);

    if (cells == NULL || table_set_text(&cells[0], item) < 0)
        return MCUPROF_E_NOMEM;
    return table_set_text(&cells[1], value);
}

static int add_host(struct table *table, const struct capture *capture)
{
    time_t seconds = (time_t)(capture->host.unix_ms / 1000);
    struct tm when;
    char text[400] = "unknown";
    int error;

    if (!capture->has_host)
        return add(table, "recorded", "not by `mcuprof record`");
    if (gmtime_r(&seconds, &when) != NULL)
        (void)strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &when);
    error = add(table, "recorded", text);
    if (error == 0)
        error = add(table, "recorded by", capture->host.version);
    if (error == 0)
        error = add(table, "elf",
                    capture->host.elf[0] != '\0' ? capture->host.elf
                                                 : "not named");
    return error;
}

static const struct {
    uint8_t type;
    const char *name;
} types[] = {
        {MCUPROF_WIRE_HELLO, "HELLO"},
        {MCUPROF_WIRE_BUILD, "BUILD"},
        {MCUPROF_WIRE_TIME, "TIME"},
        {MCUPROF_WIRE_CONTEXT, "CONTEXT"},
        {MCUPROF_WIRE_SELFTEST, "SELFTEST"},
        {MCUPROF_WIRE_HOTSPOTS, "HOTSPOTS"},
        {MCUPROF_WIRE_RING, "RING"},
        {MCUPROF_WIRE_FUNCTIONS, "FUNCTIONS"},
        {MCUPROF_WIRE_SAMPLE, "SAMPLE"},
        {MCUPROF_WIRE_TRACE, "TRACE"},
        {MCUPROF_WIRE_HOST, "HOST"},
};

static void name_type(uint8_t type, char *out, size_t size)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].type == type) {
            (void)snprintf(out, size, "%s", types[i].name);
            return;
        }
    (void)snprintf(out, size, "unknown type 0x%02x", type);
}

static int add_frames(struct table *table, const struct capture *capture)
{
    char name[40];
    char item[60];
    char value[40];
    int error = 0;

    for (unsigned type = 0; type < 256 && error == 0; type++) {
        uint64_t count = capture->decoder.stats.by_type[type];

        if (count == 0)
            continue;
        name_type((uint8_t)type, name, sizeof name);
        (void)snprintf(item, sizeof item, "frames, %s", name);
        (void)snprintf(value, sizeof value, "%" PRIu64, count);
        error = add(table, item, value);
    }
    return error;
}

static int add_contexts(struct table *table, const struct capture *capture)
{
    char item[40];
    char name[SYMBOLIZE_CONTEXT_MAX];
    int error = 0;

    for (size_t i = 0; i < capture->context_count && error == 0; i++) {
        const struct wire_context *context = &capture->contexts[i];

        if (!context->named)
            continue;
        (void)snprintf(item, sizeof item, "context %u", context->id);
        symbolize_context(capture, NULL, context->id, name, sizeof name);
        error = add(table, item, name);
    }
    return error;
}

static int fill(struct table *table, const struct capture *capture,
                const struct quality *quality)
{
    int error = add_host(table, capture);
    const char *label = "";

    for (size_t i = 0; i < quality->line_count && error == 0; i++) {
        if (quality->lines[i].label[0] != '\0')
            label = quality->lines[i].label;
        error = add(table, label, quality->lines[i].text);
    }
    if (error == 0)
        error = add_frames(table, capture);
    if (error == 0)
        error = add_contexts(table, capture);
    return error;
}

static int print_as_json(struct output *output, const struct table *table,
                         const struct quality *quality)
{
    return print_json(output,
                      json_pack("{s:s, s:i, s:o}", "schema", "mcuprof-info",
                                "schema_version", SCHEMA_VERSION, "quality",
                                quality_json(quality)),
                      table);
}

static void print_items(struct output *output, const struct table *table)
{
    const char *last = "";
    size_t widest = 0;

    for (size_t i = 0; i < table->row_count; i++) {
        size_t width = strlen(table_get(table, i, 0)->text);

        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < table->row_count; i++) {
        const char *item = table_get(table, i, 0)->text;

        print_labelled(output->stream, output->width,
                       strcmp(item, last) == 0 ? "" : item, (int)widest,
                       table_get(table, i, 1)->text);
        last = item;
    }
}

static int print(struct output *output, enum format format,
                 const struct table *table, const struct quality *quality)
{
    if (format == FORMAT_JSON)
        return print_as_json(output, table, quality);
    if (format == FORMAT_CSV) {
        print_csv(output, table);
        return 0;
    }
    print_items(output, table);
    return 0;
}

static int make_info(struct output *output, const struct settings *settings,
                     const struct info *info)
{
    const struct capture *capture = info->capture;
    const struct quality_subject subject = {.capture = capture,
                                            .ring_seconds = info->ring_seconds};
    struct quality quality;
    struct table table;
    int error = quality_init(&quality, &subject);

    if (error < 0)
        return error;
    table_init(&table, columns, sizeof columns / sizeof columns[0]);
    error = fill(&table, capture, &quality);
    if (error == 0)
        error = print(output, (enum format)settings->format, &table, &quality);
    table_deinit(&table);
    quality_deinit(&quality);
    return error;
}

static int run_info(const struct settings *settings, const struct info *info)
{
    struct output output;
    struct error error;
    int status = output_begin(&output, (enum color)settings->color);
    int result;

    if (status != 0)
        return status;
    result = make_info(&output, settings, info);
    if (result < 0) {
        (void)error_set(&error, result, "", "%s", error_message(result));
        status = complain(&error);
    } else if (settings->strict && capture_is_incomplete(info->capture)) {
        status = STATUS_INCOMPLETE;
    }
    return output_end(&output, status);
}

static int on_restart(void *context)
{
    const struct info *info = context;

    return timeline_restart(info->timeline);
}

static int on_hello(void *context, const struct wire_hello *hello)
{
    const struct info *info = context;

    return timeline_hello(info->timeline, hello);
}

static int on_ring(void *context, const struct wire_ring *ring)
{
    struct info *info = context;

    info->left = ring->records;
    return 0;
}

static int on_trace(void *context, const struct wire_trace_part *part)
{
    struct info *info = context;

    if (part->count > info->left)
        return 0;
    info->left -= part->count;
    return timeline_trace(info->timeline, part);
}

/* The time that the ring's records span, if their clock is known. */
static int measure_ring(struct info *info)
{
    struct timeline_result ring;
    int result = timeline_end(info->timeline);

    if (result < 0)
        return result;
    result = timeline_replay(info->timeline, NULL, NULL, &ring);
    if (result == 0 && ring.wall.ps > 0)
        info->ring_seconds = (struct fact){
                .known = true, .value = (double)ring.wall.ps / 1e12};
    timeline_result_deinit(&ring);
    return result;
}

static int load(struct info *info, const char *name,
                const struct settings *settings, struct error *error)
{
    int result;

    info->capture = capture_new();
    info->timeline = timeline_new();
    if (info->capture == NULL || info->timeline == NULL)
        return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    info->follower = (struct decode_handler){.context = info,
                                             .restart = on_restart,
                                             .hello = on_hello,
                                             .ring = on_ring,
                                             .trace = on_trace};
    capture_follow(info->capture, &info->follower);
    result = load_into(info->capture, name, &settings->elfs, error);
    if (result < 0)
        return result;
    result = measure_ring(info);
    return result < 0
                   ? error_set(error, result, "", "%s", error_message(result))
                   : 0;
}

int verb_info(const struct settings *settings)
{
    const char *name = settings->argument_count > 0 ? settings->arguments[0]
                                                    : DEFAULT_CAPTURE;
    struct info info = {0};
    struct error error;
    int status = load(&info, name, settings, &error) < 0
                         ? complain(&error)
                         : run_info(settings, &info);

    timeline_free(info.timeline);
    capture_free(info.capture);
    return status;
}
