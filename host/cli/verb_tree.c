/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include "call_rows.h"
#include "call_session.h"
#include "print_quality.h"
#include "print_table.h"
#include "units.h"

/* "1,234.568", "1,234" */
static const char *number(char out[UNITS_MAX], struct timeline_span span,
                          bool in_us)
{
    return in_us ? units_thousandths(out, call_rows_number(span, true))
                 : units_count(out, span.ticks);
}

/* The check of everything: all time is somewhere, and only once. */
static void print_sums(struct output *output,
                       const struct call_session *session,
                       const struct call_rows_sums *sums)
{
    bool in_us = session->in_us;
    bool adds_up = sums->self.ticks + sums->hooks.ticks + sums->outside.ticks
                           + sums->lost.ticks + sums->off.ticks
                   == sums->wall.ticks;
    char self[UNITS_MAX];
    char hooks[UNITS_MAX];
    char outside[UNITS_MAX];
    char lost[UNITS_MAX];
    char off[UNITS_MAX];
    char wall[UNITS_MAX];

    (void)fprintf(
            output->stream,
            "  self %s + hooks %s + outside %s + lost %s%s%s = %s %s from "
            "first to last record%s\n",
            number(self, sums->self, in_us), number(hooks, sums->hooks, in_us),
            number(outside, sums->outside, in_us),
            number(lost, sums->lost, in_us),
            sums->off.ticks > 0 ? " + off " : "",
            sums->off.ticks > 0 ? number(off, sums->off, in_us) : "",
            number(wall, sums->wall, in_us), in_us ? "us" : "cycles",
            adds_up ? "" : ": DOES NOT ADD UP");
}

static void print_notes(struct output *output,
                        const struct call_session *session,
                        const struct call_rows *rows)
{
    FILE *stream = output->stream;
    char count[UNITS_MAX];

    print_sums(output, session, &rows->sums);
    if (session->settings->raw)
        (void)fprintf(stream, "  times as they were measured, with what the "
                              "hooks of calls took\n");
    else if (session->result.hook_cost > 0)
        (void)fprintf(stream,
                      "  times without what the hooks of calls took, %u cycles "
                      "a call; --raw shows them with it\n",
                      session->result.hook_cost);
    if (rows->sums.below_zero > 0)
        (void)fprintf(stream,
                      "  paths whose hooks took more than was measured, shown "
                      "as 0: %s\n",
                      units_count(count, rows->sums.below_zero));
    (void)fprintf(stream, "  an interrupt's or another task's time is in none "
                          "of what it interrupted\n\n");
}

static json_t *span_json(struct timeline_span span, bool has_us)
{
    return json_pack("{s:I, s:o}", "cycles", (json_int_t)span.ticks, "us",
                     has_us ? json_real(call_rows_number(span, true))
                            : json_null());
}

static int print_as_json(struct output *output,
                         const struct call_session *session,
                         const struct call_rows *rows,
                         const struct quality *quality)
{
    const struct call_rows_sums *sums = &rows->sums;
    bool has_us = session->result.clock_hz > 0;
    json_t *document = call_session_json(session, "mcuprof-tree", quality);

    if (document != NULL) {
        (void)json_object_set_new(
                document, "compensated",
                json_boolean(!session->settings->raw
                             && session->result.hook_cost > 0));
        (void)json_object_set_new(document, "wall",
                                  span_json(sums->wall, has_us));
        (void)json_object_set_new(document, "self",
                                  span_json(sums->self, has_us));
        (void)json_object_set_new(document, "hooks",
                                  span_json(sums->hooks, has_us));
        (void)json_object_set_new(document, "outside",
                                  span_json(sums->outside, has_us));
        (void)json_object_set_new(document, "lost",
                                  span_json(sums->lost, has_us));
        (void)json_object_set_new(document, "off",
                                  span_json(sums->off, has_us));
    }
    return print_json(output, document, &rows->table);
}

static int print_rows(struct output *output, struct call_session *session,
                      const struct call_rows *rows)
{
    struct quality quality;
    int result = call_session_quality(session, &quality);

    if (result < 0)
        return result;
    switch (session->settings->format) {
    case FORMAT_CSV:
        print_csv(output, &rows->table);
        print_quality(output, stderr, &quality, QUALITY_ALL);
        break;
    case FORMAT_JSON:
        result = print_as_json(output, session, rows, &quality);
        break;
    default:
        print_text(output, &rows->table);
        (void)fputc('\n', output->stream);
        print_notes(output, session, rows);
        print_quality(output, output->stream, &quality, QUALITY_ALL);
        break;
    }
    quality_deinit(&quality);
    return result;
}

static int print_tree(struct output *output, struct call_session *session)
{
    const struct settings *settings = session->settings;
    struct call_tree *tree = call_tree_new();
    struct call_rows rows;
    int result = tree == NULL
                         ? MCUPROF_E_NOMEM
                         : call_session_replay(session, call_tree_event, tree);

    if (result == 0)
        result = call_rows_init(
                &rows,
                &(struct call_rows_options){
                        .in_us = session->in_us,
                        .raw = settings->raw,
                        .depth = (size_t)settings->depth,
                        .contexts = settings->contexts.items,
                        .context_count = settings->contexts.count},
                &(struct call_rows_model){.tree = tree,
                                          .result = &session->result,
                                          .names = session->names});
    if (result == 0) {
        result = print_rows(output, session, &rows);
        call_rows_deinit(&rows);
    }
    call_tree_free(tree);
    return result;
}

int verb_tree(const struct settings *settings)
{
    return call_session_run(settings, print_tree);
}
