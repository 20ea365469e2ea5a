/** The backends that come with cortex. Each one's modules are imported when it is chosen, and no sooner. */
import { type BuiltInBackendName, builtInBackends, isBuiltInBackend } from "../protocol/backends.ts";
import { RunFailure } from "./failure.ts";
import type { Backend } from "./run.ts";

const backends: Record<BuiltInBackendName, Backend> = {
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
