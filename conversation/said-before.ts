/** The conversation that stands in a run's request line: what was said before its prompt. Pure. */
import { z } from "zod";
import { filePartsIn } from "../protocol/files/attachment.ts";
import type { EventBody } from "../protocol/runs/event.ts";
import type { Message } from "../protocol/runs/run-config.ts";

/** As it is in files, which others may have written. */
const Said = z.array(
  z.object({ role: z.enum(["user", "assistant"]), text: z.string(), parts: z.unknown().optional() }),
);

/** Its messages with their files; none where there is no conversation, or one that can't be read. */
export function saidBefore(request: EventBody): Message[] {
  const messages = Said.safeParse(request["conversation"]).data ?? [];
  return messages.map(({ role, text, parts }) => {
    const files = filePartsIn(parts);
    return { role, text, ...(files.length > 0 && { parts: files }) };
  });
}
