# SPDX-License-Identifier: MIT
# Cortex-M7 on the MPS2, application note 500
set(BOARD_CPU -mcpu=cortex-m7 -mfloat-abi=hard -mfpu=fpv5-d16)
include(${CMAKE_CURRENT_LIST_DIR}/mps2.cmake)
