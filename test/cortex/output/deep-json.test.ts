/** JSON that is nested thousands of levels deep, at each entrance of cortex: it is refused or told, and the next run works. */
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { isTerminal } from "../../../protocol/runs/event.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const printer = `
  const nested = (levels) => "[".repeat(levels) + "]".repeat(levels);
  console.log('{"event":"tool_start","tool":"x","call_id":"1","args":' + nested(63) + "}");
  for (const name of ["tool_end", "usage", "text_delta", "finish", "error"])
    console.log('{"event":"' + name + '","result":' + nested(7000) + "}");
  console.log('{"event":"finish","result":"done"}');`;
const system = await CortexSystem.start({
  settings: {
    default_backend: "scripted",
    backends: {
      ...fixtureAgents("scripted").backends,
      printer: { command: [process.execPath, "-e", printer] },
    },
  },
});
afterAll(() => system[Symbol.asyncDispose]());

test("an agent's lines that are nested 7,000 deep become info, and its run ends as it says", async () => {
  const file = await system.settled(system.request({ prompt: "go", backend: "printer" }));
  expect(file.filter(({ event }) => event === "info")).toHaveLength(5);
  expect(file.find(({ event }) => event === "info")?.["message"]).toContain('{"event":"tool_end","result":[[');
  expect(file.find(({ event }) => event === "tool_start")?.["args"]).toEqual(JSON.parse(nested(63)));
  expect(file.filter(isTerminal)).toMatchObject([{ event: "finish", result: "done" }]);
});

test("a request that is nested deeper than 64 levels is rejected with the number", async () => {
  for (const levels of [64, 6000])
    expect(await system.answerTo(`{"prompt":"x","own":${nested(levels)}}`)).toMatchObject({
      reason: "invalid",
      error: "nested deeper than the 64 levels that are read",
    });
});

test("an input to a run is read up to 64 levels, and a cancel ends the run whatever it holds", async () => {
  const go = join(system.journal, "never");
  const id = system.steps([{ ev: { event: "text", text: "here" } }, { await: go }]);
  await system.heard(id, "text");
  const { connection } = system.bus;
  connection.publish(`cortex.input.${id}`, `{"text":"deep","more":${nested(6000)}}`);
  connection.publish(`cortex.input.${id}`, '{"text":"plain"}');
  expect(await system.heard(id, "input")).toMatchObject({ text: "plain" });
  connection.publish(`cortex.cancel.${id}`, nested(6000));
  const file = await system.settled(id);
  expect(file.filter(isTerminal)).toMatchObject([{ event: "error", reason: "cancelled" }]);
});
