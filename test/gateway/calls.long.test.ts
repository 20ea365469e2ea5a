/** Calls of a run that are many at once, tell no usage, or come while it is being stopped, through a real gateway and cortex. */
import { existsSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answersIn, answerWhole, type CallAnswer, MeteredSystem, statusesIn, usageIn } from "./metered-system.ts";

/** A stream of the Messages API that says nothing of what was used. */
function streamWithoutUsage(response: ServerResponse): void {
  const event = (document: object) => `data: ${JSON.stringify(document)}\n\n`;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(event({ type: "message_start", message: { type: "message", model: "claude-sonnet-4-5" } }));
  response.write(event({ type: "content_block_delta", delta: { type: "text_delta", text: "x".repeat(300) } }));
  response.end(event({ type: "message_stop" }));
}

test("a hundred calls of a run are under way at once, and each counts once", async () => {
  const open: ServerResponse[] = [];
  await using metered = await MeteredSystem.start({ answer: (response) => void open.push(response) });
  const { system } = metered;
  const id = metered.run([{ calls: 100 }]);
  await system.until(() => open.length === 100, "all are under way");
  for (const response of open) answerWhole(response);
  const events = await system.ended(id);
  expect(statusesIn(events)).toEqual(Array(100).fill(200));
  expect(new Set(usageIn(events).map(({ call }) => call)).size).toBe(100);
  expect(usageIn(events)).toHaveLength(100);
});

test("streams without usage count against a cap by their estimate", async () => {
  await using metered = await MeteredSystem.start({ answer: streamWithoutUsage });
  const step = { calls: 1, stream: true, max_tokens: 200 } as const;
  const id = metered.run([step, step, { ...step, again: true }], { max_total_tokens: 150 });
  const events = await metered.system.ended(id);
  expect(metered.asked).toHaveLength(2);
  expect(usageIn(events)).toMatchObject(Array(2).fill({ estimated: true, output_tokens: 100, purpose: "metered" }));
  const told = answersIn(events).find(({ status }) => status === 402)?.body.error?.message;
  const last = events.find(({ event }) => event === "finish" || event === "error");
  expect(told ?? last?.["error"]).toContain("the limit max_total_tokens is 150");
});

test("a call that comes while its run is being stopped at a cap hears of the cap", async () => {
  await using metered = await MeteredSystem.start();
  const { system } = metered;
  const heard = join(system.journal, "heard.json");
  const id = metered.run([{ calls: 1 }, { stay: true }, { calls: 1, into: heard }], { max_total_tokens: 50 });
  await system.until(() => existsSync(heard), "its second call is answered");
  expect(JSON.parse(readFileSync(heard, "utf8")) as CallAnswer).toMatchObject({
    status: 402,
    body: { error: { type: "billing_error", message: expect.stringContaining("the limit max_total_tokens is 50") } },
  });
  const events = await system.ended(id);
  expect(events.find(({ event }) => event === "error")).toMatchObject({ reason: "budget" });
  expect(metered.asked).toHaveLength(1);
});
