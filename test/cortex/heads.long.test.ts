/** Heads of ended runs: whatever is done to a run's file afterwards shows, and what cortex itself does to it doesn't. */
import { appendFileSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compressRun } from "../../journal/ended-runs/compressed-run.ts";
import { pruneRuns } from "../../journal/retention/retention.ts";
import { activeFile, endedFile } from "../../journal/runs/run-files.ts";
import { headsFile } from "../../journal/chain/run-heads.ts";
import { runCortex, runCortexJson } from "../scripts/run-command.ts";
import { CortexSystem, fixtureAgents } from "../support/cortex-system.ts";

const finish = { ev: { event: "finish", result: "done" } };
const harms = ["deleted", "emptied", "cut", "unchained", "renamed", "longer", "continued"] as const;
const names = ["whole", "source", "packed", ...harms] as const;
type Name = (typeof names)[number];

let system: CortexSystem;
const ids = new Map<Name, string>();
const idOf = (name: Name) => ids.get(name) ?? "";
const fileOf = (name: Name) => endedFile(system.journal, idOf(name));
const linesOf = (name: Name) => readFileSync(fileOf(name), "utf8").split("\n").slice(0, -1);
const write = (name: Name, lines: string[]) => writeFileSync(fileOf(name), lines.map((line) => `${line}\n`).join(""));
const goOnFrom = (name: Name) => system.settled(system.steps([finish], { continue_from: idOf(name) }));

beforeAll(async () => {
  system = await CortexSystem.start({ settings: fixtureAgents("scripted") });
  for (const name of names) ids.set(name, system.steps([{ ev: { event: "text", text: name } }, finish]));
  for (const name of names) await system.settled(idOf(name));
});
afterAll(() => system[Symbol.asyncDispose]());

const verify = (...args: string[]) => runCortexJson(system.journal, ["audit", "verify", ...args]);
const seal = async (...args: string[]) => (await runCortex(system.journal, ["audit", "seal", ...args])).stdout;

test("runs that were continued, compressed and pruned are as they should be", async () => {
  const old = "1600000000000";
  await system.settled(system.steps([finish], {}, old));
  const file = endedFile(system.journal, old);
  utimesSync(file, 1_600_000_000, 1_600_000_000);
  expect(await pruneRuns(system.journal, { delete_after_days: 365 })).toMatchObject({ deleted: [{ agent_id: old }] });
  await goOnFrom("source");
  await goOnFrom("source");
  await compressRun(system.journal, idOf("packed"));
  const { code, document } = await verify("--all");
  expect([code, document["totals"]]).toEqual([
    0,
    { intact: names.length + 2, not_chained: 0, broken: 0, gone: 0, before_heads: 0 },
  ]);
  expect(statSync(headsFile(system.journal)).mode & 0o777).toBe(0o600);
});

test("a seal holds while runs end, signed or not, and not for another's key", async () => {
  const line = await seal();
  expect(line).toMatch(/^cortex-seal-1 \d{13} \d+ [0-9a-f]{32}$/);
  const key = join(system.journal, "seal.pem");
  const signed = await seal("--key", key);
  expect(statSync(key).mode & 0o777).toBe(0o600);
  const [, publicKey = ""] = / (ed25519:\S+) /.exec(signed) ?? [];
  await system.settled(system.steps([finish]));
  expect(await verify("--seal", line)).toMatchObject({
    code: 0,
    document: { seal: { signed_by: null, problems: [] } },
  });
  expect(await verify("--seal", signed, "--public-key", publicKey)).toMatchObject({ code: 0 });
  const others = [await seal("--key", join(system.journal, "other.pem")), line];
  for (const other of others) {
    const { code, document } = await verify("--seal", other, "--public-key", publicKey);
    expect([code, document["seal"]]).toEqual([
      1,
      expect.objectContaining({ problems: [expect.stringContaining(`not by ${publicKey}`)] }),
    ]);
  }
  const forged = signed.replace(/ (\d+) /, " 1700000000000 ");
  for (const bad of [forged, "cortex-seal-1", `${line} x`]) expect((await verify("--seal", bad)).code).toBe(2);
});

