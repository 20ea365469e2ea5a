/** What people are told at the end of a turn: its text where that is a reply, that there is no answer, or why there is none. */
import type { Turn } from "../../protocol/agents/agent-files.ts";
import { channelTypes } from "../../protocol/agents/agents-settings.ts";
import { type Channel, maxMessageText } from "../../protocol/agents/channel.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import type { Said } from "./reply-counter.ts";
import { personaOf } from "../record/persona-of.ts";

/** Sends what the model said last as a reply, where its persona has it so and it called for none. Resolves with whether it did. */
export async function sendText(agent: AgentRecord, turn: Turn, last: AgentEvent, said: Said): Promise<boolean> {
  const { deps, descriptor, id } = agent;
  const text = textField(last, "result").trim();
  if (last.event !== "finish" || !turn.channel || descriptor.kind === "subagent") return false;
  if (text === "" || said.replies > 0 || !deps.personas.get(personaOf(descriptor))?.settings.text_is_reply)
    return false;
  // Nothing takes what goes there any more: the turn would wait for that for ever.
  if (!channelTypes(deps.settings().channels).includes(turn.channel.type)) {
    deps.log.warn({ agent: id, channel: turn.channel }, "nobody hears a reply: this channel isn't in the settings");
    return false;
  }
  await deps.sendReply({
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

/** Channels on which whoever has asked waits for what comes next, and a word that nothing does is no message to a person. */
const waitingChannels = ["web"];

/** Says that there is no answer, where nobody sees it otherwise. `cortex chat` shows it by the event. */
export async function tellOfSilence({ deps }: AgentRecord, { run_id, channel }: Turn): Promise<void> {
  if (channel && waitingChannels.includes(channel.type))
    await deps.sendNotice(`silent-${run_id}`, channel, "(thought, and said nothing)");
}

/** Tells the user once that there is no answer, and why. */
export async function apologise(
  agent: AgentRecord,
  turn: Pick<Turn, "run_id" | "channel">,
  last: AgentEvent,
): Promise<void> {
  if (!turn.channel) return;
  const text = `I couldn't answer (${textField(last, "reason") || "error"}): ${textField(last, "error")}`;
  await agent.deps.sendNotice(`failed-${turn.run_id}`, turn.channel, text);
}
