/** A thread's title and the answers in it, at the terminal: the API on a database, with nobody who answers. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Task } from "../../../workspace/records/task.ts";
import { ApiSystem, ownerToken } from "../../web/api/api-system.ts";
import { runCortex } from "../run-command.ts";

let home: string;
let system: ApiSystem;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "tasks-"));
  system = await ApiSystem.start({ file: join(home, "workspace.db") });
});
afterAll(async () => {
  await system[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

const thread = (...args: string[]) =>
  runCortex(home, ["thread", ...args], { CORTEX_WEB_URL: system.url, CORTEX_WEB_TOKEN: ownerToken });
const json = async <T>(...args: string[]) => JSON.parse((await thread(...args, "--json")).stdout) as T;
const asked = async (title: string, text: string) =>
  (await json<{ tasks: [Task, ...Task[]] }>("post", "--new", title, text)).tasks[0];

test("a thread is renamed, found by its new title, and asked to be brief", async () => {
  await thread("post", "--new", "Seads", "hello");
  expect(await thread("rename", "seads", "Seeds")).toMatchObject({ code: 0, stdout: '"Seads" is "Seeds" now' });
  expect((await thread("list")).stdout).toMatch(/ Seeds$/m);
  expect(await thread("brief", "Seeds", "on")).toMatchObject({
    code: 0,
    stdout: 'agents are asked to be brief in "Seeds"',
  });
  expect(await json("brief", "Seeds")).toMatchObject({ title: "Seeds", is_brief: true });
  expect((await thread("brief", "Seeds", "off")).stdout).toBe('agents answer as they are in "Seeds"');
});

test("an answer is stopped by a part of its task's id, and asked for again, once", async () => {
  expect((await thread("post", "--new", "Beds", "@coder how many beds?", "--json")).code).toBe(0);
  const { tasks } = await json<{ tasks: Task[] }>("tasks", "Beds");
  const [{ id }] = tasks as [Task];
  expect(tasks).toMatchObject([{ status: "queued" }]);
  expect((await thread("tasks", "Beds")).stdout).toMatch(
    new RegExp(`^${id.slice(-8)} +Coder +queued +thread +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d +-$`, "m"),
  );
  const early = await thread("retry", id.slice(-8));
  expect([early.code, early.stderr]).toEqual([3, expect.stringContaining("cancel it first, or wait for its answer")]);
  expect(await thread("cancel", id.slice(-8))).toMatchObject({ code: 0, stdout: "the answer of Coder is cancelled" });
  expect((await thread("retry", id)).stdout).toMatch(/^Coder is asked again: task \w{8}$/);
  expect((await json<{ tasks: Task[] }>("tasks", "Beds")).tasks.map(({ status }) => status)).toEqual([
    "queued",
    "cancelled",
  ]);
  const twice = await thread("retry", id, "--json");
  expect(twice.code).toBe(3);
  expect(JSON.parse(twice.stdout)).toMatchObject({ ok: false, error: { type: "conflict" } });
});

test("cancelling and asking again print the task with --json", async () => {
  const { id } = await asked("Peas", "@coder peas?");
  expect(await json("cancel", id)).toMatchObject({ id, status: "cancelled" });
  const again = await json<Task>("retry", id);
  expect([again.status, again.id === id]).toEqual(["queued", false]);
});

test("a thread in which no agent was asked says so", async () => {
  await thread("post", "--new", "Quiet", "hello");
  expect((await thread("tasks", "Quiet")).stdout).toBe('no agent was asked in "Quiet" yet');
});

test.each([
  [["rename", "Seeds"], 2, "TITLE is missing", "cortex thread rename THREAD"],
  [["rename", "Seeds", ""], 2, "title", "cortex thread --help"],
  [["rename", "Nowhere", "Here"], 2, 'no thread "Nowhere"', "cortex thread list"],
  [["brief", "Seeds", "yes"], 2, 'unknown value "yes"', 'cortex thread brief "Seeds"'],
  [["tasks"], 2, "THREAD is missing", "cortex thread list"],
  [["cancel"], 2, "TASK is missing", "cortex thread tasks THREAD"],
  [["cancel", "nothing"], 2, 'no task "nothing"', "cortex thread tasks THREAD"],
  [["retry", "01a20abc-6149-7097-a14c-45fd1311642d"], 2, "no such", "cortex thread"],
  [["retry", "a", "b"], 2, 'unexpected "b"', "cortex thread --help"],
  [["cancel", "a", "-n", "3"], 2, "--count is not an option of cortex thread cancel", "cortex thread --help"],
])("a wrong use, %j, exits %i with what was meant", async (args, exit, said, remedy) => {
  const { code, stderr } = await thread(...args);
  expect([code, stderr]).toEqual([exit, expect.stringContaining(said)]);
  expect(stderr).toContain(remedy);
});
