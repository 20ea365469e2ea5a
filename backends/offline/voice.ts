/** The offline backend as the voice of a long-lived agent: it sends a sub-agent to look, and says what that has found. Pure. */
import type { Message } from "../../protocol/runs/run-config.ts";
import type { ToolDescription } from "../provider/provider.ts";

type Call = { tool: string; args: Record<string, unknown> };

type RoomPlace = { channelType: string; channelId: string; replyTo?: string };

const placeLine = /\[channel: ([^|\]\n]{1,500}) \| id: ([^|\]\n]{1,500})(?: \| thread: ([^|\]\n]{1,500}))?\]\n/g;
/** Its heading, where it was asked for, and what it came to. */
const taskNotice = /\[Task \S{1,100} (?:completed|failed)\][^\n]{0,1000}\n(?:asked on: [^\n]{0,1000}\n)?\n([\s\S]*)$/;

const cannotLook = "Without a model I can only look into the journal, and not for you here.";

/** The next step of an agent with a voice; null for a run without one. `hasActed`: since the last message it has. */
export function voiceStep(
  messages: readonly Message[],
  tools: readonly ToolDescription[],
  hasActed: boolean,
): { calls: Call[]; thought: string } | null {
  const has = (name: string) => tools.some((tool) => tool.name === name);
  const place = messages.flatMap(({ role, text }) => (role === "user" && text ? placesIn(text) : [])).at(-1);
  // A run that nobody spoke to from a channel has no voice, whatever its tools are.
  if (!has("reply") || !place) return null;
  if (hasActed) return { calls: [], thought: "That is said." };
  const said = messages.flatMap(({ role, text }) => (role === "user" && text !== undefined ? [text] : []));
  const last = said.at(-1) ?? "";
  const notice = taskNotice.exec(withoutTags(last));
  const reply = (text: string) => ({ tool: "reply", args: { text, ...place } });
  if (notice) return { calls: [reply(notice[1]?.trim() || "It ended without a word.")], thought: "" };
  const question = last.slice(last.search(placeLine)).replaceAll(placeLine, "").trim();
  if (placesIn(last).length === 0) return { calls: [], thought: "This needs no answer." };
  if (!has("spawn_subagent")) return { calls: [reply(cannotLook)], thought: "" };
  const task = { description: question.split("\n")[0]?.slice(0, 120) ?? "", input: question, type: "explore" };
  return { calls: [reply("I look for that in the journal."), { tool: "spawn_subagent", args: task }], thought: "" };
}

function placesIn(text: string): RoomPlace[] {
  return [...text.matchAll(placeLine)].map(([, channelType = "", channelId = "", replyTo]) => ({
    channelType,
    channelId,
    ...(replyTo !== undefined && { replyTo }),
  }));
}

/** The system's message without our tags, which aren't words to look for. */
export const withoutTags = (text: string) => text.replaceAll(/<\/?system_message[^>]{0,1000}>/g, " ").trim();
