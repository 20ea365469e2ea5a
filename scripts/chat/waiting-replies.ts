/** The replies that were sent while no terminal was open: which of them are shown, and how. */
import type { FormerOutbound } from "../../bus/agents/channels.ts";

/** Shown at most, the newest: replies, and characters in all. What is older stands in the agent's history. */
const mostReplies = 50;
const mostCharacters = 100_000;

export type WaitingReplies = {
  /** Oldest first. */
  replies: FormerOutbound[];
  /** Number of those before them, which aren't shown. */
  more: number;
  /** Whether there may be even more than that. */
  isAtLeast: boolean;
};

/** Picks the newest of the replies that wait. @param isPart whether they weren't looked at from the first on */
export async function newestOf(waiting: AsyncIterable<FormerOutbound>, isPart = false): Promise<WaitingReplies> {
  const replies: FormerOutbound[] = [];
  let [characters, more] = [0, 0];
  for await (const one of waiting) {
    replies.push(one);
    characters += one.message.text.length;
    while (replies.length > 1 && (replies.length > mostReplies || characters > mostCharacters)) {
      characters -= replies.shift()?.message.text.length ?? 0;
      more++;
    }
  }
  return { replies, more, isAtLeast: isPart };
}

/** The heading above the replies. */
export function awayHeading({ replies, more, isAtLeast }: WaitingReplies, agentId: string): string {
  const count = replies.length === 1 ? "1 reply" : `${replies.length} replies`;
  const left = `${isAtLeast ? "at least " : ""}${more.toLocaleString("en-US")} before ${replies.length === 1 ? "it" : "them"}`;
  const rest = more > 0 || isAtLeast ? `; ${left} not shown, see agents/${agentId}/history.jsonl` : "";
  return `· while you were away: ${count}${rest}`;
}

/** The age of a reply in its largest unit: `3 d ago`. */
export function agoText(at: number, now: number): string {
  const minutes = Math.max(0, Math.floor((now - at) / 60_000));
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1440)} d ago`;
}
