/** A message of the owner's to a long-lived agent, by the channel of the page. */
import { ChannelFullError, MessageTooLargeError } from "../../../bus/agents/inbound-refusals.ts";
import { publishInbound } from "../../../bus/agents/inbound.ts";
import { readDescriptor } from "../../../journal/agents/agent-files.ts";
import type { QueueMode } from "../../../protocol/agents/agents-settings.ts";
import type { Attachment } from "../../../protocol/agents/channel.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import { type Machine, UnavailableError } from "../../machine/machine.ts";
import { askAgents } from "./agents-service.ts";

export type ToldMessage = {
  /** Makes it once: the same id again is dropped. */
  id: string;
  text: string;
  mode?: QueueMode | undefined;
  attachments?: Attachment[] | undefined;
};

/** The sender of the page's messages: everybody who may ask for the owner's operations is the owner here, too. */
export const pageChannel = { type: "web", channelId: "main", userId: "token" };

/** Resolves when it is stored, with whether it wasn't before. A sub-agent goes on with its task. @throws WorkspaceError, UnavailableError */
export async function tellCompanion(
  machine: Pick<Machine, "journal" | "bus">,
  agent: string,
  { id, text, mode, attachments }: ToldMessage,
): Promise<boolean> {
  const { journal, bus } = machine;
  if (kindOf(journal, agent) === "subagent") {
    await askAgents(machine, "tasks resume", { agent_id: agent, input: text });
    return true;
  }
  return tellPage(bus, { id, text, attachments }, { agent, ...(mode && { mode }) });
}

/** Says something to the owner's own agent, which is made when nobody has spoken to it yet. Resolves as `tellCompanion` does. */
export const tellMain = ({ bus }: Pick<Machine, "bus">, message: ToldMessage): Promise<boolean> =>
  tellPage(bus, message, {});

async function tellPage(
  bus: Machine["bus"],
  { id, text, attachments }: ToldMessage,
  metadata: Record<string, unknown>,
): Promise<boolean> {
  if (!bus.isConnected) throw new UnavailableError("the bus is away now: cortex status says why");
  const said = { ...metadata, verbatim: true };
  try {
    return await publishInbound(bus, {
      id,
      text,
      channel: pageChannel,
      metadata: said,
      ...(attachments && { attachments }),
    });
  } catch (error) {
    if (error instanceof MessageTooLargeError) throw new WorkspaceError("too_large", error.message);
    if (error instanceof ChannelFullError) throw new WorkspaceError("rate_limited", error.message);
    throw new UnavailableError("the bus doesn't answer: send it again, with the same id", { cause: error });
  }
}

/** @throws WorkspaceError `not_found` */
function kindOf(journal: string, agent: string): string {
  try {
    return readDescriptor(journal, agent).kind;
  } catch {
    throw new WorkspaceError("not_found", `there is no agent ${agent}`);
  }
}
