import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readLiveStatus } from "../../journal/programs/live-status.ts";
import { CortexSystem, fixtureAgents } from "../support/cortex-system.ts";

/** As where the system has no free watches: changes of files are asked for once an hour. */
const blind = { CHOKIDAR_USEPOLLING: "1", CHOKIDAR_INTERVAL: "3600000" };

test("SIGHUP rereads settings and personas whose change nobody saw; a broken one keeps what it was and says so each time", async () => {
  const settings = { ...fixtureAgents("scripted"), max_concurrent: 8, stop_grace_seconds: 1 };
  await using system = await CortexSystem.start({ settings, env: blind });
  const write = (path: string, text: string) => {
    mkdirSync(join(system.journal, path, ".."), { recursive: true });
    writeFileSync(join(system.journal, path), text);
  };
  const heard = (text: string) => system.log.split(text).length - 1;
  write("cortex.json", JSON.stringify({ ...settings, max_concurrent: 3 }));
  write("personas/chef.txt", "You cook.");
  system.signal("SIGHUP");
  await system.until(() => heard("SIGHUP") === 1, "the first rereading");
  expect(heard("cortex.json was read again")).toBe(1);
  const answer = async () => (await system.ended(system.request({ persona: "chef", prompt: "hi" }))).at(-1);
  expect(await answer()).toMatchObject({ event: "finish", result: "echo: hi" });
  write("cortex.json", '{"max_concurrent": 0}');
  write("personas/chef.json", '{"title": 4}');
  for (const times of [1, 2]) {
    system.signal("SIGHUP");
    await system.until(() => heard("SIGHUP") === times + 1, "the next rereading");
    expect(heard("keeping the previous settings")).toBe(times);
    expect(heard("a persona can't be read")).toBe(times);
  }
  expect(await answer()).toMatchObject({ event: "finish", result: "echo: hi" });
  expect(readLiveStatus(system.journal)?.capacity).toBe(3);
});
