# SPDX-License-Identifier: MIT
# Cortex-M4F on the MPS2, application note 386
set(BOARD_CPU -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16)
include(${CMAKE_CURRENT_LIST_DIR}/mps2.cmake)
list(APPEND BOARD_MEMORY SHARED=0x21000000 SHARED_SIZE=16M)
