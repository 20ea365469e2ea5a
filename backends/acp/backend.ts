/**
 * Any coding agent that speaks the Agent Client Protocol. Its program is started in the run's folder and asks us before it acts.
 * It has a loop and tools of its own, so it takes the run itself: `conversation.ts` follows it to its end.
 */
import { RunFailure } from "../provider/failure.ts";
import type { Run } from "../loop/run/run.ts";
import { startEvent } from "../loop/run/start-event.ts";
import { AgentConnection } from "./agent-connection.ts";
import { agentSetup } from "./agent-setup.ts";
import { Conversation } from "./conversation.ts";
import { ownProc } from "./own-proc.ts";

/** Runs an agent in a folder up to its answer. @throws RunFailure; anything once the run is cancelled */
export async function acp(run: Run, folder: string): Promise<void> {
  const { config, environment } = run;
  const { backend: agent = "acp", model = "default" } = config;
  await run.emit(startEvent(config, agent, model));
  const command = config.acp?.command;
  if (!command) throw new RunFailure("config", `backend "${agent}": no program is named`);
  const setup = agentSetup(config, environment);
  const conversation = new Conversation(run, { agent, model, folder, setup });
  const env = { ...environment, ...setup.env };
  const program = { command: [...(setup.needsOwnProc ? await ownProc() : []), ...command], env, cwd: folder };
  await using connection = await AgentConnection.start(program, conversation);
  await conversation.hold(connection);
}
