/** Secrets of a run that goes on, or hands on, outlast everything but their chain, where nobody else can read them. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { activeFile, runState } from "../../../journal/runs/run-files.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { textOf } from "../../support/journal-processes.ts";

const secret = "a secret of 24 characters";
/** Finishes with the length of what it was given. */
const teller = { command: ["sh", "-c", `read -r config; echo '{"event":"finish","result":"'\${#TOKEN}'"}'`] };
const settings = { ...fixtureAgents("scripted"), backends: { ...fixtureAgents("scripted").backends, teller } };

const textsIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => textOf(join(entry.parentPath, entry.name))) // some are gone again by now
    .join("\n");

test("a run that cortex has stopped, and whose .run/ was deleted, goes on with its env", async () => {
  await using system = await CortexSystem.start({ settings });
  const go = join(system.journal, "go");
  const steps = [{ ev: { event: "text", text: "here" } }, { await: go }, { ev: { event: "finish", result: "" } }];
  const id = system.steps(steps, { env: { TOKEN: secret }, handoff: { backend: "teller", prompt: "tell" } });
  await system.heard(id, "text");
  expect(textsIn(join(system.journal, ".run/runs"))).not.toContain(secret);
  const kept = join(system.journal, ".state/secrets", `${id}.run.json`);
  expect(readFileSync(kept, "utf8")).toContain(secret);
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  await system.stopCortex();
  rmSync(join(system.journal, ".run/runs"), { recursive: true });
  await system.startCortex();
  await system.until(() => system.of(id).filter(({ event }) => event === "text").length === 2, "it goes on");
  writeFileSync(go, "");
  const child = String((await system.closed(id)).find(({ event }) => event === "handoff")?.["to"]);
  expect((await system.closed(child)).at(-1)).toMatchObject({ event: "finish", result: String(secret.length) });
  expect(readdirSync(join(system.journal, ".state/secrets"))).toEqual([]);
  expect(textsIn(join(system.journal, ".state"))).not.toContain(secret);
});

test("a handoff is started, even if .run/ was deleted before the bus had it", async () => {
  await using system = await CortexSystem.start({ settings });
  const go = join(system.journal, "go");
  const steps = [{ ev: { event: "text", text: "here" } }, { await: go }, { ev: { event: "finish", result: "" } }];
  const id = system.steps(steps, { env: { TOKEN: secret }, handoff: { backend: "teller", prompt: "tell" } });
  await system.heard(id, "text");
  await system.stopBus();
  writeFileSync(go, "");
  const { journal } = system;
  await system.until(() => runState(journal, id) === "ended" && !existsSync(activeFile(journal, id)), "it has ended");
  await system.killCortex();
  rmSync(join(journal, ".run/runs"), { recursive: true });
  await system.startBus();
  await system.startCortex();
  const child = String(system.file(id).find(({ event }) => event === "handoff")?.["to"]);
  expect((await system.closed(child)).at(-1)).toMatchObject({ event: "finish", result: String(secret.length) });
  await system.closed(id);
  expect(readdirSync(join(journal, ".state/secrets"))).toEqual([]);
});
