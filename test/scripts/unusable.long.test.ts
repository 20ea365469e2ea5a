/** Where a journal can't be written to, or a user has no home, a command says what to do. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { storeFolder } from "../../journal/access/store-holder.ts";
import { noSmallDisk, SmallDisk } from "../support/files/small-disk.ts";
import { runCortex } from "./run-command.ts";

const bin = fileURLToPath(new URL("../../bin/cortex.js", import.meta.url));
/** Nobody's: it has no entry in the list of users. */
const nobody = 54321;

/** A journal that was in use, and which others may enter. */
function usedJournal(path: string): void {
  for (const folder of [join(path, ".run"), storeFolder(path)]) mkdirSync(folder, { recursive: true });
  for (const lock of [".run/up.lock", ".run/prune.lock"]) writeFileSync(join(path, lock), "");
}

const asNobody = (args: string[], env: Record<string, string>) =>
  execa(process.execPath, [bin, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    extendEnv: false,
    reject: false,
    stdin: "ignore",
    uid: nobody,
    gid: nobody,
  });

describe.skipIf(noSmallDisk)("as root, who can make such things", () => {
  test("a journal on a read-only file system is told as such, with what to do", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cortex-read-only-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    using _disk = new SmallDisk(folder, 1024 * 1024);
    usedJournal(folder);
    execFileSync("mount", ["-o", "remount,ro", folder]);
    for (const args of [["up"], ["schedule", "enable", "daily-digest"]]) {
      const { code, stderr } = await runCortex(folder, args);
      expect([args, code, stderr]).toEqual([args, 2, expect.not.stringContaining("defect")]);
      expect(stderr).toMatch(/read-only|can't be written to/);
      expect(stderr).toContain("export JOURNAL_PATH=");
    }
    expect((await runCortex(folder, ["runs", "list"])).code).toBe(0);
  });

  test("a journal that another user owns is told as such, to somebody without a home as well", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cortex-others-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    chmodSync(folder, 0o755);
    usedJournal(folder);
    for (const args of [["up"], ["schedule", "enable", "daily-digest"]]) {
      const { exitCode, stderr } = await asNobody(args, { JOURNAL_PATH: folder });
      expect([args, exitCode]).toEqual([args, 2]);
      expect(stderr).toContain(`user ${nobody} may not write there: ls -ld "${folder}`);
    }
    const status = await asNobody(["status"], { JOURNAL_PATH: folder });
    expect(status.stderr).toContain("nothing runs on");
  });

  test("a user without a home is told which variables say what the home would have", async () => {
    const { exitCode, stderr } = await asNobody(["status"], {});
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`HOME is not set, and this system knows no home folder of user ${nobody}`);
    expect(stderr).toContain("export JOURNAL_PATH=");
  });
});
