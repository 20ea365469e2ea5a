/** Replies at the end of a turn: its text where that is a reply, or a notice that there is no answer, or why. */
import type { AgentTurn } from "../../protocol/agents/agent-files.ts";
import { channelTypes } from "../../protocol/agents/agents-settings.ts";
import { type Channel, maxMessageText } from "../../protocol/agents/channel.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import type { ReplyCounter } from "./reply-counter.ts";
import { personaOf } from "../record/persona-of.ts";

/** Sends the model's last text as a reply, where its persona wants that and it has called no reply. Resolves with whether it did. */
export async function sendTextAsReply(
  agent: AgentRecord,
  turn: AgentTurn,
  last: AgentEvent,
  sent: ReplyCounter,
): Promise<boolean> {
  const { deps, descriptor, id } = agent;
  const text = textField(last, "result").trim();
  if (last.event !== "finish" || !turn.channel || descriptor.kind === "subagent") return false;
  if (text === "" || sent.replies > 0 || !deps.personas.get(personaOf(agent))?.settings.text_is_reply) return false;
  // No adapter delivers there any more: the turn would wait for ever.
  if (!channelTypes(deps.settings().channels).includes(turn.channel.type)) {
    deps.log.warn({ agent: id, channel: turn.channel }, "nobody hears a reply: this channel isn't in the settings");
    return false;
  }
  await deps.messages.sendReply({
    id: `r${turn.run_id}-text`,
    channel: answerTo(turn.channel),
    text: text.slice(0, maxMessageText),
    agent_id: id,
    run_id: turn.run_id,
  });
  return true;
}

const answerTo = ({ type, channelId, replyTo }: Channel): Channel => ({
  type,
  channelId,
  ...(replyTo !== undefined && { replyTo }),
});

/** Channels on which the sender waits for an answer, so that a notice of none is useful. */
const waitingChannels = ["web"];

/** Sends a notice that there is no answer, where nobody sees it otherwise. `cortex chat` shows it by the event. */
export async function sendSilenceNotice({ deps, id }: AgentRecord, { run_id, channel }: AgentTurn): Promise<void> {
  if (channel && waitingChannels.includes(channel.type))
    await deps.messages.sendNotice(`silent-${run_id}`, channel, "(thought, and said nothing)", {
      agent_id: id,
      run_id,
    });
}

/** Tells the user, once, why there is no answer. */
export async function sendFailureNotice(
  { deps, id: agent_id }: AgentRecord,
  { run_id, channel }: Pick<AgentTurn, "run_id" | "channel">,
  last: AgentEvent,
): Promise<void> {
  if (!channel) return;
  const text = `I couldn't answer (${textField(last, "reason") || "error"}): ${textField(last, "error")}`;
  await deps.messages.sendNotice(`failed-${run_id}`, channel, text, { agent_id, run_id });
}
