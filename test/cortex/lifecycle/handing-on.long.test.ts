/** Handing on to many: how long a chain may be, and which ids are left for a child. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";

const childOf = (file: AgentEvent[]): string => {
  const handoffs = file.filter(({ event }) => event === "handoff");
  expect(handoffs).toHaveLength(1);
  return String(handoffs[0]?.["to"]);
};
const notes = (file: AgentEvent[]) => file.filter(({ event }) => event === "info").map(({ message }) => message);

test("a chain ends at 16 runs", async () => {
  await using system = await CortexSystem.start({
    settings: {
      default_backend: "loop",
      backends: { loop: { command: ["sh", "-c", `read -r l; echo '{"event":"finish","result":"go","handoff":{}}'`] } },
    },
  });
  const chain = [system.request({ prompt: "go" })];
  for (;;) {
    const file = await system.settled(chain.at(-1) as string);
    const child = file.find(({ event }) => event === "handoff")?.["to"];
    if (typeof child !== "string") {
      expect(notes(file)[0]).toContain("the chain is 16 runs long");
      expect(file.at(-1)).toMatchObject({ event: "finish", result: "go" });
      break;
    }
    chain.push(child);
  }
  expect(chain).toHaveLength(16);
});

test("a child's id is nobody else's, also when the ids of the coming seconds are taken", async () => {
  await using system = await CortexSystem.start({ settings: fixtureAgents("scripted") });
  const go = join(system.journal, "go-child");
  const id = system.steps([
    { ev: { event: "text", text: "here" } },
    { await: go },
    { ev: { event: "finish", result: "r", handoff: { prompt: "child" } } },
  ]);
  await system.heard(id, "text");
  const now = Date.now();
  const taken = Array.from({ length: 40 }, (_, n) => String(now + n * 5));
  await Promise.all(taken.map((other) => system.answerTo({ ts: Number(other), prompt: `taken ${other}` })));
  writeFileSync(go, "");
  const child = childOf(await system.settled(id));
  expect(taken).not.toContain(child);
  expect((await system.settled(child))[0]).toMatchObject({ prompt: "child", handoff_from: id });
  for (const other of taken) expect((await system.settled(other))[0]).toMatchObject({ prompt: `taken ${other}` });
});
