/** Processes that wait for a run: taken once, told once, and nobody's when cortex dies. */
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { attemptFolder, warmFolder } from "../../../journal/run-folders/run-folder.ts";
import { settingsPath } from "../../../journal/config/settings.ts";
import { isAlive } from "../../../proc/processes/identity.ts";
import type { Failpoint } from "../../../proc/programs/failpoint.ts";
import { agentOf, isAgentAlive } from "../../../proc/runs/run.ts";
import { isWaitingForRun } from "../../../proc/runs/warm-run.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
import { CortexSystem, type SystemOptions } from "../../support/cortex-system.ts";
import { hasEnded, textOf, waitingPids } from "../../support/journal-processes.ts";
import { playOpenai } from "../../support/providers/openai.ts";

const key = "sk-test-4711471147114711";

/** A cortex whose runs go to a provider that never answers: each stays until it is cancelled. */
async function start({ settings, env }: SystemOptions = {}) {
  const server = await playOpenai(Array.from({ length: 10 }, () => ({ silent: true })));
  const system = await CortexSystem.start({
    settings: {
      default_backend: "openai",
      default_model: { openai: "gpt-test" },
      openai: { api: "responses" },
      ...settings,
    },
    env: { OPENAI_API_KEY: key, OPENAI_BASE_URL: server.url, ...env },
  });
  const folder = warmFolder(system.journal);
  const names = () => (existsSync(folder) ? readdirSync(folder) : []);
  // The folder of one that has ended stays for a moment.
  const waiting = () =>
    names()
      .map((name) => join(folder, name))
      .filter(isAgentAlive);
  return {
    system,
    server,
    /** The folders of processes that wait, once there are so many. */
    async waiting(count = 1) {
      await system.until(() => waiting().length === count && waiting().every(isWaitingForRun), `${count} wait`);
      return waiting();
    },
    /** Asks, and resolves when the provider has heard of it. */
    async ask(fields: Record<string, unknown> = {}) {
      const before = server.requests.length;
      const id = system.request({ prompt: "hello", disable_mcp: true, ...fields });
      await system.until(() => server.requests.length > before, "the provider is asked");
      return { id, agent: agentOf(attemptFolder(system.journal, id, 1)) };
    },
    async end(id: string) {
      system.cancel(id);
      await system.settled(id);
    },
    async [Symbol.asyncDispose]() {
      await system[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const variables = (pid = 0) =>
  new Set(
    textOf(`/proc/${pid}/environ`)
      .split("\0")
      .filter((line) => !/^(_|(OLD)?PWD|CORTEX_RUN)=/.test(line)),
  );

test("a run is given a process that waited: where it works and what it knows is as if it had been started for it", async () => {
  await using around = await start();
  const { system } = around;
  const [waits = ""] = await around.waiting();
  const agent = agentOf(waits);
  const run = await around.ask();
  expect(run.agent).toEqual(agent);
  expect(existsSync(waits)).toBe(false);
  const work = readlinkSync(`/proc/${run.agent?.pid}/cwd`);
  expect(work).toMatch(/cortex-run-/);
  expect(readdirSync(work)).toEqual([]);
  const [next = ""] = await around.waiting();
  expect(agentOf(next)).not.toEqual(agent);

  // Had it a wish of its own, it would be one of a kind.
  const cold = await around.ask({ env: { COLOUR: "green" } });
  expect(cold.agent).not.toEqual(agentOf(next));
  expect(isWaitingForRun(next)).toBe(true);
  const own = [...variables(cold.agent?.pid)].filter((line) => !variables(run.agent?.pid).has(line));
  expect(own).toEqual(["COLOUR=green"]);
  expect([...variables(run.agent?.pid)].filter((line) => !variables(cold.agent?.pid).has(line))).toEqual([]);
  for (const { id } of [run, cold]) await around.end(id);
  expect(system.file(run.id).map(({ event }) => event)).toEqual(["request", "start", "usage", "error"]);
  // The key is nowhere but in the processes.
  const files = readdirSync(system.journal, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.filter(({ parentPath, name }) => textOf(join(parentPath, name)).includes(key))).toEqual([]);
});

test("as many wait as were wanted at once, max_warm at most, and none when it is 0", async () => {
  await using around = await start({ settings: { max_warm: 2, max_concurrent: 8 } });
  await around.waiting(1);
  const runs = await Promise.all([around.ask(), around.ask(), around.ask()]);
  await around.waiting(2);
  for (const { id } of runs) await around.end(id);

  await using none = await start({ settings: { max_warm: 0 } });
  await none.end((await none.ask()).id);
  expect(existsSync(warmFolder(none.system.journal))).toBe(false);
});

test("when the settings name another backend, as many processes of that one wait, and none of the old one", async () => {
  await using around = await start({ settings: { max_warm: 2 } });
  const { system } = around;
  const runs = await Promise.all([around.ask(), around.ask()]);
  const old = (await around.waiting(2)).map(agentOf);
  const settings = settingsPath(system.journal);
  writeFileSync(
    settings,
    JSON.stringify({ ...JSON.parse(readFileSync(settings, "utf8")), default_backend: "offline" }),
  );
  await system.until(() => system.log.includes("cortex.json was read again"), "cortex has read them");
  await system.settled(system.request({ prompt: "hello", disable_mcp: true }));
  await system.until(() => old.every((agent) => agent && !isAlive(agent)), "the old ones have ended");
  const commands = (await around.waiting(2)).map((path) => textOf(`/proc/${agentOf(path)?.pid}/cmdline`));
  for (const command of commands) expect(command).toContain("--warm\0offline\0");
  for (const { id } of runs) await around.end(id);
});

test("warm processes of a killed cortex end, and its successor has its own", async () => {
  await using around = await start();
  const { system } = around;
  const [left = ""] = await around.waiting();
  const agent = agentOf(left);
  await system.killCortex();
  expect(agent && isAlive(agent)).toBe(true);
  await system.startCortex();
  await system.until(() => agent && !isAlive(agent) && !existsSync(left), "it has ended");
  const [next = ""] = await around.waiting();
  expect(agentOf(next)).not.toEqual(agent);
});

test.each(["warm-process-taken", "line-put", "warm-process-told"] satisfies Failpoint[])(
  "cortex dies at %j: the same process does the run, once",
  async (point) => {
    using stop = new StopPoint();
    stop.set(point, 1);
    await using around = await start({ env: stop.env });
    const { system, server } = around;
    const [waits = ""] = await around.waiting();
    const agent = agentOf(waits);
    const id = system.request({ prompt: "hello", disable_mcp: true });
    await system.until(() => stop.isReached(), point);
    stop.clear();
    await system.killCortex();
    expect(agentOf(attemptFolder(system.journal, id, 1))).toEqual(agent);
    await system.startCortex();
    await system.until(() => server.requests.length === 1, "the provider is asked");
    expect(agent && isAlive(agent)).toBe(true);
    await around.end(id);
    expect(server.requests).toHaveLength(1);
  },
);

test("a process that was taken and died before it was told is as good as none", async () => {
  using stop = new StopPoint();
  stop.set("warm-process-taken", 1);
  await using around = await start({ env: stop.env });
  const { system, server } = around;
  await around.waiting();
  const id = system.request({ prompt: "hello", disable_mcp: true });
  await system.until(() => stop.isReached(), "the point is reached");
  stop.clear();
  await system.killCortex();
  const agent = agentOf(attemptFolder(system.journal, id, 1));
  process.kill(Number(agent?.pid), "SIGKILL");
  await system.until(() => agent && !isAlive(agent), "it is gone");
  await system.startCortex();
  await system.until(() => server.requests.length === 1, "the provider is asked");
  expect(readFileSync(join(attemptFolder(system.journal, id, 1), "id"), "utf8")).not.toContain(`${agent?.pid} `);
  await around.end(id);
  expect(system.file(id).filter(({ event }) => event === "start")).toHaveLength(1);
});

test("a process that dies while it waits is nobody's", async () => {
  await using around = await start();
  const [waits = ""] = await around.waiting();
  const dead = agentOf(waits);
  process.kill(Number(dead?.pid), "SIGKILL");
  await around.system.until(() => dead && !isAlive(dead), "it is gone");
  const run = await around.ask();
  expect(run.agent).not.toEqual(dead);
  await around.system.until(() => !existsSync(waits), "its folder is gone");
  await around.end(run.id);
});

test("a process whose folder was deleted is nobody's, and ends by itself", async () => {
  await using around = await start({ settings: { orphan_grace_seconds: 16 } });
  const { system } = around;
  const [waits = ""] = await around.waiting();
  const agent = agentOf(waits);
  const pids = waitingPids(system.journal);
  rmSync(warmFolder(system.journal), { recursive: true, maxRetries: 10 }); // its watchdog may be writing there
  const run = await around.ask();
  expect(run.agent).not.toEqual(agent);
  await around.end(run.id);
  await system.until(() => pids.length > 0 && pids.every(hasEnded), "they have ended");
});
