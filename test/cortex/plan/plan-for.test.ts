/** Which runs need a sandbox, on a machine that has none: a PATH without bubblewrap. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { planFor } from "../../../cortex/plan/plan-for.ts";
import type { Persona } from "../../../protocol/settings/persona.ts";
import type { Request } from "../../../protocol/runs/request/request.ts";
import type { SandboxMode } from "../../../protocol/runs/request/sandbox-mode.ts";
import { temporaryJournal } from "../../journal/temporary-journal.ts";

const journal = temporaryJournal();
const root = realpathSync(mkdtempSync(join(tmpdir(), "plan-for-")));
const folder = join(root, "app");
beforeAll(() => {
  mkdirSync(folder);
  // Found once a process: no other test of this file needs one.
  vi.stubEnv("PATH", root);
});
afterAll(() => {
  vi.unstubAllEnvs();
  journal[Symbol.dispose]();
  rmSync(root, { recursive: true });
});

const persona: Persona = { name: "default", instruction: "", settings: {}, source: "journal", path: "personas/p.txt" };
const planned = (request: Partial<Request>, sandbox?: SandboxMode) =>
  planFor(
    "1736380800000",
    { prompt: "x", tools: "journal", ...request },
    {
      journal: journal.path,
      settings: { folders: [root], ...(sandbox && { sandbox }) },
      personas: { get: () => persona, all: () => [persona], problems: () => [] },
      timeZone: "UTC",
      defaultBackend: "offline",
      resources: { max_memory_mb: 1000, max_processes: 100 },
      isHandedOn: false,
    },
  );

const needing: [string, Partial<Request>, RegExp][] = [
  ["commands", { tools: "exec" }, /^its tools hold commands, which need a sandbox here, and there is none/],
  ["one tool of commands", { tools: ["process_list"] }, /^its tools hold commands/],
  ["a folder", { folder }, /^it works in a folder of yours, which needs a sandbox here, and there is none/],
  ["both", { folder, tools: "files, exec" }, /^its tools hold commands/],
];

test.each(needing)("a run with %s is refused where a sandbox is required, by whomever", async (_, request, message) => {
  await expect(planned(request)).rejects.toThrow(message);
  for (const sandbox of ["off", "preferred"] as const)
    await expect(planned({ ...request, sandbox: "required" }, sandbox)).rejects.toThrow(message);
  for (const loose of ["off", "preferred"] as const)
    await expect(planned({ ...request, sandbox: loose })).rejects.toThrow(message);
});

test.each(needing)("a run with %s goes on without one where it is preferred or off", async (_, request) => {
  for (const sandbox of ["off", "preferred"] as const)
    expect(await planned(request, sandbox)).toMatchObject({ isWalled: false, sandbox });
});

test("a run without either needs none", async () => {
  for (const request of [{}, { tools: "files" }, { tools: "exec", disable_mcp: true }])
    expect(await planned(request)).toMatchObject({ isWalled: false, sandbox: "required" });
});
