/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "demangle.h"
#include "text.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* Hostile names take milliseconds; the alarm's default is to kill. */
#define SECONDS_MAX 20
#define MEMORY_MAX_KIB 65536L

static long memory_kib(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

static void append(char *name, const char *part)
{
    memcpy(name + strlen(name), part, strlen(part) + 1);
}

static void check(enum demangle style, const char *name, const char *expected)
{
    char out[DEMANGLE_MAX];

    demangle(style, name, out);
    assert_string_equal(out, expected);
}

/* source: Itanium C++ ABI, 5.1, whose letters are spelled out here. */
static void test_cxx(void **unused)
{
    static const struct {
        const char *name;
        const char *simple;
        const char *full;
    } names[] = {
            {"_Z3addiPKc", "add", "add(int, char const*)"},
            {"_ZN3net5queueIiE4pushEi", "net::queue<int>::push",
             "net::queue<int>::push(int)"},
            {"_Z3maxIdET_S0_S0_", "max<double>",
             "double max<double>(double, double)"},
            {"_ZNK3net5queueIiE4sizeEv", "net::queue<int>::size",
             "net::queue<int>::size() const"},
            {"_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()",
             "main::{lambda(int)#1}::operator()(int) const"},
            {"_ZN3FooC2Ev", "Foo::Foo", "Foo::Foo()"},
            {"_ZN3FooplERKS_", "Foo::operator+", "Foo::operator+(Foo const&)"},
    };

    (void)unused;
    for (size_t i = 0; i < LENGTH(names); i++) {
        check(DEMANGLE_SIMPLE, names[i].name, names[i].simple);
        check(DEMANGLE_FULL, names[i].name, names[i].full);
        check(DEMANGLE_NO, names[i].name, names[i].name);
    }
}

/* source: rustc's legacy mangling, and RFC 2603 with its own examples */
static void test_rust(void **unused)
{
    (void)unused;
    check(DEMANGLE_SIMPLE, "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
          "core::fmt::Write::write_fmt");
    check(DEMANGLE_FULL, "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
          "core::fmt::Write::write_fmt::h0123456789abcdef");
    check(DEMANGLE_SIMPLE,
          "_ZN40_$LT$T$u20$as$u20$app..Task$LT$U$GT$$GT$3run"
          "17hfedcba9876543210E",
          "<T as app::Task<U>>::run");
    check(DEMANGLE_SIMPLE, "_RNvCs1234_7mycrate3foo", "mycrate::foo");
    check(DEMANGLE_FULL, "_RNvCs_7mycrate3foo", "mycrate[1]::foo");
    check(DEMANGLE_SIMPLE, "_RINvCs_7mycrate3fooNtB2_3BarE",
          "mycrate::foo::<mycrate::Bar>");
    /* "gödel" in Punycode */
    check(DEMANGLE_SIMPLE, "_RNvC7mycrateu8gdel_5qa",
          "mycrate::g\xC3\xB6"
          "del");
}

static void test_clones(void **unused)
{
    (void)unused;
    check(DEMANGLE_SIMPLE, "_Z3addi.constprop.0", "add.constprop.0");
    check(DEMANGLE_FULL, "_Z3addi.part.0.cold", "add(int).part.0.cold");
    check(DEMANGLE_NO, "_Z3addi.isra.0", "_Z3addi.isra.0");
    check(DEMANGLE_SIMPLE, "crc16.lto_priv.0", "crc16.lto_priv.0");
    check(DEMANGLE_SIMPLE, "_ZN3app3run17hfedcba9876543210E.llvm.1234",
          "app::run.llvm.1234");
    check(DEMANGLE_SIMPLE,
          "_ZN40_$LT$T$u20$as$u20$app..Task$LT$U$GT$$GT$3run"
          "17hfedcba9876543210E.cold",
          "<T as app::Task<U>>::run.cold");
    check(DEMANGLE_SIMPLE, "_RNvC7mycrate3foo.cold", "mycrate::foo.cold");
}

static void test_unmangled(void **unused)
{
    static const char umlaut[] = "f\xC3\xBCr";
    static const char *const names[] = {
            "main",   "_start",   "__aeabi_uldivmod",
            "",       "_",        "_Z",
            "_R",     "_ZN",      "Reset_Handler.part.0",
            "$t",     "??main_2", "_ZN4core17h0123456789abcdef",
            "a.b.c",  "_Z3fo",    "_GNU",
            "[idle]", umlaut,
    };

    (void)unused;
    for (size_t i = 0; i < LENGTH(names); i++)
        for (enum demangle style = 0; style <= DEMANGLE_NO; style++)
            check(style, names[i], names[i]);
}

/* source: RFC 3629; ECMA-48, 5.3 for the controls */
static void test_clean(void **unused)
{
    static const struct {
        const char *text;
        const char *clean;
    } texts[] = {
            {"a\x1B[31m\nb\x7F\t", "a?[31m?b??"},
            {"\xC2\x9B"
             "2J",
             "?2J"},                    /* CSI as one character */
            {"\xC2\x80\xC2\x9F", "??"}, /* both ends of C1 */
            {"\xC2\xA0", "\xC2\xA0"},   /* the first behind them */
            {"\x9B\x80", "??"},         /* no UTF-8 */
            {"\xC3", "?"},              /* cut off */
            {"\xC3(", "?("},
            {"\xC0\x80", "??"}, /* too long a form */
            {"\xE0\x80\xA0", "???"},
            {"\xED\xA0\x80", "???"},      /* half a surrogate pair */
            {"\xF4\x90\x80\x80", "????"}, /* beyond U+10FFFF */
            {"\xF4\x8F\xBF\xBF", "\xF4\x8F\xBF\xBF"},
            {"\xE2\x82\xAC \xF0\x9F\x90\x9B", "\xE2\x82\xAC \xF0\x9F\x90\x9B"},
            {"\xFF\xFE", "??"},
    };

    (void)unused;
    for (size_t i = 0; i < LENGTH(texts); i++)
        check(DEMANGLE_SIMPLE, texts[i].text, texts[i].clean);
    /* A mangled name can hold any of this as well. */
    check(DEMANGLE_SIMPLE, "_Z4a\x1B[bv", "a?[b");
    check(DEMANGLE_SIMPLE, "_Z3a\xC2\x9Bv", "a?");
}

static void test_cut(void **unused)
{
    char out[8];

    (void)unused;
    text_clean(out, sizeof out, "1234567");
    assert_string_equal(out, "1234567");
    text_clean(out, sizeof out, "12345678");
    assert_string_equal(out, "1234...");
    /* Never within a character. */
    text_clean(out, sizeof out,
               "123\xC3\xB6"
               "5678");
    assert_string_equal(out, "123...");
    text_clean(out, sizeof out,
               "12\xC3\xB6"
               "5678");
    assert_string_equal(out, "12\xC3\xB6...");
    text_clean(out, sizeof out, "\xE2\x80\xAE\xE2\x80\xA8\xE2\x80\xB0");
    assert_string_equal(out, "??\xE2\x80\xB0");
    text_clean(out, 4, "12345");
    assert_string_equal(out, "...");
    assert_int_equal(text_width("123"), 3);
    assert_int_equal(text_width("1\xC3\xB6\xE2\x82\xAC"), 3);
}

/* Where NAME means more than fits, its beginning is right and the end "...". */
static void check_cut(enum demangle style, const char *name, const char *begin)
{
    char out[DEMANGLE_MAX];

    demangle(style, name, out);
    assert_memory_equal(out, begin, strlen(begin));
    assert_true(strlen(out) < sizeof out);
    assert_true(strlen(out) > sizeof out - 8);
    assert_string_equal(out + strlen(out) - 3, "...");
}

/* "S_", "S0_" ... "SZ_", "S10_" ...: the parts of a C++ name so far. */
static void append_reference(char *name, unsigned number)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char text[8] = "S_";

    if (number > 36)
        (void)snprintf(text, sizeof text, "S%c%c_", digits[(number - 1) / 36],
                       digits[(number - 1) % 36]);
    else if (number > 0)
        (void)snprintf(text, sizeof text, "S%c_", digits[number - 1]);
    append(name, text);
}

