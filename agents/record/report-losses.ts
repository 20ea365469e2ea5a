/** Reports of what was lost with unreadable files: to users, and to the parents of tasks that can't be read any more. */
import { readDescriptor } from "../../journal/agents/agent-files.ts";
import type { InboxItem } from "../../protocol/agents/agent-files.ts";
import type { AgentDeps } from "./agent-deps.ts";
import type { AgentDirectory } from "./directory.ts";

export async function reportLosses(
  directory: AgentDirectory,
  { journal, messages, log }: Pick<AgentDeps, "journal" | "messages" | "log">,
): Promise<void> {
  for (const { id, losses, state } of directory.all)
    if (losses.length > 0 && state.last_channel)
      await messages
        .sendNotice(
          `lost-${id}-${state.updated}`,
          state.last_channel,
          `${losses.splice(0).join(" ")} What couldn't be read was put away: cortex quarantine shows it.`,
          { agent_id: id },
        )
        .catch((error: unknown) =>
          log.error({ agent: id, err: error }, "nobody could be told what was lost of an agent"),
        );
  for (const id of directory.unreadable.splice(0)) await reportFailedTask(directory, journal, id);
}

/** Tells the parent of a sub-agent that can't be read any more that it has failed. */
async function reportFailedTask(directory: AgentDirectory, journal: string, id: string): Promise<void> {
  const { parent, name = "" } = descriptorIn(journal, id) ?? {};
  const agent = parent === undefined ? undefined : directory.get(parent);
  // How it ended was told before: one end is enough.
  if (!agent || agent.inbox.knowsAny(`task-${id}-`)) return;
  const text = `[Task ${id} failed] ${name}\n\nits files can't be read`;
  const item: InboxItem = {
    id: `task-${id}-unreadable`,
    ts: Date.now(),
    type: "system",
    origin: `task:${id}`,
    text,
  };
  await agent.post(item);
}

function descriptorIn(journal: string, id: string) {
  try {
    return readDescriptor(journal, id);
  } catch {
    return null; // nobody knows whose it was
  }
}
