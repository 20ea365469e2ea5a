/** The wake-ups of agents that are due: each becomes a message into the inbox of an agent of its own. */
import { messageOf } from "../../files/errors/error-message.ts";
import type { WakeUps } from "../../journal/agents/wake-ups.ts";
import type { AgentsSettings } from "../../protocol/agents/agents-settings.ts";
import type { InboundMessage } from "../../protocol/agents/channel.ts";
import { parseCron, occurrencesBetween } from "./cron.ts";

const minuteMs = 60_000;
/** The heartbeat's key, beside the uids of cron tasks, which have no colon. */
const beat = "beat:";
const usualPrompt =
  "Look around: is there anything that should be done, or that somebody is waiting for? If not, do nothing.";

export type DueWakeUps = { messages: InboundMessage[]; wakeUps: WakeUps; problems: string[] };

/**
 * Gives the messages that are due, and the times to record once they were sent. Of several missed times the last counts; a
 * key that was never seen before begins now. A message that is sent twice has the same id. Pure.
 */
export function dueWakeUps(settings: AgentsSettings, before: WakeUps, now: number, timeZone: string): DueWakeUps {
  const due: DueWakeUps = { messages: [], wakeUps: {}, problems: [] };
  const wake = (key: string, type: "cron" | "heartbeat", channelId: string, at: number | null, text: string) => {
    const last = before[key];
    due.wakeUps[key] = last === undefined ? now : Math.max(last, at ?? last);
    if (last === undefined || at === null || at <= last) return;
    due.messages.push({ id: `${channelId}-${at}`, text, channel: { type, channelId } });
  };
  for (const [uid, { schedule, prompt }] of Object.entries(settings.cron ?? {}))
    try {
      const occurrences = occurrencesBetween(parseCron(schedule), before[uid] ?? now, now, timeZone);
      wake(uid, "cron", uid, occurrences.at(-1)?.at ?? null, prompt);
    } catch (error) {
      due.problems.push(`agents.cron.${uid}.schedule: ${messageOf(error)}`);
    }
  const { heartbeat } = settings;
  if (heartbeat) {
    const everyMs = heartbeat.every_minutes * minuteMs;
    const at = Math.floor(now / everyMs) * everyMs;
    wake(beat, "heartbeat", "heartbeat", at, heartbeat.prompt ?? usualPrompt);
  }
  return due;
}
