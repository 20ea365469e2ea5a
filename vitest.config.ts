import { defineConfig } from "vitest/config";
import { patienceMs } from "./test/support/patience.ts";

// Tests start real servers and processes. Two cores do more with a few files at a time than with many.
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 4,
    isolate: false,
    // For what hangs. A test's own waiting gives up before, and says what for: test/support/patience.ts.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: patienceMs } },
  },
});
