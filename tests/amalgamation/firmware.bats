#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# One of each kind; full-firmware.bats does them all.

load firmware.bash

@test "in one file: frames" {
    again firmware/frames
}

@test "in one file: attach" {
    again firmware/attach "tick, M[034]|moment"
}

@test "in one file: the hot-spot table, and gdb" {
    again firmware/hotspots_engine
    again firmware/hotspots_gdb 'hung'
}

@test "in one file: RTT and RAM" {
    again firmware/rtt 'own entry|down:'
    again firmware/ram 'end of|holds'
}

@test "in one file: demo" {
    again firmware/demo
}

@test "in one file: link-time optimisation, clang" {
    again firmware/compilers 'link-time|clang -Os'
}
