#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sends standard input to a TCP port, and what comes back to standard output.

    rtt_client.py PORT
"""

import socket
import sys
import threading

with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as server:
    sender = threading.Thread(target=server.sendall,
                              args=(sys.stdin.buffer.read(),))
    sender.start()
    while data := server.recv(4096):
        sys.stdout.buffer.write(data)
    sender.join()
