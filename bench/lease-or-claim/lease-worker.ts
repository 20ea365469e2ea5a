/** A worker of the queue with leases: `lease-worker.ts <url> <lease ms> <at once> <effects file>`. Renews what it has at a third of its lease. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { JsMsg } from "@nats-io/jetstream";
import { openBus } from "../../bus/connection/connect.ts";
import { effectsAgent } from "../../test/support/workers/effects.ts";
import { finishSubject, type Item, openQueue } from "./lease-queue.ts";

const [url = "", leaseMs = "", atOnce = "", file = ""] = process.argv.slice(2);
const bus = await openBus({ url }, "lease-worker");
const queue = await openQueue(bus);
process.stdout.write("ready\n");
await Promise.all(Array.from({ length: Number(atOnce) }, work));

async function work(): Promise<never> {
  for (;;) {
    const message = await queue.next({ expires: 1000 });
    if (message) await workOn(message);
  }
}

async function workOn(message: JsMsg): Promise<void> {
  const renewing = setInterval(() => message.working(), Number(leaseMs) / 3);
  const { agent_id, seconds } = message.json<Item>();
  const attempt = message.info.deliveryCount;
  const [command = "", ...args] = effectsAgent(file, seconds);
  const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  agent.stdin.end(`${JSON.stringify({ agent_id, attempt })}\n`);
  // Told once, also when two have done it, and before it is taken off the queue: so that it can't be lost.
  for await (const line of createInterface(agent.stdout))
    if (JSON.parse(line).event === "finish")
      await bus.js.publish(finishSubject(agent_id), line, { msgID: `${agent_id} finish` });
  clearInterval(renewing);
  await message.ackAck();
}
