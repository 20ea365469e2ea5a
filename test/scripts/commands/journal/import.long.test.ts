import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { execa } from "execa";
import { listMemory } from "../../../../journal/agents/memory.ts";
import { loadPersonas } from "../../../../personas/load.ts";
import type { ImportReport } from "../../../../scripts/import/openclaw/import-report.ts";
import { ApiSystem, ownerToken } from "../../../web/api/api-system.ts";
import { runCortex, runCortexJson } from "../../run-command.ts";

const fixture = fileURLToPath(new URL("../../../fixtures/openclaw", import.meta.url));
const bin = fileURLToPath(new URL("../../../../bin/cortex.js", import.meta.url));

let home: string;
let journal: string;
let source: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "import-"));
  journal = join(home, "journal");
  source = join(home, "openclaw");
  cpSync(fixture, source, { recursive: true });
  // The one conflict that the fixture has with what comes with cortex.
  rmSync(join(source, ".agents"), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true }));

const from = (path: string) => join(source, path);
const of = (path: string) => readFileSync(join(journal, path), "utf8");
async function imported(...args: string[]): Promise<{ code: number | undefined; report: ImportReport }> {
  const { code, document } = await runCortexJson(journal, ["import", "openclaw", source, ...args]);
  return { code, report: document as unknown as ImportReport };
}
const whyLeft = ({ left_out: leftOut }: ImportReport, path: string) =>
  leftOut.find((one) => one.from === path)?.why ?? "it isn't among them";

test("an OpenClaw workspace becomes a persona, a memory, skills and a schedule that is off", async () => {
  const { code, report } = await imported();
  expect(code).toBe(0);
  expect(report.files.map(({ state }) => state)).not.toContain("conflict");

  const { personas, problems } = loadPersonas(journal);
  expect(problems).toEqual([]);
  const maxos = personas.get("maxos");
  expect(maxos?.settings["identity"]).toEqual({
    name: "Maxós",
    role: "a familiar in a small ship's chandlery",
    personality: "dry, warm, precise",
  });
  for (const said of ["a long memory", "Mental notes", "dymo-2", "Ada Marsh"])
    expect(maxos?.instruction).toContain(said);
  expect(maxos?.instruction).not.toContain("summary:");
  expect(maxos?.instruction).not.toContain("Fill this in");

  expect(listMemory(journal)).toEqual([
    expect.objectContaining({ path: "maxos/KNOWLEDGE-MAP.md" }),
    expect.objectContaining({ path: "maxos/MEMORY.md", summary: "long-term memory, from OpenClaw" }),
    expect.objectContaining({ path: "maxos/config/orders.md" }),
    expect.objectContaining({ path: "maxos/memory/2026-01-05.md", summary: "log of 2026-01-05, from OpenClaw" }),
    expect.objectContaining({ path: "maxos/memory/2026-01-06.md" }),
    expect.objectContaining({ path: "maxos/memory/projects/label-printer.md" }),
  ]);
  expect(of("memory/maxos/MEMORY.md")).toContain("Tuesdays only");
  expect(of("skills/weather/SKILL.md")).toBe(readFileSync(from("skills/weather/SKILL.md"), "utf8"));
  expect(existsSync(join(journal, "skills/release-notes/SKILL.md"))).toBe(true);

  const heartbeat = personas.get("maxos-heartbeat");
  expect(heartbeat?.settings.schedule).toBe("*/30 * * * *");
  expect(heartbeat?.instruction).toContain("order older than two days");
  expect(report.schedule).toEqual({ persona: "maxos-heartbeat", on: false });
  expect(JSON.parse(of("cortex.json"))).toEqual({ schedules: { "maxos-heartbeat": false } });
  expect(statSync(join(journal, "personas/maxos.txt")).mode & 0o777).toBe(0o600);
});

test("the report of an import names what was not carried over, and why", async () => {
  const { report } = await imported();
  expect(whyLeft(report, "BOOTSTRAP.md")).toContain("first run");
  expect(whyLeft(report, "skills/broken/SKILL.md")).toContain("---");
  expect(whyLeft(report, "skills/weather/scripts")).toContain("only the instructions");
  expect(whyLeft(report, "memory/heartbeat-state.json")).toContain("Markdown");
  expect(report.notes.join("\n")).toContain('requires {"bins":["curl"]}');
  const { stdout } = await runCortex(journal, ["import", "openclaw", source]);
  expect(stdout).toMatch(/^ {2}BOOTSTRAP\.md +a ritual of the first run/m);
  expect(stdout).toMatch(/^ {2}cortex chat -p maxos /m);
});

test("a dry run shows the report of the import and writes nothing", async () => {
  const dry = await imported("--dry-run");
  expect(existsSync(journal)).toBe(false);
  const real = await imported();
  expect(real.report).toEqual({ ...dry.report, dry_run: false });
});

