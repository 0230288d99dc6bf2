/* SPDX-License-Identifier: MIT */
#ifndef CRASH_LINK_H
#define CRASH_LINK_H

/* Takes a line of the link and carries it out. */
void link_receive(const char *line);

#endif
