/** A journal's programs, each of which can be killed with -9 and comes back. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DurablePoint } from "../../proc/durable-point.ts";
import { startTools, type ToolsServer } from "../mcp-tools/tools-server.ts";
import { CortexSystem, fixtureAgents } from "../support/cortex-system.ts";
import { textOf } from "../support/journal-processes.ts";

export const victims = ["cortex", "agent", "nats-server", "mcp-tools"] as const;

/** What chaos needs of a system; another kind, with a supervisor over it, has one victim more. */
export type ChaosSystem = AsyncDisposable & {
  readonly system: CortexSystem;
  /** Who can be killed here. */
  readonly victims: readonly string[];
  /** Cortex stops when it reaches this point for the n-th time. */
  stopAt: (point: DurablePoint, times: number) => void;
  /** Whether it stands there. */
  isStopped: () => boolean;
  /** Kills with -9. A run's agent dies with its shim. */
  kill: (victim: string, agentId: string) => Promise<void>;
  /** Lets cortex go on, if it still stands, and starts whatever is down. */
  restart: () => Promise<void>;
  /** How many descriptors cortex has open. */
  descriptors: () => number;
};

/** With a keeper over nats-server, and nobody over cortex and mcp-tools. */
export async function startChaosSystem(): Promise<ChaosSystem> {
  const folder = mkdtempSync(join(tmpdir(), "chaos-"));
  const stopFile = join(folder, "stopped");
  const settings = { ...fixtureAgents("scripted"), lease_seconds: 5, orphan_grace_seconds: 20, max_concurrent: 4 };
  const system = await CortexSystem.start({ settings, env: { CORTEX_STOP_FILE: stopFile } });
  let tools: ToolsServer | null = await startTools(system.journal);
  const isAlive = (pid: number) => textOf(`/proc/${pid}/stat`) !== "" && !/\) Z /.test(textOf(`/proc/${pid}/stat`));
  const forget = () => {
    for (const path of [`${stopFile}.at`, stopFile]) rmSync(path, { force: true });
  };
  return {
    system,
    victims,
    stopAt: (point, times) => writeFileSync(`${stopFile}.at`, `${point}:${times}`),
    // It says so first, and stops then.
    isStopped: () => textOf(stopFile).endsWith("\n") && /\) T /.test(textOf(`/proc/${system.pid}/stat`)),
    async kill(victim, agentId) {
      if (victim === "cortex") await system.killCortex();
      if (victim === "nats-server") system.killBus();
      if (victim === "mcp-tools") {
        tools?.child.kill("SIGKILL");
        await tools?.stop();
        tools = null;
      }
      if (victim === "agent") killAttempts(system, agentId);
    },
    async restart() {
      forget();
      if (isAlive(system.pid)) system.signal("SIGCONT");
      tools ??= await startTools(system.journal);
      await system.until(() => system.bus.isConnected, "the bus is back", 60_000);
      if (!isAlive(system.pid)) await system.startCortex();
    },
    descriptors: () => system.descriptors(),
    async [Symbol.asyncDispose]() {
      forget();
      system.signal("SIGCONT");
      await tools?.stop();
      await system[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** All attempts of a run that live. */
function killAttempts(system: CortexSystem, agentId: string): void {
  for (let attempt = 1; ; attempt++) {
    const folder = join(system.journal, ".run/runs", agentId, String(attempt));
    try {
      readFileSync(join(folder, "nonce"));
    } catch {
      return;
    }
    system.killAttempt(agentId, attempt);
  }
}
