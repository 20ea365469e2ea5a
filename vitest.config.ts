import { defineConfig } from "vitest/config";

// Tests start real servers and processes. Two cores do more with a few files at a time than with many.
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 4,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
