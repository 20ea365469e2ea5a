import { expect, test } from "vitest";
import { CortexSystem, fixtureAgent } from "../../support/cortex-system.ts";

const settings = { default_backend: "scripted", backends: { scripted: fixtureAgent("scripted") } };

test("a request becomes a run whose file and bus events are the same, in the same order", async () => {
  await using system = await CortexSystem.start({ settings });
  const id = system.request({ prompt: "hello" });
  const file = await system.ended(id);
  expect(file.map(({ event }) => event)).toEqual(["request", "start", "finish"]);
  expect(file.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(file[2]?.["result"]).toBe("echo: hello");
  expect(system.of(id)).toEqual(file);
});
