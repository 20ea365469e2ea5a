/** Many messages at once: each becomes one run, whose file and events are the same. */
import { afterAll, expect, test } from "vitest";
import { CortexSystem } from "../../support/cortex-system.ts";

const trivial = { command: ["sh", "-c", `read -r line; echo '{"event":"finish","result":"ok"}'`] };
const system = await CortexSystem.start({ settings: { default_backend: "trivial", backends: { trivial } } });
afterAll(() => system[Symbol.asyncDispose]());

test("twenty messages without an id at once become twenty runs with twenty ids", async () => {
  for (let n = 0; n < 20; n++) system.publish(JSON.stringify({ prompt: `crowd ${n}` }));
  const crowd = () =>
    system.events.filter(({ event, prompt }) => event === "request" && String(prompt).startsWith("crowd"));
  await system.until(() => crowd().length === 20, "all of them are heard");
  expect(new Set(crowd().map(({ agent_id }) => agent_id)).size).toBe(20);
  for (const { agent_id } of crowd()) await system.ended(agent_id);
});

test("a hundred requests at once become a hundred files, each equal to its bus events, in order", async () => {
  const ids = Array.from({ length: 100 }, (_, n) => system.request({ prompt: `burst ${n}` }));
  for (const [n, id] of ids.entries()) {
    const file = await system.ended(id);
    expect(file.map(({ event }) => event)).toEqual(["request", "start", "finish"]);
    expect(file[0]).toMatchObject({ prompt: `burst ${n}`, agent_id: id, seq: 1 });
    expect(system.of(id)).toEqual(file);
  }
});
