#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What the fast tests have time for; full-firmware.bats does them all.

load firmware.bash

@test "in one file: frames" {
    again firmware/frames
}

@test "in one file: attach" {
    again firmware/attach
}

@test "in one file: the hot-spot table, and gdb" {
    again firmware/hotspots_engine
    again firmware/hotspots_gdb 'demo|hung'
}

@test "in one file: RTT and RAM" {
    again firmware/rtt 'own entry|down:'
    again firmware/ram
}

@test "in one file: demo and truth" {
    again firmware/demo
    again truth/truth '^-O2$'
}

@test "in one file: link-time optimisation, clang" {
    again firmware/compilers 'link-time|clang -Os'
}
