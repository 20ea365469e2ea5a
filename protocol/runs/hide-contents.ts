/** The arguments of a call that gives files with their content: of those, events and histories have none. Pure. */
import { hiddenText } from "../guards/secrets.ts";
import { isRecord } from "../json/json-object.ts";

/** The tool that takes files with their content, by its name as models know it, and as the Claude SDK does. */
const takesContents = /^(?:mcp__[^_]+__)?reply$/;

/** Whether a content stands in the arguments. */
export function hasContents(tool: string, args: unknown): boolean {
  if (!takesContents.test(tool) || !isRecord(args) || !Array.isArray(args["attachments"])) return false;
  return args["attachments"].some(isWithContent);
}

export function hideContents(tool: string, args: unknown): unknown {
  // Arguments that are no JSON object, as their model has written them.
  if (takesContents.test(tool) && typeof args === "string")
    return args.replaceAll(/("data"\s*:\s*")[^"]*/g, `$1${hiddenText}`);
  if (!hasContents(tool, args)) return args;
  const { attachments, ...rest } = args as { attachments: unknown[] };
  return { ...rest, attachments: attachments.map((one) => (isWithContent(one) ? { ...one, data: hiddenText } : one)) };
}

const isWithContent = (attachment: unknown): attachment is Record<string, unknown> =>
  isRecord(attachment) && typeof attachment["data"] === "string";
