/* SPDX-License-Identifier: MIT */
#ifndef PIN_WORK_H
#define PIN_WORK_H

/* What a kettle does, a step at a time. */

void kettle_fill(void);
void kettle_heat(void);
void kettle_pour(void);

#endif
