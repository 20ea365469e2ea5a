/** `cortex up --detach` and `cortex down`, as a user meets them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readEndpoints } from "../../../../journal/access/endpoints.ts";
import { readSupervised } from "../../../../journal/programs/supervised.ts";
import { isTerminal } from "../../../../protocol/runs/event.ts";
import { temporaryJournal } from "../../../journal/temporary-journal.ts";
import { leftOf } from "../../../support/journal-processes.ts";
import { programNames, UpJournal } from "../../../supervisor/up-process.ts";
import { runCortex, runCortexJson } from "../../run-command.ts";

const ports = { CORTEX_MCP_PORT: "0", CORTEX_WEB_PORT: "0" };
const page = { channels: { web: {} } };

/** The environment that makes the schedule's program do something as it starts. */
const inSchedule = (code: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `if (process.argv[2] === "supervisor/schedule/main") { ${code} }`,
  )}`,
});

test("down says where nothing runs, makes nothing, and doesn't fail", async () => {
  using journal = temporaryJournal();
  const nowhere = join(journal.path, "nowhere");
  expect(await runCortex(nowhere, ["down"])).toEqual({ code: 0, stdout: `nothing runs on ${nowhere}`, stderr: "" });
  expect(existsSync(nowhere)).toBe(false);
  expect(await runCortexJson(journal.path, ["down"])).toEqual({
    code: 0,
    document: { ok: true, stopped: false, pid: null, programs: [] },
  });
});

test("detached, it returns when all is up, with the addresses and the log; down stops it, and its runs are taken up", async () => {
  await using journal = new UpJournal({ ...page, stop_grace_seconds: 6 });
  const up = await runCortex(journal.path, ["up", "--detach"], ports);
  expect(up).toMatchObject({ code: 0 });
  const endpoints = readEndpoints(journal.path);
  const log = join(journal.path, ".run/logs/up.log");
  const expected = { bus: endpoints?.nats_url, tools: endpoints?.mcp_url, web: endpoints?.web_url, log };
  for (const [name, value] of Object.entries(expected)) expect(up.stdout).toContain(`  ${name.padEnd(8)} ${value}`);
  expect(readFileSync(log, "utf8")).toContain("cortex is started");
  const again = await runCortex(journal.path, ["up", "--detach"], ports);
  expect(again).toMatchObject({ code: 3, stderr: expect.stringContaining(`pid ${endpoints?.pid}`) });
  const run = await journal.count();
  const down = await runCortex(journal.path, ["down"]);
  expect(down).toMatchObject({ code: 0, stdout: `stopped, on ${journal.path}` });
  expect(down.stderr).toContain("waiting for cortex (a run may finish first)");
  expect(await leftOf(journal.path)).toEqual([]);
  expect(journal.file(run.agentId).some(isTerminal)).toBe(false);
  await journal.start().isUp();
  await journal.until(() => journal.file(run.agentId).some(({ attempt }) => attempt === 2), "the second attempt");
  await journal.end(run);
});

test("programs that a killed cortex up has left are stopped, as Ctrl-C would have", async () => {
  await using journal = new UpJournal({ stop_grace_seconds: 0.2 });
  const up = journal.start();
  await up.isUp();
  const run = await journal.count();
  up.signal("SIGKILL");
  await up.exited;
  const { code, document } = await runCortexJson(journal.path, ["down"]);
  expect({ code, document }).toMatchObject({
    code: 0,
    document: { stopped: true, programs: programNames },
  });
  expect(await leftOf(journal.path)).toEqual([]);
  expect(journal.file(run.agentId).some(isTerminal)).toBe(false);
  expect(readSupervised(journal.path)?.programs.map(({ state }) => state)).toEqual(programNames.map(() => "stopped"));
});

test("detached, what is in the way is told with its own exit code, and what has failed of it as well", async () => {
  await using journal = new UpJournal({ max_concurrent: "many" });
  const refused = await runCortex(journal.path, ["up", "--detach"], ports);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/error: .*max_concurrent/) });
  journal.configure({});
  const failing = await runCortex(journal.path, ["up", "--detach"], { ...ports, ...inSchedule("process.exit(125)") });
  expect(failing).toMatchObject({ code: 1, stdout: expect.stringContaining("cortex is up") });
  expect(failing.stderr).toContain("not everything is up: schedule has failed: exited with code 125");
  expect(await runCortex(journal.path, ["down"])).toMatchObject({ code: 0 });
  expect(readdirSync(join(journal.path, ".run")).includes("endpoints.json")).toBe(false);
});
