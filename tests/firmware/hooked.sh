#!/bin/sh
# SPDX-License-Identifier: MIT
#
# hooked.sh COMPILER ARGUMENT...: compiles, and what is called *_work.* with
# hooks; C++ by gcc's other name.
case "$*" in
*_work.cpp*)
    compiler=$1
    shift
    [ "$compiler" != arm-none-eabi-gcc ] || compiler=arm-none-eabi-g++
    exec "$compiler" "$@" -std=gnu++14 -finstrument-functions \
        -fno-exceptions -fno-rtti
    ;;
*_work.c*) exec "$@" -std=gnu99 -finstrument-functions ;;
*) exec "$@" ;;
esac
