import { expect, test } from "vitest";
import { readBusStore, writeBusStore } from "../../../../journal/access/bus-store.ts";
import { identifyProcess } from "../../../../proc/processes/identity.ts";
import { findSandbox } from "../../../../sandbox/sandbox-level.ts";
import { pathWithout } from "../../../support/path-without.ts";
import { patienceMs } from "../../../support/patience.ts";
import { programNames, UpJournal } from "../../../supervisor/up-process.ts";
import { runCortex, runCortexJson } from "../../run-command.ts";

type RunStatus = { agent_id: string; state: string; pid: number | null };

test("status tells the programs, and each run's state and process at that moment", async () => {
  await using journal = new UpJournal();
  const up = journal.start();
  await up.isUp();
  const run = await journal.count();
  const { code, document } = await runCortexJson(journal.path, ["status"]);
  expect(code).toBe(0);
  const programs = document["programs"] as { name: string; state: string }[];
  expect(programs.map(({ name, state }) => `${name} ${state}`)).toEqual(programNames.map((name) => `${name} ready`));
  const [shown] = document["runs"] as RunStatus[];
  expect(shown).toMatchObject({ agent_id: run.agentId, state: "running", pid: run.agent.pid });
  // Nobody watches any more, and everything goes on: neither is hidden.
  up.signal("SIGKILL");
  await up.exited;
  journal.kill("mcp-tools");
  await journal.until(() => identifyProcess(journal.pids()["mcp-tools"] ?? 0) === null, "one of them is dead");
  const { document: alone } = await runCortexJson(journal.path, ["status"]);
  const states = (alone["programs"] as { name: string; state: string; reason: string }[]).map(
    ({ name, state }) => `${name} ${state}`,
  );
  expect(states).toEqual(programNames.map((name) => `${name} ${name === "mcp-tools" ? "stopped" : "unsupervised"}`));
  const next = journal.start();
  await next.isUp();
  await journal.end(run);
  await next.stop();
  expect((await runCortex(journal.path, ["status"])).code).toBe(69);
});

test("status tells the sandbox that there is, and without one what is missing, and what brings it", async () => {
  await using journal = new UpJournal();
  const up = journal.start();
  await up.isUp();
  const { level, missing } = await findSandbox();
  const shown = async (env: Record<string, string> = {}) =>
    (await runCortexJson(journal.path, ["status"], env)).document["sandbox"];
  expect(await shown()).toMatchObject({ level, missing });
  // Found once, it isn't tried again; gone since, it isn't told any more.
  expect(await shown()).toMatchObject({ level, missing });
  using bin = pathWithout("bwrap");
  for (const command of ["status", "doctor"]) {
    const { document } = await runCortexJson(journal.path, [command], { PATH: bin.folder });
    expect(document["sandbox"]).toEqual({
      level: "none",
      missing: ["bubblewrap"],
      remedy: expect.stringMatching(/install.* bubblewrap/),
    });
  }
  await up.stop();
});

test("a bus that may lose something in a power cut is a warning, with what it costs and what repairs it", async () => {
  await using journal = new UpJournal();
  const up = journal.start();
  await up.isUp();
  const store = readBusStore(journal.path);
  await writeBusStore(journal.path, { version: "2.9.10", synced_by: "nobody", problem: "no chattr" });
  const { stdout } = await runCortex(journal.path, ["status"]);
  expect(stdout).toMatch(/^! the bus's store can't be made synchronous \(no chattr\): a power cut.*2\.10/m);
  await writeBusStore(journal.path, { ...store!, problem: null });
  const { document } = await runCortexJson(journal.path, ["status"]);
  expect(document["warnings"]).toEqual([]);
  await up.stop();
});

test("a continuation takes the end of an id, and an id that none has leaves no run behind", async () => {
  await using journal = new UpJournal({ default_backend: "offline" });
  const up = journal.start();
  await up.isUp();
  const asked = await runCortex(journal.path, ["request", "hello", "--json"]);
  const { agent_id } = JSON.parse(asked.stdout.split("\n")[0] ?? "") as { agent_id: string };
  const again = await runCortex(journal.path, ["request", "and then?", "--continue", agent_id.slice(-6), "--json"]);
  expect(JSON.parse(again.stdout.split("\n")[0] ?? "")).toMatchObject({ continue_from: agent_id });
  const nobody = await runCortex(journal.path, ["request", "hello", "--continue", "abc"]);
  expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('"abc" is not the id of a run')]);
  const { document } = await runCortexJson(journal.path, ["runs", "list"]);
  expect(document["runs"]).toHaveLength(2);
  await up.stop();
});

test("a database of the workspaces that can't be reached is a warning of status, and a failure of doctor", async () => {
  const env = { CORTEX_WEB_PORT: "0", DATABASE_URL: "postgres://cortex:secret-word@127.0.0.1:1/team" };
  await using journal = new UpJournal({ channels: {} }, env);
  const up = journal.start();
  await up.isUp();
  const problem = /the workspaces can't be used: .*ECONNREFUSED 127\.0\.0\.1:1/;
  const status = async () => (await runCortexJson(journal.path, ["status"])).document["warnings"] as string[];
  await expect.poll(status, { timeout: patienceMs }).toContainEqual(expect.stringMatching(problem));
  const { code, document } = await runCortexJson(journal.path, ["doctor"]);
  const found = (document["checks"] as { name: string }[]).find(({ name }) => name === "workspace");
  expect([code, found]).toMatchObject([2, { ok: "fail", detail: expect.stringMatching(problem) }]);
  expect(JSON.stringify(document)).not.toContain("secret-word");
  await up.stop();
});

test("a variable that can't be is told as that, with exit 2", async () => {
  await using journal = new UpJournal();
  const { code, stderr } = await runCortex(journal.path, ["up"], { CORTEX_MCP_PORT: "abc" });
  expect(code).toBe(2);
  expect(stderr).toBe(
    'error: CORTEX_MCP_PORT="abc": expected a port, 0 to 65535\n  set it to such a value, or unset it',
  );
});
