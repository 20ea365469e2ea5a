#!/usr/bin/env python3
"""Starts a run and prints its events as they come, with nothing but a socket: the bus speaks NATS, which is lines of text.

usage: listen.py PROMPT        start a run, print its events, exit with 0 if it finished and 1 if it failed
       listen.py --watch       print the events of all runs until Ctrl-C

Finds the bus of `cortex up` in the journal of JOURNAL_PATH. Each event is one line of JSON on stdout.
"""

import json
import os
import re
import socket
import sys
import time
from urllib.parse import urlparse


def journal():
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.environ.get("JOURNAL_PATH") or os.path.join(data, "cortex", "journal")


def endpoints():
    path = os.path.join(journal(), ".run", "endpoints.json")
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        sys.exit(f"error: no {path}: nothing runs on this journal\n  start it: cortex up")


class Bus:
    """As much of NATS as listening and asking need."""

    def __init__(self, url, user, password):
        address = urlparse(url)
        self.socket = socket.create_connection((address.hostname, address.port or 4222), timeout=10)
        self.reader = self.socket.makefile("rb")
        self.reader.readline()  # INFO {...}: what the server can do
        self.send("CONNECT", json.dumps({"user": user, "pass": password, "verbose": False, "headers": True}))
        self.flush()
        self.socket.settimeout(None)

    def send(self, *words, payload=None):
        line = " ".join(words).encode()
        self.socket.sendall(line + b"\r\n" + (b"" if payload is None else payload + b"\r\n"))

    def flush(self):
        """Returns when the server has read everything so far."""
        self.send("PING")
        while True:
            line = self.line()
            if line == "PONG":
                return

    def line(self):
        line = self.reader.readline()
        if not line:
            sys.exit("error: the bus closed the connection")
        text = line.decode().rstrip("\r\n")
        if text.startswith("-ERR"):
            sys.exit(f"error: the bus says {text[5:]}")
        return text

    def subscribe(self, subject, number):
        self.send("SUB", subject, str(number))

    def publish(self, subject, message, reply=None):
        """reply: the subject on which an answer is to come."""
        payload = json.dumps(message).encode()
        self.send("PUB", subject, *([] if reply is None else [reply]), str(len(payload)), payload=payload)

    def messages(self):
        """Yields (subject, payload, headers) for ever."""
        while True:
            words = self.line().split(" ")
            if words[0] == "PING":
                self.send("PONG")
            elif words[0] in ("MSG", "HMSG"):  # with headers: their length stands before the whole one
                whole = self.reader.read(int(words[-1]) + 2)[:-2]
                at = int(words[-2]) if words[0] == "HMSG" else 0
                yield words[1], whole[at:], dict(re.findall(r"^([\w-]+): (.*?)\r$", whole[:at].decode(), re.MULTILINE))


def show(payload):
    sys.stdout.write(payload.decode() + "\n")
    sys.stdout.flush()


def watch(bus):
    bus.subscribe("cortex.event.>", 1)
    for _, payload, _ in bus.messages():
        show(payload)


def ask(bus, prompt):
    agent_id = int(time.time() * 1000)  # a run's id is its time in ms
    # First listen, then ask: a quick run is heard from its first word.
    bus.subscribe(f"cortex.event.{agent_id}.>", 1)
    bus.subscribe("cortex.rejected", 2)
    bus.flush()
    bus.publish("cortex.request", {"ts": agent_id, "prompt": prompt})
    for subject, payload, _ in bus.messages():
        message = json.loads(payload)
        if subject == "cortex.rejected":
            request = message.get("request")
            if isinstance(request, dict) and request.get("ts") == agent_id:
                sys.exit(f"error: {message['error']}")
            continue
        show(payload)
        if message["event"] == "finish":
            return 0
        if message["event"] == "error" and message.get("terminal") is not False:
            return 1


def main(arguments):
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        sys.exit(__doc__)
    found = endpoints()
    bus = Bus(found["nats_url"], found["nats_user"], found["nats_token"])
    if arguments[0] == "--watch":
        return watch(bus)
    return ask(bus, arguments[0])


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)
    except OSError as error:
        sys.exit(f"error: no bus: {error}\n  start it: cortex up")
