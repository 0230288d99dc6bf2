/* SPDX-License-Identifier: MIT */

#include "work.h"

enum {
    SIZE = 16
};

typedef int16_t matrix[SIZE][SIZE];

void matrix_fill(matrix out, uint16_t seed);
void matrix_multiply(int32_t out[SIZE][SIZE], matrix left, matrix right);

void matrix_fill(matrix out, uint16_t seed)
{
    for (unsigned row = 0; row < SIZE; row++) {
        for (unsigned column = 0; column < SIZE; column++) {
            seed = (uint16_t)(seed * 25173u + 13849u);
            out[row][column] = (int16_t)(seed >> 4);
        }
    }
}

void matrix_multiply(int32_t out[SIZE][SIZE], matrix left, matrix right)
{
    for (unsigned row = 0; row < SIZE; row++) {
        for (unsigned column = 0; column < SIZE; column++) {
            int32_t sum = 0;

            for (unsigned i = 0; i < SIZE; i++) {
                sum += left[row][i] * right[i][column] >> 8;
            }
            out[row][column] = sum;
        }
    }
}

uint16_t matrix_exercise(uint16_t seed)
{
    static matrix left, right;
    static int32_t product[SIZE][SIZE];

    matrix_fill(left, seed);
    matrix_fill(right, (uint16_t)~seed);
    matrix_multiply(product, left, right);
    return crc16(seed, product[seed % SIZE], sizeof(product[0]));
}
