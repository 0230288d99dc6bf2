# SPDX-License-Identifier: MIT
# Cortex-M3 on the MPS2, application note 385
set(BOARD_CPU -mcpu=cortex-m3)
include(${CMAKE_CURRENT_LIST_DIR}/mps2.cmake)
list(APPEND BOARD_MEMORY SHARED=0x21000000 SHARED_SIZE=16M)
