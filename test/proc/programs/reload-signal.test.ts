import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { patienceMs } from "../../support/patience.ts";

const program = fileURLToPath(new URL("../../fixtures/logs/program.ts", import.meta.url));

test("SIGHUP reads everything again, also what comes behind one that fails, and ends nothing", async () => {
  const child = spawn(process.execPath, [program, "", "rereads"], { stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  for (const times of [1, 2]) {
    child.kill("SIGHUP");
    await vi.waitUntil(() => stderr.split("SIGHUP").length === times + 1, { timeout: patienceMs });
  }
  const lines = stderr.trim().split("\n");
  const records = lines.slice(1).map((line) => JSON.parse(line) as unknown);
  expect(records.slice(0, 3)).toMatchObject([
    { what: "broken", err: { message: "not now" } },
    { msg: "good was read" },
    { reread: ["broken", "good"] },
  ]);
  expect(records).toHaveLength(6);
  child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
});
