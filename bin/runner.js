/** Starts the bundle of `cortex-agent` (scripts/bundle.ts), for those who know that it is there. */
import { enableCompileCache } from "node:module";

enableCompileCache();
await import("../dist/runner/main.js");