test("an import that is run again changes nothing, and one after a change of ours names the conflict", async () => {
  await imported();
  const before = of("personas/maxos.txt");
  const again = await imported();
  expect(again.code).toBe(0);
  expect(new Set(again.report.files.map(({ state }) => state))).toEqual(new Set(["there"]));

  writeFileSync(join(journal, "memory/maxos/MEMORY.md"), "# Mine now\n");
  writeFileSync(join(journal, "personas/maxos.json"), '{"title": "Mine"}');
  const { code, report } = await imported();
  expect(code).toBe(1);
  const conflicts = report.files.filter(({ state }) => state === "conflict").map(({ to }) => to);
  expect(conflicts).toEqual(["memory/maxos/MEMORY.md", "personas/maxos.json"]);
  expect(of("memory/maxos/MEMORY.md")).toBe("# Mine now\n");
  expect(of("personas/maxos.json")).toBe('{"title": "Mine"}');
  expect(of("personas/maxos.txt")).toBe(before);
});

test("a persona of which one half is the user's gets no other half", async () => {
  mkdirSync(join(journal, "personas"), { recursive: true });
  writeFileSync(join(journal, "personas/maxos.json"), '{"title": "Mine"}');
  const { code, report } = await imported();
  expect(code).toBe(1);
  expect(report.files).toContainEqual(expect.objectContaining({ to: "personas/maxos.txt", state: "conflict" }));
  expect(existsSync(join(journal, "personas/maxos.txt"))).toBe(false);
});

test("a persona or skill that comes with cortex is not replaced by an import, but main where it is named", async () => {
  writeFileSync(from("IDENTITY.md"), "- **Name:** General\n");
  mkdirSync(from("skills/code-review"));
  writeFileSync(from("skills/code-review/SKILL.md"), "---\ndescription: Other.\n---\nOther.\n");
  const { code, report } = await imported();
  expect(code).toBe(1);
  const conflicts = report.files.filter(({ state }) => state === "conflict").map(({ to }) => to);
  expect(conflicts).toEqual(["skills/code-review/SKILL.md", "personas/general.txt", "personas/general.json"]);
  expect(existsSync(join(journal, "personas/general.txt"))).toBe(false);

  const asMain = await imported("--name", "main");
  expect(asMain.report.files).toContainEqual(expect.objectContaining({ to: "personas/main.txt", state: "new" }));
});

test("nothing outside an OpenClaw workspace is read through a link, and nothing too large or strange", async () => {
  writeFileSync(join(home, "secret.md"), "the launch code is 0000\n");
  rmSync(from("TOOLS.md"));
  symlinkSync(join(home, "secret.md"), from("TOOLS.md"));
  symlinkSync(join(home, "secret.md"), from("memory/2026-01-07.md"));
  symlinkSync(home, from("config/home"));
  symlinkSync("/dev/zero", from("KNOWLEDGE.md"));
  await execa("mkfifo", [from("memory/2026-01-08.md")]);
  writeFileSync(from("memory/2026-01-09.md"), "x".repeat(3 * 1024 * 1024));
  writeFileSync(from("memory/\u001b[2J.md"), "strange\n");
  writeFileSync(from("AGENTS.md"), Buffer.from([0x41, 0xff, 0xfe]));
  const { code, report } = await imported();
  expect(code).toBe(0);
  expect(whyLeft(report, "TOOLS.md")).toContain("out of the folder");
  expect(whyLeft(report, "memory/2026-01-07.md")).toContain("link");
  expect(whyLeft(report, "config/home")).toContain("link");
  expect(whyLeft(report, "memory/2026-01-08.md")).toContain("only Markdown files");
  expect(whyLeft(report, "memory/2026-01-09.md")).toContain("bytes");
  expect(whyLeft(report, "memory/\u001b[2J.md")).toContain("name");
  expect(whyLeft(report, "AGENTS.md")).toMatch(/utf-8/i);
  const { stdout: everything } = await execa("grep", ["-r", "launch code", journal], { reject: false });
  expect(everything).toBe("");
  const { stdout } = await runCortex(journal, ["import", "openclaw", source]);
  expect(stdout).not.toContain("\u001b");
});

test("an import writes nothing through a link in the journal", async () => {
  const outside = join(home, "outside");
  for (const folder of [journal, outside]) mkdirSync(folder);
  symlinkSync(outside, join(journal, "personas"));
  const { code, report } = await imported();
  expect(code).toBe(1);
  expect(report.files).toContainEqual(expect.objectContaining({ to: "personas/maxos.txt", state: "conflict" }));
  expect(existsSync(join(outside, "maxos.txt"))).toBe(false);
});

