/**
 * The promise of a backup: consistent though everything runs, private, and nothing in it is done twice or lost unsaid.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import { copyTree } from "../../../../journal/backup/copy-tree.ts";
import { runState } from "../../../../journal/runs/run-files.ts";
import { isTerminal } from "../../../../protocol/runs/event.ts";
import { lives, UpJournal } from "../../../supervisor/up-process.ts";
import { runCortex, runCortexJson } from "../../run-command.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cortex-backup-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const starts = (journal: UpJournal, agentId: string) =>
  journal.file(agentId).filter(({ event }) => event === "start").length;

test("a backup of a running journal goes on with what had been accepted, or starts without it", async () => {
  await using original = new UpJournal({ max_concurrent: 1 });
  const up = original.start();
  await up.isUp();
  const ended = await original.count();
  await original.end(ended);
  const run = await original.count();
  const waiting = String(Date.now());
  await using bus = await original.client();
  const prompt = JSON.stringify({ file: join(folder, "births") });
  await bus.connection.request("cortex.request", JSON.stringify({ ts: Number(waiting), prompt }), {
    timeout: 60_000,
    noMux: true,
  });
  const pids = original.pids();

  const file = join(folder, "journal.tar.gz");
  const made = await runCortexJson(original.path, ["backup", file]);
  expect(made).toMatchObject({ code: 0, document: { ok: true, path: file, with_state: true, running: 1 } });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["journal.tar.gz"]);
  expect(original.pids()).toEqual(pids);
  expect(lives(run)).toBe(true);
  expect(await runCortex(original.path, ["backup", file])).toMatchObject({ code: 2 });
  expect(await runCortex(original.path, ["backup", join(original.path, "x.tar.gz")])).toMatchObject({ code: 2 });

  // Without it nothing that had been accepted is done.
  const without = join(folder, "without");
  const clean = await runCortexJson(without, ["restore", file, "--without-state"]);
  expect(clean).toMatchObject({ code: 0, document: { path: without, with_state: false, runs: 1 } });
  expect(runState(without, run.agentId)).toBe("ended");
  expect(readFileSync(join(without, "cortex.json"), "utf8")).toContain("max_concurrent");
  expect(readdirSync(join(without, ".state"))).not.toContain("jetstream");
  expect(await runCortex(without, ["audit", "verify", "--all"])).toMatchObject({ code: 0 });

  await original.end(run);
  await bus[Symbol.asyncDispose]();
  await up.stop();
  await using restored = new UpJournal();
  rmSync(restored.path, { recursive: true });
  const told = await runCortex(folder, ["restore", file, restored.path]);
  expect(told).toMatchObject({ code: 0, stderr: "" });
  expect(told.stdout).toContain("1 runs in progress");
  expect(statSync(restored.path).mode & 0o777).toBe(0o700);
  const again = restored.start();
  await again.isUp();
  expect(again.output).not.toContain("is a copy of");
  expect(restored.file(ended.agentId).at(-1)).toMatchObject({ event: "finish" });
  await restored.until(() => starts(restored, run.agentId) === 2, "the run that was in progress goes on");
  expect((await restored.end(run)).filter(isTerminal)).toHaveLength(1);
  await restored.until(() => runState(restored.path, waiting) !== "absent", "the request that waited runs");
  expect(starts(restored, ended.agentId)).toBe(1);
});

test("a file that isn't a backup, or would write elsewhere, is refused and leaves nothing", async () => {
  const target = join(folder, "target");
  const refused = async (name: string, make: (inside: string) => string[], transform: string[] = []) => {
    const inside = join(folder, name);
    mkdirSync(inside);
    writeFileSync(
      join(inside, "cortex-backup.json"),
      JSON.stringify({ format: 1, from: "/x", ts: 1, with_state: true, waiting: 0, running: 0 }),
    );
    const names = make(inside);
    const file = join(folder, `${name}.tar.gz`);
    await execa("tar", ["-czPf", file, ...transform, "-C", inside, "cortex-backup.json", ...names]);
    const { code, stderr } = await runCortex(folder, ["restore", file, target]);
    expect([name, code, existsSync(target), existsSync(join(folder, "evil"))]).toEqual([name, 2, false, false]);
    return stderr;
  };
  const evil = (inside: string) => {
    writeFileSync(join(inside, "evil"), "x");
    return ["evil"];
  };
  expect(await refused("dots", evil, ["--transform", "s,^evil,../../evil,"])).toContain("can't be unpacked");
  const link = (inside: string) => {
    symlinkSync("/etc/passwd", join(inside, "notes"));
    return ["notes"];
  };
  expect(await refused("link", link)).toContain('"notes" in it is a link that leads out');
  const pipe = (inside: string) => ["pipe", ...evil(inside)];
  await execa("mkfifo", [join(folder, "pipe")]);
  const fifo = await refused("fifo", (inside) => {
    renameSync(join(folder, "pipe"), join(inside, "pipe"));
    return pipe(inside).slice(0, 1);
  });
  expect(fifo).toContain('"pipe" in it is not a file, folder or link');
  writeFileSync(join(folder, "no.tar.gz"), "no archive");
  expect((await runCortex(folder, ["restore", join(folder, "no.tar.gz"), target])).code).toBe(2);
  mkdirSync(target);
  writeFileSync(join(target, "note.md"), "mine");
  expect((await runCortex(folder, ["restore", join(folder, "link.tar.gz"), target])).stderr).toContain("isn't empty");
  expect(readFileSync(join(target, "note.md"), "utf8")).toBe("mine");
});

test("a file that gets another name while its folder is copied isn't missed", async () => {
  const [from, to] = [join(folder, "from"), join(folder, "to")];
  mkdirSync(from);
  writeFileSync(join(from, "1_active.jsonl"), "{}\n");
  const copied = await copyTree(from, to, (path) => {
    if (path === "1_active.jsonl") renameSync(join(from, path), join(from, "1.jsonl"));
    return false;
  });
  expect(readdirSync(to)).toEqual(["1.jsonl"]);
  expect(copied).toMatchObject({ files: 1, bytes: 3, leftOut: [] });
});
