# SPDX-License-Identifier: MIT
# Cortex-M4F on the MPS2, application note 386
set(BOARD_CPU -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16)
include(${CMAKE_CURRENT_LIST_DIR}/mps2.cmake)
