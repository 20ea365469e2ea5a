/** The level that is found where bubblewrap is slow, broken or missing. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { findProgram } from "../../proc/os/find-program.ts";
import { keptSandbox } from "../../sandbox/kept-level.ts";
import { findSandbox, sandboxRemedy } from "../../sandbox/sandbox-level.ts";

const here = await findSandbox();
const real = findProgram("bwrap") ?? "";
const bin = mkdtempSync(join(tmpdir(), "slow-bwrap-"));

/** A `bwrap` that is found before the real one. */
function playBwrap(script: string): void {
  writeFileSync(join(bin, "bwrap"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, "bwrap"), 0o755);
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
}

afterEach(() => {
  vi.unstubAllEnvs();
  for (const name of readdirSync(bin)) rmSync(join(bin, name));
});

afterAll(() => rmSync(bin, { recursive: true }));

describe.skipIf(here.level === "none")("a bwrap that takes its time", () => {
  test("is tried again with more time, and found", async () => {
    playBwrap(`sleep 0.5; exec ${real} "$@"`);
    expect(await findSandbox([100, 30_000])).toMatchObject({ level: "bubblewrap", why: "", isLate: false });
  });

  test("that never ends isn't called missing: there is nothing to install", async () => {
    playBwrap("exec sleep 60");
    const finding = await findSandbox([100, 200]);
    expect(finding).toMatchObject({ level: "none", missing: [], isLate: true, wall: null });
    expect(finding.why).toBe("trying a sandbox took longer than 0.1 and 0.2 s: this machine is too busy");
    expect(sandboxRemedy(finding)).toBe("try again when it has less to do");
  });

  test("that is slow with the wall alone gets no weaker wall for it", async () => {
    playBwrap(`case "$*" in *--disable-userns*) sleep 60;; esac; exec ${real} "$@"`);
    expect(await findSandbox([500, 500])).toMatchObject({ isLate: true, wall: null });
  });
});

test.runIf(process.platform === "linux")("a bwrap that makes no sandbox is told with what it said", async () => {
  playBwrap("echo 'bwrap: No permissions to create new namespace' >&2; exit 1");
  const finding = await findSandbox();
  expect(finding).toMatchObject({ level: "none", missing: [], isLate: false });
  expect(finding.why).toContain("No permissions to create new namespace");
  expect(sandboxRemedy(finding)).toContain("sysctl");
});

test.runIf(process.platform === "linux")("a missing one is named with the command that installs it", async () => {
  symlinkSync("/bin/true", join(bin, "apt-get"));
  vi.stubEnv("PATH", bin);
  const finding = await findSandbox();
  expect(finding).toMatchObject({ level: "none", missing: ["bubblewrap"], why: "bubblewrap isn't installed" });
  expect(sandboxRemedy(finding)).toBe("sudo apt-get install -y bubblewrap");
  // As `cortex status --json` shows it.
  expect(await keptSandbox(join(bin, "kept.json"))).toEqual({
    level: "none",
    missing: ["bubblewrap"],
    remedy: "sudo apt-get install -y bubblewrap",
  });
});
