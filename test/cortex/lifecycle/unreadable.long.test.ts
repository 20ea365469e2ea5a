/** The file of a run that can't be handled is put away; the run ends, and no start meets it again. */
import { mkdirSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { listQuarantine } from "../../../journal/quarantine/quarantine.ts";
import { activeFile } from "../../../journal/runs/run-files.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";

test("a run whose file can't be read any more is ended after the third failure, from what the bus has of it", async () => {
  await using system = await CortexSystem.start({ settings: fixtureAgents("forever") });
  const id = system.request({ prompt: "x" });
  await system.heard(id, "start");
  await system.killCortex();
  rmSync(activeFile(system.journal, id));
  mkdirSync(activeFile(system.journal, id));
  await system.startCortex();
  const file = await system.closed(id);
  expect(file.map(({ event }) => event).slice(0, 2)).toEqual(["request", "start"]);
  expect(file.at(-1)).toMatchObject({ event: "error", reason: "internal", error: expect.stringContaining("put away") });
  expect(file.map(({ seq }) => seq)).toEqual(file.map((_, index) => index + 1));
  expect(listQuarantine(system.journal)).toMatchObject([
    { record: { store: "run-file", key: id, failures: 3, path: activeFile(system.journal, id) } },
  ]);
  await system.heard(id, "error");
  await system.stopCortex();
  const before = system.log.length;
  await system.startCortex();
  expect(system.log.slice(before)).not.toContain(id);
});
