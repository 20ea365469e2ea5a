/** The answers of a model that reads a page in each turn, and in the end says what it knows. */
import type { ModelCall } from "../../../backends/provider/provider.ts";
import { factsIn } from "../../backends/loop/windowed-model.ts";
import type { PlayedTurn } from "../../support/providers/played.ts";

export function talker({ messages }: ModelCall): PlayedTurn {
  const last = messages.at(-1);
  const turn = messages.findLast(({ role, text }) => role === "user" && /^Turn \d+\./.test(text ?? ""))?.text;
  const number = /^Turn (\d+)/.exec(turn ?? "")?.[1] ?? "?";
  if (last?.role !== "tool")
    return {
      text: `Page ${number} next.`,
      thinking: "hm",
      calls: [{ tool: "page", args: { path: `pages/${number}` } }],
    };
  return { text: `Turn ${number} is done. Known: ${factsIn(JSON.stringify(messages)).join(" ")}` };
}