/*
 * f(A<int, int>, A<x, x>, A<y, y> ...) where each argument is the one before
 * it twice: 2^60 times "int" in the last one.
 */
static void test_doubling(void **unused)
{
    char name[DEMANGLE_MAX] = "_Z1f1AIiiE";

    (void)unused;
    for (unsigned i = 0; i < 60; i++) {
        append(name, "S_I");
        append_reference(name, i + 1);
        append_reference(name, i + 1);
        append(name, "E");
    }
    assert_true(strlen(name) < 1000);
    check(DEMANGLE_SIMPLE, name, "f");
    check_cut(DEMANGLE_FULL, name,
              "f(A<int, int>, A<A<int, int>, A<int, int> >, A<A<A<int");
}

/*
 * The same within a pack expansion, where libiberty searches all of it before
 * it prints anything. What comes out does not matter; that it does, does.
 */
static void test_doubling_in_a_pack(void **unused)
{
    static const char *const begins[] = {"_Z1fDp", "_Z1fIDp", "_Z1fIiEvDp"};
    static const char *const ends[] = {"", "Ev", ""};
    char out[DEMANGLE_MAX];

    (void)unused;
    for (size_t k = 0; k < LENGTH(begins); k++)
        for (unsigned first = 0; first < 4; first++) {
            char name[2 * DEMANGLE_MAX];

            (void)snprintf(name, sizeof name, "%s1AI", begins[k]);
            for (unsigned i = 0; i < 60; i++) {
                append_reference(name, first);
                append(name, "I");
            }
            append(name, "iiE");
            for (unsigned i = 0; i < 60; i++) {
                append_reference(name, first + 1 + i);
                append(name, "E");
            }
            append(name, ends[k]);
            assert_true(strlen(name) < 1000);
            demangle(DEMANGLE_SIMPLE, name, out);
            demangle(DEMANGLE_FULL, name, out);
        }
}

