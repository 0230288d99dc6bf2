/* SPDX-License-Identifier: MIT */

/* The steps, each with a function of its own below it. */
#include "pin_work.h"

static volatile unsigned litres, degrees;

void pump_run(void);
void heater_run(void);
void sensor_read(void);
void valve_open(void);

void pump_run(void)
{
    litres = litres + 1;
}

void kettle_fill(void)
{
    pump_run();
}

void heater_run(void)
{
    degrees = degrees + 40;
}

void sensor_read(void)
{
    degrees = degrees - 1;
}

void kettle_heat(void)
{
    heater_run();
    sensor_read();
}

void valve_open(void)
{
    litres = 0;
}

void kettle_pour(void)
{
    valve_open();
}
