/** The backends that come with cortex. Each one's modules are imported when it is chosen, and no sooner. */
import { type BuiltInBackendName, builtInBackends, isBuiltInBackend } from "../protocol/backends.ts";
import { RunFailure } from "./failure.ts";
import type { Backend } from "./run.ts";

const backends: Record<BuiltInBackendName, Backend> = {
  anthropic: async (run) => {
    const { anthropic } = await import("./anthropic/provider.ts");
    const { runWithModel } = await import("./agent.ts");
    await runWithModel(anthropic(run.environment), run);
  },
  openai: async (run) => {
    const { openai } = await import("./openai/provider.ts");
    const { runWithModel } = await import("./agent.ts");
    await runWithModel(openai(run.config, run.environment), run);
  },
  google: async (run) => {
    const { google } = await import("./google/provider.ts");
    const { runWithModel } = await import("./agent.ts");
    await runWithModel(google(run.environment), run);
  },
  openrouter: async (run) => {
    const { openrouter } = await import("./openrouter.ts");
    const { runWithModel } = await import("./agent.ts");
    await runWithModel(openrouter(run.config, run.environment), run);
  },
  claude: async (run) => {
    const { claude } = await import("./claude/backend.ts");
    await claude(run, process.cwd());
  },
  offline: async (run) => {
    const { offline } = await import("./offline/provider.ts");
    const { runWithModel } = await import("./agent.ts");
    await runWithModel(offline(run.config), run);
  },
};

/** @throws RunFailure for a name that no backend has */
export function builtInBackend(name: string): Backend {
  if (isBuiltInBackend(name)) return backends[name];
  const known = Object.keys(builtInBackends).join(", ");
  throw new RunFailure("config", `cannot start backend "${name}": known backends are ${known}`);
}