/* Packs as compilers write them go through, references or not. */
static void test_packs(void **unused)
{
    char name[DEMANGLE_MAX] = "_Z1fIJicEEvDpT_";

    (void)unused;
    check(DEMANGLE_FULL, name, "void f<int, char>(int, char)");
    name[0] = '\0';
    append(name, "_Z1fIJiEEvDpT_1A");
    for (unsigned i = 0; i < 30; i++)
        append(name, "S2_");
    check(DEMANGLE_SIMPLE, name, "f<int>");
    /* Thirty-one times the type A, which is the third part of the name. */
    char expected[DEMANGLE_MAX] = "void f<int>(int, A";
    for (unsigned i = 0; i < 30; i++)
        append(expected, ", A");
    append(expected, ")");
    check(DEMANGLE_FULL, name, expected);
}

static size_t append_base62(char *name, size_t value)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char text[16] = "_";
    size_t at = sizeof text - 1;

    if (value > 0) {
        text[at] = '\0';
        text[--at] = '_';
        value--;
        do {
            text[--at] = digits[value % 62];
            value /= 62;
        } while (value > 0);
    } else {
        at = 0;
    }
    append(name, text + at);
    return strlen(name);
}

/* Tuples of the tuple before them, twice. source: RFC 2603, "backref" */
static void double_in_rust(char *name, const char *first)
{
    /* A back reference counts from behind "_R". */
    size_t last = strlen("INvC1a1b");

    (void)sprintf(name, "_RINvC1a1bT%s%sE", first, first);
    for (unsigned i = 0; i < 60; i++) {
        size_t here = strlen(name) - 2;

        append(name, "TB");
        (void)append_base62(name, last);
        append(name, "B");
        (void)append_base62(name, last);
        append(name, "E");
        last = here;
    }
    append(name, "E");
}

static void test_doubling_in_rust(void **unused)
{
    char name[2 * DEMANGLE_MAX];

    (void)unused;
    double_in_rust(name, "u");
    check_cut(DEMANGLE_SIMPLE, name, "a::b::<((), ()), (((), ()), ((), ()))");
    /*
     * Decoded Punycode is on the heap: the leak checker sees to the rest. The
     * crate's name moves the end of the room over all of the pieces.
     */
    for (size_t i = 1; i < 24; i++) {
        char first[80];

        (void)snprintf(first, sizeof first, "NvC%zu%.*su8gdel_5qa", i, (int)i,
                       "abcdefghijklmnopqrstuvwxyz");
        double_in_rust(name, first);
        check_cut(DEMANGLE_SIMPLE, name, "a::b::<(a");
    }
}

