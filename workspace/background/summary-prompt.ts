/** The prompt for the summary of a thread, and which part of the answer is the summary and which a suggestion. Pure. */
import type { WorkspaceSettings } from "../records/workspace-settings.ts";

type Wanted = Pick<WorkspaceSettings, "thread_summaries" | "fork_suggestions">;

const marker = "FORK:";
/** Characters of a fork's description. */
const longestSubject = 200;

/** @param before the summary that the thread has; null: none */
export function summaryPrompt({ thread_summaries, fork_suggestions }: Wanted, before: string | null): string {
  const parts = [];
  if (thread_summaries)
    parts.push(
      "Sum up this thread so far for somebody who comes to it now: what it is about, what was decided, and what is open. Stay under 200 words. Only what was said counts; add nothing of your own.",
    );
  if (thread_summaries && before !== null)
    parts.push(`What came before the messages above was summed up like this: ${JSON.stringify(before)}`);
  if (fork_suggestions)
    parts.push(
      `If two subjects run side by side in the last messages, so that one of them is better led in a fork of the thread, end with a line of its own: "${marker} " and that subject in a few words. Otherwise write no such line.`,
    );
  const alone = thread_summaries ? "Answer with the summary alone." : `Write nothing else, or "none".`;
  return [...parts, alone].join("\n\n");
}

export type Summarized = { summary: string; suggestion: string | null };

export function readSummary(text: string): Summarized {
  const lines = text.trimEnd().split("\n");
  const last = lines.at(-1)?.trim() ?? "";
  if (!last.startsWith(marker)) return { summary: text.trim(), suggestion: null };
  const subject = last.slice(marker.length).trim().slice(0, longestSubject);
  return { summary: lines.slice(0, -1).join("\n").trim(), suggestion: subject === "" ? null : subject };
}
