import { readFileSync, statfsSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { patienceMs } from "./test/support/patience.ts";

/** Temporary files in memory, where there is room for them and programs may stand there: they are written and removed by the thousand. */
const memory = "/dev/shm";
const neededBytes = 4 * 2 ** 30;

function isMemoryFit(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > neededBytes && !isNoexec();
  } catch {
    return false;
  }
}

/** Docker mounts it so. */
function isNoexec(): boolean {
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const [, , , options = ""] = mounts.findLast((line) => line.split(" ")[1] === memory)?.split(" ") ?? [];
  return options.split(",").includes("noexec");
}

// Tests start real servers and processes. Two cores do more with a few files at a time than with many.
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/files/usual-umask.ts"],
    pool: "forks",
    maxWorkers: 4,
    env: isMemoryFit() ? { TMPDIR: memory } : {},
    isolate: false,
    // Node reads TypeScript by itself, as it does when the programs run: nothing is translated once more for tests.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // For what hangs. A test's own waiting gives up before, and says what for: test/support/patience.ts.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: patienceMs } },
    // A value that isn't the expected one is told whole: where it was cut is where the cause stood.
    chaiConfig: { truncateThreshold: 0 },
  },
});
