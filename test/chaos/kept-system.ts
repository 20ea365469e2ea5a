/** A bus with a keeper over it, cortex and mcp-tools with nobody over them: what is killed is started again by the test. */
import { hasEnded } from "../support/journal-processes.ts";
import { startTools, type ToolsServer } from "../mcp-tools/tools-server.ts";
import { CortexSystem, fixtureAgents } from "../support/cortex-system.ts";
import { type ChaosSystem, chaosSettings, keptPid, keptPids, readyMs } from "./chaos-system.ts";
import { StopPoint } from "./stop-point.ts";

export async function startKeptSystem(): Promise<ChaosSystem> {
  const stop = new StopPoint();
  const settings = { ...fixtureAgents("scripted"), ...chaosSettings };
  const system = await CortexSystem.start({ settings, env: stop.env });
  let tools: ToolsServer = await startTools(system.journal);
  return {
    client: system,
    stop,
    pidOf(program) {
      if (program === "supervisor") return undefined;
      if (program === "nats-server") return keptPid(system.journal, program);
      return program === "cortex" ? system.pid : tools.child.pid;
    },
    pids: () => [system.pid, tools.child.pid ?? 0, ...keptPids(system.journal)],
    async restart() {
      if (hasEnded(tools.child.pid ?? 0)) tools = await startTools(system.journal);
      await system.until(() => system.bus.isConnected, "the bus is back", readyMs);
      if (hasEnded(system.pid)) await system.startCortex();
    },
    async [Symbol.asyncDispose]() {
      stop[Symbol.dispose]();
      await tools.stop();
      await system[Symbol.asyncDispose]();
    },
  };
}
