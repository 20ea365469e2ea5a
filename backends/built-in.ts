/** The backends that come with cortex. Each one's modules are imported when it is chosen, and no sooner. */
import { type BuiltInBackendName, builtInBackends, isBuiltInBackend } from "../protocol/settings/backends.ts";
import type { RunConfig } from "../protocol/runs/run-config.ts";
import { RunFailure } from "./provider/failure.ts";
import type { Provider } from "./provider/provider.ts";
import type { Backend, Run } from "./loop/run/run.ts";

const imports: Record<BuiltInBackendName, () => Promise<Backend>> = {
  anthropic: async () => {
    const { anthropic } = await import("./anthropic/provider.ts");
    return withModel((run) => anthropic(run.environment));
  },
  openai: async () => {
    const { openai } = await import("./openai/provider.ts");
    return withModel((run) => openai(run.config, run.environment));
  },
  google: async () => {
    const { google } = await import("./google/provider.ts");
    return withModel((run) => google(run.environment));
  },
  openrouter: async () => {
    const { openrouter } = await import("./openrouter/provider.ts");
    return withModel((run) => openrouter(run.config, run.environment));
  },
  claude: async () => {
    const { claude } = await import("./claude/backend.ts");
    return (run) => claude(run, process.cwd());
  },
  offline: async () => {
    const { offline } = await import("./offline/provider.ts");
    return withModel((run) => offline(run.config));
  },
};

async function withModel(providerOf: (run: Run) => Provider): Promise<Backend> {
  const { runWithModel } = await import("./loop/agent.ts");
  return (run) => runWithModel(providerOf(run), run);
}

/** Backend of a run: a built-in one, or the coding agent that its configuration names. @throws RunFailure where there is none */
export async function backendOf(name: string, config: Pick<RunConfig, "acp">): Promise<Backend> {
  if (config.acp) {
    const { acp } = await import("./acp/backend.ts");
    return (run) => acp(run, process.cwd());
  }
  if (isBuiltInBackend(name)) return imports[name]();
  const known = Object.keys(builtInBackends).join(", ");
  throw new RunFailure("config", `cannot start backend "${name}": known backends are ${known}`);
}