test("a file that was deleted, emptied, cut, stripped of its chain, renamed or added to is found, each by itself", async () => {
  const journal = system.journal;
  rmSync(fileOf("deleted"));
  write("emptied", []);
  write("cut", linesOf("cut").slice(0, 1));
  write(
    "unchained",
    linesOf("unchained").map((line) => line.replace(/"prev":"[0-9a-f]+",/, "")),
  );
  renameSync(fileOf("renamed"), activeFile(journal, idOf("renamed")));
  appendFileSync(fileOf("longer"), `${linesOf("longer").at(-1)?.replace("finish", "text")}\n`);
  // Cut first: what cortex then appends notes another end, and the first one is still kept.
  write("continued", linesOf("continued").slice(0, 3));
  await goOnFrom("continued");
  const forged = String(Date.now() + 1);
  const own = linesOf("whole").map((line) => line.replaceAll(idOf("whole"), forged));
  writeFileSync(endedFile(journal, forged), `${own.join("\n")}\n`);
  const { code, document } = await verify("--all");
  expect(code).toBe(1);
  const found = (document["runs"] as { agent_id: string; state: string; problems: { problem: string }[] }[]).filter(
    ({ state }) => state !== "intact",
  );
  const problemOf = (id: string) => found.find(({ agent_id }) => agent_id === id)?.problems[0]?.problem;
  expect(problemOf(idOf("deleted"))).toBe("is gone: the file had 4 lines when the run had ended");
  expect(problemOf(idOf("emptied"))).toBe("is missing: the file had 4 lines when the run had ended");
  expect(problemOf(idOf("cut"))).toBe("is missing: the file had 4 lines when the run had ended");
  expect(problemOf(idOf("unchained"))).toMatch(/^differs from the line at the run's end/);
  expect(problemOf(idOf("renamed"))).toMatch(/has the name of a run in progress/);
  expect(problemOf(idOf("longer"))).toBe("was added after the run had ended");
  expect(problemOf(idOf("continued"))).toMatch(/^differs from the line at the run's end/);
  expect(problemOf(forged)).toMatch(/whose end was never recorded/);
  expect(found).toHaveLength(harms.length + 1);
  for (const name of harms) expect((await verify(idOf(name))).code).toBe(1);
  renameSync(activeFile(journal, idOf("renamed")), fileOf("renamed"));
  rmSync(endedFile(journal, forged));
});

test("heads that were changed, cut or written anew are found, the last by a seal alone", async () => {
  const path = headsFile(system.journal);
  const line = await seal();
  const before = readFileSync(path, "utf8");
  const lines = before.split("\n").slice(0, -1);
  const withHeads = async (text: string) => {
    writeFileSync(path, text);
    const { document } = await verify("--seal", line);
    writeFileSync(path, before);
    const { problems } = document["seal"] as { problems: string[] };
    return { heads: (document["heads"] as { line: number }[]).map((one) => one.line), sealed: problems.length };
  };
  const text = (all: string[]) => all.map((one) => `${one}\n`).join("");
  expect(await withHeads(before)).toEqual({ heads: [], sealed: 0 });
  expect(await withHeads(text(lines.with(1, (lines[1] ?? "").replace('"lines":4', '"lines":5'))))).toEqual({
    heads: [3],
    sealed: 0,
  });
  expect((await withHeads(text(lines.toSpliced(1, 1)))).heads).toContain(2);
  expect(await withHeads(text(lines.slice(0, -1)))).toEqual({ heads: [], sealed: 1 });
  expect(await withHeads("")).toEqual({ heads: [], sealed: 1 });
  expect((await withHeads(`${"x".repeat(5000)}\n`)).sealed).toBe(1);
});

test("runs that ended before heads were kept are told as such", async () => {
  rmSync(headsFile(system.journal));
  const { code, stdout } = await runCortex(system.journal, ["audit", "verify", idOf("whole")]);
  expect(code).toBe(0);
  expect(stdout).toContain("1 ended before heads were kept: only their chains were verified");
  expect(await runCortex(system.journal, ["audit", "seal"])).toMatchObject({ code: 1 });
  // A torn line was never anybody's head.
  await system.settled(system.steps([finish]));
  appendFileSync(headsFile(system.journal), '{"n":2,"ts');
  await system.settled(system.steps([finish]));
  expect((await verify(idOf("whole"))).document).toMatchObject({ heads: [], totals: { intact: 1, before_heads: 1 } });
});
