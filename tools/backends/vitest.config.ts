import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import usual from "../../vitest.config.ts";
import { coderFolder } from "./programs.ts";

// Codex has a sandbox of its own, in which neither `/tmp` nor `/dev/shm` is there.
const TMPDIR = join(coderFolder, "tmp");
mkdirSync(TMPDIR, { recursive: true });

// One system at a time: each starts programs of several hundred megabytes.
const test = { ...usual.test, include: ["tools/backends/real-coders.ts"], maxWorkers: 1, env: { TMPDIR } };
export default defineConfig({ test });