/** Begins an import, and kills it once it has brought over a note, or more. */
async function killedImport(): Promise<void> {
  const env = { PATH: process.env["PATH"], HOME: home, JOURNAL_PATH: journal };
  const watcher = watch(join(journal, "memory/maxos/memory"));
  const killed = spawn(process.execPath, [bin, "import", "openclaw", source], { env, stdio: "ignore" });
  const exited = once(killed, "exit");
  watcher.on("change", (_, name) => /^[\w-]+\.md$/.test(String(name)) && killed.kill("SIGKILL"));
  await exited;
  watcher.close();
}

test("an import that was killed in the middle is finished by the next", async () => {
  for (let number = 0; number < 300; number++)
    writeFileSync(from(`memory/2025-01-01-${String(number).padStart(3, "0")}.md`), `# Note ${number}\n`);
  // Until one is killed before its end, which may be over before a busy machine has the time for it.
  do {
    rmSync(journal, { recursive: true, force: true });
    mkdirSync(join(journal, "memory/maxos/memory"), { recursive: true });
    await killedImport();
  } while (existsSync(join(journal, "personas/maxos.txt")));
  const { code, report } = await imported();
  expect(code).toBe(0);
  const states = new Set(report.files.map(({ state }) => state));
  expect(states).toEqual(new Set(["new", "there"]));
  expect(listMemory(journal)).toHaveLength(306);
});

test("an OpenClaw workspace becomes an agent of a workspace, without what its members aren't to read", async () => {
  await using system = await ApiSystem.start({ file: join(home, "workspace.db") });
  const env = { CORTEX_WEB_URL: system.url, CORTEX_WEB_TOKEN: ownerToken };
  const asAgent = async (...args: string[]) => {
    const { code, document } = await runCortexJson(journal, ["import", "openclaw", source, "--agent", ...args], env);
    return { code, report: document as unknown as ImportReport };
  };
  writeFileSync(from("TOOLS.md"), "# TOOLS.md\n\nprinter password: hunter2hunter2\n");
  const dry = await asAgent("--dry-run");
  expect(dry.report.files[0]).toMatchObject({ what: "agent", to: "@maxos in Workspace", state: "new" });
  const { code, report } = await asAgent();
  expect(code).toBe(0);
  expect(report.files).toEqual(dry.report.files);
  expect(whyLeft(report, "TOOLS.md")).toContain("members read");

  const owner = system.as(ownerToken);
  const [workspace] = (await owner.get<{ items: { id: string; page: string }[] }>("/workspaces")).items;
  expect(workspace?.page).toContain("Orders: `config/orders.md`");
  const agents = await owner.get<{ items: { slug: string; system_prompt: string }[] }>(
    `/workspaces/${workspace?.id}/agents`,
  );
  const prompt = agents.items.find(({ slug }) => slug === "maxos")?.system_prompt;
  for (const said of ["a long memory", "Mental notes", "Quay Street"]) expect(prompt).toContain(said);
  for (const kept of ["hunter2", "Ada Marsh", "memory_read"]) expect(prompt).not.toContain(kept);
  expect(of("memory/maxos/USER.md")).toContain("Ada Marsh");
  expect(of("memory/maxos/HEARTBEAT.md")).toContain("older than two days");
  expect(existsSync(join(journal, "personas"))).toBe(false);

  const again = await asAgent();
  expect(new Set(again.report.files.map(({ state }) => state))).toEqual(new Set(["there"]));
  writeFileSync(from("SOUL.md"), "Somebody else.\n");
  const other = await asAgent();
  expect(other.code).toBe(1);
  expect(other.report.files[0]).toMatchObject({ what: "agent", state: "conflict" });
  const nowhere = await runCortex(join(home, "nothing"), ["import", "openclaw", source, "--agent"]);
  expect(nowhere.code).toBe(69);
  expect(existsSync(join(home, "nothing"))).toBe(false);
});

test("what is no OpenClaw workspace is refused with the folder that was meant", async () => {
  const run = (...args: string[]) => runCortex(journal, ["import", ...args]);
  mkdirSync(join(home, "state/workspace"), { recursive: true });
  const state = await run("openclaw", join(home, "state"));
  expect(state.code).toBe(2);
  expect(state.stderr).toContain(`cortex import openclaw ${join(home, "state/workspace")}`);
  expect((await run("openclaw", join(home, "nowhere"))).code).toBe(2);
  expect((await run("opencode", source)).stderr).toContain('unknown source "opencode"');
  mkdirSync(journal);
  writeFileSync(join(journal, "cortex.json"), "{");
  const broken = await run("openclaw", source);
  expect(broken.code).toBe(2);
  expect(existsSync(join(journal, "personas"))).toBe(false);
});
