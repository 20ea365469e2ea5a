/** Where a run's files are: the folder that cortex gave it, or, for a turn of a long-lived agent, its agent's. */
import { openWorkplace, type Workplace } from "../../journal/agents/work-files.ts";
import { agentOf } from "./ask-agents.ts";
import type { ToolContext } from "./tool.ts";

export async function workplaceOf(context: ToolContext): Promise<Workplace> {
  const folder = context.place?.folder;
  if (folder !== undefined) return openWorkplace(context.journal, folder, []);
  const { work_folder, may_write } = await agentOf(context);
  return openWorkplace(context.journal, work_folder, may_write);
}
