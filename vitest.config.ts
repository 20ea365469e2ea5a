import { statfsSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { patienceMs } from "./test/support/patience.ts";

/** Temporary files in memory, where there is room for them: they are written and removed by the thousand. */
const memory = "/dev/shm";
const neededBytes = 4 * 2 ** 30;

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > neededBytes;
  } catch {
    return false;
  }
}

// Tests start real servers and processes. Two cores do more with a few files at a time than with many.
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 4,
    env: hasRoomInMemory() ? { TMPDIR: memory } : {},
    isolate: false,
    // For what hangs. A test's own waiting gives up before, and says what for: test/support/patience.ts.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: patienceMs } },
  },
});
