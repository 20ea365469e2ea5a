/** Edits of messages: one that waits says its new text; of one that a turn has begun with, the agent is told what was changed. */
import { visibleLine } from "../conversation/marks/plain-text.ts";
import { failpoint } from "../proc/programs/failpoint.ts";
import type { InboxItem } from "../protocol/agents/agent-files.ts";
import { modeOf } from "./inbox/next-turn.ts";
import { isSameSender } from "./inbox/queue.ts";
import type { AgentRecord } from "./record/agent-record.ts";
import { waitingMessage } from "./waiting-messages.ts";

/** Characters of the former text that are shown. */
const longestFormer = 200;

/**
 * Takes an edit. After a crash at any line it is taken once.
 * @param id of the message that was edited
 * @param edit with an id of its own, and what the message says now
 */
export async function editMessage(agent: AgentRecord, id: string, edit: InboxItem): Promise<void> {
  const { inbox } = agent;
  if (inbox.knows(edit.id)) return;
  const item = inbox.waiting.find((one) => one.id === id && isSameSender(one, edit));
  const former = item?.text ?? saidIn(agent, id);
  // Services call it an edit, too, when a link in it got a picture.
  if (former === edit.text) return;
  if (item && isUnsaid(agent, item)) {
    const { text, attachments } = edit;
    const edited_by = [...(item.edited_by ?? []), edit.id];
    if (await inbox.edit({ ...item, text, edited_by, ...(attachments && { attachments }) })) {
      failpoint("item-edited");
      agent.deps.publishEvent(agent.id, "message", { type: item.type, item: id });
      return;
    }
  }
  const what = former === undefined ? "" : `, before: "${shortened(former)}"`;
  // What wasn't for the agent before is a message like any other.
  const text = former === undefined && !inbox.knows(id) ? edit.text : `[edited${what}]\n${edit.text}`;
  await agent.post({ ...edit, text });
}

/** Whether no model has been given a message yet, nor will be in the turn that goes on. */
function isUnsaid(agent: AgentRecord, item: InboxItem): boolean {
  if (!waitingMessage(agent, item.id) || agent.history.has(item.id)) return false;
  return agent.state.turn === null || modeOf(agent, item) !== "steer";
}

/** The text of a message that was answered, without the line that names its channel. */
function saidIn({ history }: AgentRecord, id: string): string | undefined {
  const record = history.records.find((one) => one.type === "user" && one.id === id);
  return record?.type === "user" ? record.text.split("\n").slice(1).join("\n") : undefined;
}

function shortened(text: string): string {
  const line = visibleLine(text);
  return line.length <= longestFormer ? line : `${line.slice(0, longestFormer).toWellFormed()} …`;
}
