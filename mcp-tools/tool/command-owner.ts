/**
 * The owner of the commands that a call is about: its run, or the conversation of the long-lived agent whose turn it
 * is.
 */
import { dirname, isAbsolute } from "node:path";
import { readState } from "../../journal/agents/agent-files.ts";
import { openWorkplace, type Workplace } from "../../journal/agents/work-files.ts";
import { attemptFolder, attemptsOf } from "../../journal/run-folders/run-folder.ts";
import { isAgentAlive, wasStarted } from "../../proc/runs/run.ts";
import { agentOf } from "./ask-agents.ts";
import type { ToolContext } from "./tool.ts";
import { ToolError } from "./tool-error.ts";
import type { Owner } from "../exec/commands.ts";

export async function ownerOf(context: ToolContext): Promise<Owner> {
  const { run, place, journal, agents } = context;
  if (run === undefined || !place)
    throw new ToolError(
      "only a run may start commands, and this call came with the commands' token: cortex-request -p … starts a run",
    );
  if (place.folder !== undefined && place.is_turn !== true)
    return {
      key: run,
      isLive: async () => (await context.isValid?.()) === true && isRunning(journal, run),
      tellEnd: (_, text) => agents.tellRun(run, text),
    };
  const { agent_id, conversation } = await agentOf(context);
  return {
    key: `${agent_id}-${conversation ?? 0}`,
    isLive: async () => isConversation(journal, agent_id, conversation),
    tellEnd: async (id, text) => {
      const call_id = `${agent_id}-${conversation ?? 0}-${id}`;
      const answer = await agents.ask({ run_id: run, call_id, tool: "process_ended", args: { agent_id, text } });
      if (!answer.ok) throw new Error(answer.error);
    },
  };
}

/** The folder of what a run's commands have printed, where a path leads there. */
export async function outputsAt(context: ToolContext, path: string): Promise<Workplace | null> {
  const { commands, place, run, journal } = context;
  if (!commands || !place || run === undefined || !isAbsolute(path)) return null;
  const folder = commands.outputsOf((await ownerOf(context)).key);
  return folder !== null && dirname(path) === folder ? openWorkplace(journal, folder, []) : null;
}

/** Also where cortex is away: then nobody takes a run's token back. A run of which nothing is here isn't known to have ended. */
function isRunning(journal: string, run: string): boolean {
  const folders = attemptsOf(journal, run).map((attempt) => attemptFolder(journal, run, attempt));
  const started = folders.filter(wasStarted);
  return started.length === 0 || started.some(isAgentAlive);
}

function isConversation(journal: string, agentId: string, conversation: number | undefined): boolean {
  const state = readState(journal, agentId);
  return state.lifecycle === "active" && state.conversation === conversation;
}
