/** The played model of the soak: it answers each message once, by its word, and remembers nothing but the conversation. */
import type { Block, Conversation } from "../../agents/conversation.ts";
import type { PlayedTurn } from "../../support/providers/played.ts";

/** The word of a message: of the person with this number their so many-th. */
export const wordOf = (person: number, count: number): string =>
  `w${String(person).padStart(2, "0")}n${String(count).padStart(5, "0")}`;

/** The text of the answer to a message. */
export const answerTo = (word: string): string => `Seen ${word}`;

/** All answers that stand in a text, by their words. */
export const answeredIn = (text: string): string[] =>
  Array.from(text.matchAll(/Seen (w\d{2}n\d{5})/g), ([, word = ""]) => word);

const header = /^\[channel: (\S+) \| id: ([^\]|]+?)(?: \| thread: ([^\]]+?))?\]/;
const word = /^w\d{2}n\d{5}$/;

/** Replies to all that was said and has no reply yet, each where it was said; a call that surely did nothing is made again. */
export function thinkOfMessages({ messages, tools }: Conversation): PlayedTurn {
  if (tools.length === 0) return { text: "People wrote, and were answered." };
  const blocks = messages.flatMap(({ role, content }) => content.map((block) => ({ role, block })));
  const failed = new Set(blocks.flatMap(({ block }) => (isRefused(block) ? [block.tool_use_id] : [])));
  const answered = new Set(
    blocks.flatMap(({ block }) =>
      block.type === "tool_use" && !failed.has(block.id) ? answeredIn(String(block.input["text"])) : [],
    ),
  );
  const said = blocks.flatMap(({ role, block }) =>
    role === "user" && block.type === "text" ? wordsIn(block.text) : [],
  );
  const calls = said.flatMap(({ word, place }) =>
    answered.has(word) ? [] : [{ tool: "reply", args: { text: answerTo(word), ...place } }],
  );
  return calls.length > 0 ? { calls } : { text: "." };
}

/** Whether it is the result of a call that wasn't carried out; of one with an unknown outcome nobody knows it. */
const isRefused = (block: Block): block is Extract<Block, { type: "tool_result" }> =>
  block.type === "tool_result" && block.is_error === true && !/unknown|may have/i.test(JSON.stringify(block.content));

type Said = { word: string; place: Record<string, string> };

/** The words of messages, each with the place of the header above it. */
function wordsIn(text: string): Said[] {
  let place: Record<string, string> = {};
  return text.split("\n").flatMap((line) => {
    const [, channelType, channelId, replyTo] = header.exec(line) ?? [];
    if (channelType !== undefined && channelId !== undefined)
      place = { channelType, channelId, ...(replyTo !== undefined && { replyTo }) };
    const said = line.trim();
    return word.test(said) ? [{ word: said, place }] : [];
  });
}
