import { expect, test } from "vitest";
import type { Bus } from "../../../bus/connection/connect.ts";
import { runToCompletion } from "../../../bus/schedule/run-to-completion.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { replyHeader, subjects } from "../../../protocol/runs/subjects.ts";
import { BusServer } from "../bus-server.ts";

const request = { ts: 1_736_380_800_000, prompt: "go" };
const agentId = String(request.ts);
const finish: AgentEvent = { event: "finish", ts: 1, agent_id: agentId, seq: 1, result: "done" };

const never = new AbortController().signal;
const fileWith =
  (...events: AgentEvent[]) =>
  () => ({
    events: async function* () {
      yield* events;
    },
  });
const options = { fileOf: fileWith(), longestSeconds: 60, onNobody: () => {}, signal: never };

/** Takes requests as a cortex does, and says nothing more. Resolves when the first has come. */
function takeRequests(cortex: Bus): Promise<void> {
  return new Promise((resolve) => {
    cortex.connection.subscribe(subjects.request, {
      callback: (_, message) => {
        cortex.connection.publish(message.headers?.get(replyHeader) ?? "", JSON.stringify({ accepted: true }));
        resolve();
      },
    });
  });
}

function tellStatus(cortex: Bus, elapsed_seconds: number): void {
  const running = [{ agent_id: agentId, persona: "default", backend: "quick", elapsed_seconds }];
  const status = { worker: "a", running, queued: 0, capacity: 1 };
  cortex.connection.publish(subjects.status, JSON.stringify(status));
}

test("a run that has ended before isn't asked for again", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("schedule");
  expect(await runToCompletion(bus, request, { ...options, fileOf: fileWith(finish) })).toEqual(finish);
  expect((await (await bus.manager()).streams.info("CORTEX_REQ")).state.messages).toBe(0);
});

test("a run beyond its limit is cancelled and reported as overdue, and not before", async () => {
  await using server = await BusServer.start();
  const [bus, cortex] = [await server.as("schedule"), await server.as("cortex")];
  const cancelled: string[] = [];
  cortex.connection.subscribe(subjects.anyCancel, { callback: (_, message) => void cancelled.push(message.subject) });
  const isTaken = takeRequests(cortex);
  await cortex.connection.flush();
  const last = runToCompletion(bus, request, options);
  await isTaken;
  let isOver = false;
  void last.then(() => (isOver = true));
  for (let round = 0; round < 20; round++) {
    tellStatus(cortex, 60);
    await cortex.connection.flush();
    await bus.connection.flush();
  }
  expect([isOver, cancelled]).toEqual([false, []]);
  // Again and again, as cortex does: the first may come before anybody listens.
  const telling = setInterval(() => tellStatus(cortex, 61), 20);
  expect(await last.finally(() => clearInterval(telling))).toBe("overdue");
  await bus.connection.flush();
  await cortex.connection.flush();
  expect(cancelled[0]).toBe(subjects.cancel(agentId));
});

test("an abort ends the wait for a run", async () => {
  await using server = await BusServer.start();
  const [bus, cortex] = [await server.as("schedule"), await server.as("cortex")];
  const isTaken = takeRequests(cortex);
  await cortex.connection.flush();
  const stopping = new AbortController();
  const waiting = runToCompletion(bus, request, { ...options, signal: stopping.signal });
  await isTaken;
  stopping.abort(new Error("stopping"));
  await expect(waiting).rejects.toThrow("stopping");
});
