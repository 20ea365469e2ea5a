/** Where a run's files are: the folder that cortex gave it, or, for a turn of a long-lived agent, its agent's. */
import { openGivenFolder, openWorkplace, type Workplace } from "../../journal/agents/work-files.ts";
import { agentOf } from "./ask-agents.ts";
import type { ToolContext } from "./tool.ts";

export async function workplaceOf(context: ToolContext): Promise<Workplace> {
  const { folder, is_turn: isTurn = false } = context.place ?? {};
  if (folder !== undefined && !isTurn) return openGivenFolder(context.journal, folder, []);
  const { work_folder, may_write } = await agentOf(context);
  if (folder !== undefined) return openGivenFolder(context.journal, folder, may_write);
  return openWorkplace(context.journal, work_folder, may_write);
}
