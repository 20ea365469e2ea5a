/** A played main agent that sends others off, and says where they were asked for what became of them. */
import type { PlayedTurn } from "../support/providers/played.ts";
import type { Mind } from "./agents-system.ts";

/**
 * `do WORD` sends off a task that is told WORD. Its end is replied as `WORD completed: …`, where it was asked for.
 * `tell TASK TEXT` lets it go on.
 */
export const sender: Mind = ({ last, results }): PlayedTurn => {
  if (results.length > 0 && last === "") return { text: "." };
  const ended = /\[Task \w+ ([a-z ]+)\] (\S+)\nasked on: (.*)\n([\s\S]*)<\/system_message>/.exec(last);
  if (ended)
    return { calls: [{ tool: "reply", args: { text: `${ended[2]} ${ended[1]}:${ended[4]}`, ...whereIn(ended[3]) } }] };
  const [, taskId, input] = /\btell (\S+) (.*)$/.exec(last) ?? [];
  if (taskId !== undefined) return { calls: [{ tool: "resume_task", args: { taskId, input } }] };
  const wanted = /\bdo (\S+)$/.exec(last)?.[1];
  if (wanted === undefined) return { text: "Hm." };
  return { calls: [{ tool: "spawn_subagent", args: { description: wanted, input: wanted } }] };
};

/** `channelId "room", channelType "alpha"` as the arguments of `reply`. */
function whereIn(text = ""): Record<string, string> {
  return JSON.parse(`{${text.replaceAll(/(^|, )(\w+) "/g, '$1"$2": "')}}`) as Record<string, string>;
}
