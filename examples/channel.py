#!/usr/bin/env python3
"""A channel of one's own: lines of stdin are said to the agents, and what they answer is printed, each once.

usage: channel.py TYPE     with {"channels": {"TYPE": {"external": true}}} in cortex.json, while cortex is up
"""

import json, os, sys, threading, uuid
from listen import Bus, journal

kind = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)
access = os.path.join(journal(), ".run", "channels", f"{kind}.json")
place = os.path.join(journal(), f"{kind}-place")  # of the next message that goes out
found = json.load(open(access, encoding="utf-8"))
bus, inbox = Bus(found["nats_url"], found["nats_user"], found["nats_token"]), f"_INBOX_{found['nats_user']}."
seq = int(open(place).read()) if os.path.exists(place) else 1

def look():
    query = {"seq": seq, "next_by_subj": f"channel.out.{kind}"}
    bus.publish(f"$JS.API.DIRECT.GET.CORTEX_OUT_{kind}", query, reply=inbox + "next")

def say():
    for line in sys.stdin:
        channel = {"type": kind, "channelId": "main", "userId": "me"}
        message = {"id": str(uuid.uuid4()), "text": line.strip(), "channel": channel}
        bus.publish(f"channel.in.{kind}", message, reply=inbox + "said")

bus.subscribe(inbox + ">", 1)
bus.subscribe(f"channel.out.{kind}", 2)  # something new goes out
threading.Thread(target=say, daemon=True).start()
look()
for subject, payload, headers in bus.messages():
    if subject.startswith("channel.out."):
        look()
    elif subject == inbox + "said" and "error" in (answer := json.loads(payload)):
        print("not said:", answer["error"], file=sys.stderr)
    elif subject == inbox + "next" and int(headers.get("Nats-Sequence", 0)) >= seq:
        message, seq = json.loads(payload), int(headers["Nats-Sequence"]) + 1
        open(place, "w").write(str(seq))  # noted before: killed here, it isn't shown twice
        print(message["text"], flush=True)
        bus.publish(f"channel.receipt.{message['id']}", {"ok": True}, reply=inbox + "told")
        look()
