/** The promise of a copied journal: it never touches the original, says what it is, and starts clean. */
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { isAlive } from "../../proc/processes/identity.ts";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { runState } from "../../journal/runs/run-files.ts";
import { isTerminal } from "../../protocol/runs/event.ts";
import { runCortex } from "../scripts/run-command.ts";
import { lives, programNames, UpJournal } from "./up-process.ts";

/** Copies a journal as people do, into the folder of another one. */
async function copied(original: UpJournal): Promise<UpJournal> {
  const copy = new UpJournal();
  rmSync(join(copy.path, ".run"), { recursive: true });
  const { stderr } = await execa("cp", ["-a", `${original.path}/.`, copy.path], { reject: false });
  // What was being written when it was listed has its own name by now.
  expect(stderr.split("\n").filter((line) => line !== "" && !line.includes(".tmp': No such file"))).toEqual([]);
  return copy;
}

const asideIn = (journal: string) => readdirSync(journal).filter((name) => name.startsWith(".state.copied-"));

/** Publishes a request that has to wait, and resolves when cortex has recorded it. */
async function waitingRequest(journal: UpJournal, prompt: string): Promise<string> {
  await using bus = await journal.client();
  const agentId = String(Date.now());
  const answer = await bus.connection.request("cortex.request", JSON.stringify({ ts: Number(agentId), prompt }), {
    timeout: 60_000,
    noMux: true,
  });
  expect(answer.string()).not.toContain("error");
  return agentId;
}

test("a copy of a running journal starts clean, and the original goes on undisturbed", async () => {
  await using original = new UpJournal({ max_concurrent: 1 });
  const first = original.start();
  await first.isUp();
  const run = await original.count();
  const waiting = await waitingRequest(original, JSON.stringify({ file: join(original.path, "second") }));
  const pids = original.pids();
  await using copy = await copied(original);

  const asked = await runCortex(copy.path, ["request", "hello"]);
  expect(asked).toMatchObject({ code: 69 });
  expect(asked.stderr).toContain(`nothing runs on ${copy.path}, which is a copy of ${original.path}`);
  expect(await runCortex(copy.path, ["status"])).toMatchObject({ code: 69 });

  const up = copy.start();
  await up.isUp();
  expect(up.output).toContain(`this journal is a copy of ${original.path}: it starts clean`);
  expect(up.output).toContain("1 runs in progress are ended here");
  for (const name of programNames) expect(copy.isReady(name), name).toBe(true);
  expect(copy.file(run.agentId).at(-1)).toMatchObject({ event: "error", reason: "interrupted" });
  expect(asideIn(copy.path)).toHaveLength(1);
  expect(readEndpoints(copy.path)?.nats_url).not.toBe(readEndpoints(original.path)?.nats_url);

  const own = await copy.count();
  expect(runState(original.path, own.agentId)).toBe("absent");
  await copy.end(own);
  expect(runState(copy.path, waiting)).toBe("absent");
  expect(await up.stop()).toBe(0);

  expect(original.pids()).toEqual(pids);
  expect(lives(run)).toBe(true);
  const events = await original.end(run);
  expect(events.filter(isTerminal)).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ event: "finish" });
  await original.until(() => runState(original.path, waiting) !== "absent", "the waiting request runs in the original");

  // The second start of what was a copy is one like any other.
  const again = copy.start();
  await again.isUp();
  expect(again.output).not.toContain("is a copy of");
});

test("a copy whose supervisor was killed takes up nothing of the original's", async () => {
  await using original = new UpJournal();
  const first = original.start();
  await first.isUp();
  const run = await original.count();
  first.signal("SIGKILL");
  await first.exited;
  await using copy = await copied(original);
  const up = copy.start("--replace");
  await up.isUp();
  expect(Object.values(original.pids()).filter((pid) => Object.values(copy.pids()).includes(pid))).toEqual([]);
  expect(await up.stop()).toBe(0);
  expect(lives(run)).toBe(true);
  const second = original.start();
  await second.isUp();
  expect(second.output).not.toContain("is a copy of");
  expect((await original.end(run)).filter(isTerminal)).toHaveLength(1);
});

test("a folder that was moved is gone on with, and not while its original is there", async () => {
  await using original = new UpJournal({ max_concurrent: 1 });
  const first = original.start();
  await first.isUp();
  const run = await original.count();
  const waiting = await waitingRequest(original, JSON.stringify({ file: join(original.path, "second") }));
  first.signal("SIGTERM");
  first.signal("SIGTERM");
  await first.exited;
  expect(isAlive(run.agent)).toBe(false);
  await using moved = await copied(original);
  const refused = moved.start("--moved");
  expect(await refused.exited).toBe(3);
  expect(refused.output).toContain("is still there");
  const elsewhere = `${original.path}-gone`;
  renameSync(original.path, elsewhere);
  try {
    const up = moved.start("--moved");
    await up.isUp();
    expect(up.output).toContain(`this journal was moved here from ${original.path}`);
    expect(asideIn(moved.path)).toEqual([]);
    await moved.until(
      () => moved.file(run.agentId).filter(({ event }) => event === "start").length === 2,
      "run goes on",
    );
    await moved.end(run);
    await moved.until(() => runState(moved.path, waiting) !== "absent", "what waited runs");
  } finally {
    renameSync(elsewhere, original.path);
  }
});

test("a journal that was renamed is the same one", async () => {
  await using journal = new UpJournal();
  const first = journal.start();
  await first.isUp();
  await first.stop();
  await using renamed = new UpJournal();
  rmSync(renamed.path, { recursive: true });
  renameSync(journal.path, renamed.path);
  const up = renamed.start();
  await up.isUp();
  expect(up.output).not.toContain("is a copy of");
  expect(asideIn(renamed.path)).toEqual([]);
  expect(existsSync(journal.path)).toBe(false);
});
