#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Serves standard input to one TCP client, as OpenOCD or QEMU would.

    serve.py PORTFILE [close|reset|hold]

Writes its port into PORTFILE once it listens. At the end of the input it
closes, resets the connection, or holds it until it is killed.
"""

import os
import socket
import struct
import sys
import time

data = sys.stdin.buffer.read()
server = socket.create_server(("127.0.0.1", 0))
with open(sys.argv[1] + ".new", "w", encoding="ascii") as file:
    file.write(str(server.getsockname()[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
client, _ = server.accept()
client.sendall(data)
manner = sys.argv[2] if len(sys.argv) > 2 else "close"
if manner == "hold":
    time.sleep(60)
if manner == "reset":
    # The data must have been read, or the reset takes it away.
    time.sleep(0.5)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                      struct.pack("ii", 1, 0))
client.close()
