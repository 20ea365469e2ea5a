/** `cortex chat` and its companions, as a user meets them: without a key, on the example journal. */
import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { UpJournal } from "../../supervisor/up-process.ts";
import { runCortex, runCortexJson, spawnCortex } from "../run-command.ts";

const up = new UpJournal({ default_backend: "offline", agents: { join_window_ms: 0 } });
cpSync(fileURLToPath(new URL("../../../examples/journal", import.meta.url)), up.path, {
  recursive: true,
  force: false,
});
await up.start().isUp();
afterAll(() => up[Symbol.asyncDispose]());

test("one exchange prints what is replied, and ends when what was sent off has come back", async () => {
  const asked = await runCortex(up.path, ["chat", "What did we decide about the greenhouse heater?"]);
  expect(asked).toMatchObject({ code: 0 });
  expect(asked.stdout).toMatch(/^I look for that in the journal\.\n[\s\S]*1 kW[\s\S]*20250111\/notes\.md:3/);
  expect(asked.stderr).toContain("spawn_subagent");
  const { document } = await runCortexJson(up.path, ["agents", "list"]);
  expect(document).toMatchObject({ agents: [{ kind: "main", state: "idle", backend: "offline" }] });
  const [{ agent_id: id }] = (document as { agents: [{ agent_id: string }] }).agents;
  const shown = await runCortex(up.path, ["agents", "show", id.slice(0, 6)]);
  expect(shown.stdout).toMatch(/user +\[channel: cli \| id: main\] What did we decide/);
  const tasks = await runCortexJson(up.path, ["tasks", "list"]);
  expect(tasks.document).toMatchObject({ tasks: [{ status: "completed", type: "explore", parent: id }] });
  const [{ taskId }] = (tasks.document as { tasks: [{ taskId: string }] }).tasks;
  expect((await runCortex(up.path, ["tasks", "show", taskId])).stdout).toContain("CALL search_journal");
  expect((await runCortex(up.path, ["agents", "reset", id])).stdout).toBe(`${id} begins anew`);
});

test("an impossible use is refused with the value and the remedy", async () => {
  const run = (...args: string[]) => runCortex(up.path, args);
  expect(await run("chat", "a", "b")).toMatchObject({ code: 2, stderr: expect.stringContaining('cortex chat "a b"') });
  expect(await run("chat", " ")).toMatchObject({ code: 2, stderr: expect.stringContaining("nothing to say") });
  expect(await run("chat", "--agent", "nobody", "x")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('no agent "nobody"'),
  });
  expect(await run("tasks", "show", "zzz")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('there is no task "zzz": see cortex tasks list'),
  });
  expect(await run("agents", "show", "zzz")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("cortex agents list"),
  });
  expect(await run("agents", "dance")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("list, show, stop, take-back, say-now, reset, compact"),
  });
  expect(await run("tasks", "resume", "zzz")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("nothing to tell"),
  });
  expect(await run("permissions", "allow", "zzz")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('no question "zzz"'),
  });
  expect(await run("pair", "WRONGONE")).toMatchObject({ code: 3, stderr: expect.stringContaining("WRONGONE") });
  expect((await run("permissions", "list")).stdout).toBe("nothing waits for an answer");
  expect((await run("pair")).stdout).toMatch(/^[A-Z0-9]{8}$/);
});

test("a message that is longer than an agent takes is refused at once", async () => {
  const { exitCode, stderr } = await spawnCortex(up.path, ["chat", "-"], {}, "x".repeat(300_000));
  expect(stderr).toContain("a message of 300000 characters is too long: 262144 is the most");
  expect(stderr).toContain("write it into a file, and name the file");
  expect(exitCode).toBe(2);
});

test("chat says how to start cortex without anything running", async () => {
  const nowhere = `${up.path}/nowhere`;
  for (const args of [["chat", "hello"], ["agents", "list"], ["tasks", "list"], ["permissions", "list"], ["pair"]])
    expect(await runCortex(nowhere, args)).toMatchObject({ code: 69, stderr: expect.stringContaining("cortex up") });
});