static void test_long_and_deep(void **unused)
{
    static const struct {
        const char *begin;
        const char *part;
        const char *end;
    } shapes[] = {
            {"_Z1f", "P", "i"},
            {"_ZN", "1a", "E"},
            {"_Z1fI", "J", "E"},
            {"_Z1f", "FvvE", ""},
            {"_ZZ", "1fEvE", ""},
            {"_Z1fI1A", "I1A", "i"},
            {"_RNvC1a", "1b", ""},
            {"_RINvC1a1b", "R", "uE"},
            {"_R", "NvC1a1b", ""},
            {"_ZN", "1a", "17h0123456789abcdefE"},
            {"_Z1fDp", "sp", "i"},
            {"_Z1fXsZ", "S_", "E"},
            {"", "x", ""},
            {"_Z1f", ".a", ""},
            {"_Z9999999999", "", ""},
            {"_RC18446744073709551615", "a", ""},
    };
    static const size_t counts[] = {100, 500, 2000, 1000000};
    char *name = malloc(8000100);
    char out[DEMANGLE_MAX];

    (void)unused;
    assert_non_null(name);
    for (size_t i = 0; i < LENGTH(shapes); i++)
        for (size_t k = 0; k < LENGTH(counts); k++) {
            size_t size = strlen(shapes[i].part);
            char *at = stpcpy(name, shapes[i].begin);

            for (size_t n = 0; n < counts[k]; n++, at += size)
                memcpy(at, shapes[i].part, size);
            memcpy(at, shapes[i].end, strlen(shapes[i].end) + 1);
            for (enum demangle style = 0; style <= DEMANGLE_NO; style++) {
                demangle(style, name, out);
                assert_true(strlen(out) < sizeof out);
            }
        }
    /* What is not demangled is cut as it is. */
    memset(name, 'x', 1000000);
    name[1000000] = '\0';
    check_cut(DEMANGLE_SIMPLE, name, "xxxxxxxx");
    free(name);
}

/* Valid beginnings with everything else behind them. */
static void test_damaged(void **unused)
{
    static const char *const begins[] = {
            "_ZN3net5queueIiE4pushEi",
            "_Z3addIXsrSt7is_sameIT_iE5valueEEvDpOT0_",
            "_RINvCs_7mycrate3fooNtB2_3BarE",
            ("_ZN40_$LT$T$u20$as$u20$app..Task$LT$U$GT$$GT$3run"
             "17hfedcba9876543210E"),
    };
    static const char letters[] = "ISDETNZXJLSPRKFABCMG0123456789_spclvtdf$.";
    char out[DEMANGLE_MAX];
    uint32_t seed = 1;

    (void)unused;
    for (unsigned round = 0; round < 40000; round++) {
        char name[200];
        size_t size = (size_t)snprintf(name, sizeof name, "%s%s",
                                       begins[round % LENGTH(begins)],
                                       begins[(round + 1) % LENGTH(begins)]);

        for (unsigned change = 0; change <= round % 5; change++) {
            seed = seed * 1664525 + 1013904223;
            name[2 + (seed >> 16) % (size - 2)] =
                    letters[(seed >> 8) % (sizeof letters - 1)];
        }
        demangle(DEMANGLE_FULL, name, out);
        assert_true(strlen(out) < sizeof out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_cxx),
            cmocka_unit_test(test_rust),
            cmocka_unit_test(test_clones),
            cmocka_unit_test(test_unmangled),
            cmocka_unit_test(test_clean),
            cmocka_unit_test(test_cut),
            cmocka_unit_test(test_doubling),
            cmocka_unit_test(test_doubling_in_a_pack),
            cmocka_unit_test(test_packs),
            cmocka_unit_test(test_doubling_in_rust),
            cmocka_unit_test(test_long_and_deep),
            cmocka_unit_test(test_damaged),
    };
    long before = memory_kib();
    int failed;

    (void)alarm(SECONDS_MAX);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (memory_kib() - before > MEMORY_MAX_KIB)
        failed++;
    return failed;
}
