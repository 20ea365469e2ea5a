/** The words of both sides in the records of a long-lived agent's conversation: a user's text, and the tool by which the agent answers. Pure. */

/** A user's text without the line that names its channel. */
export function spokenText(text: string): string {
  const [line = "", ...rest] = text.split("\n");
  return line.startsWith("[channel: ") && line.endsWith("]") ? rest.join("\n") : text;
}

/** Whether a tool is the one by which agents speak; a program may put its server's name before it. */
export const isReplyTool = (tool: string): boolean => tool === "reply" || tool.endsWith("__reply");
