/** The question for a permission that an outbound message asks. Pure. */
import type { OutboundMessage } from "../../../protocol/agents/channel.ts";
import { isRecord } from "../../../protocol/json/json-object.ts";

export type AskedQuestion = { token: string; isForAlways: boolean };

/** The question that a message asks, or null. Its text shows the arguments of a call: it goes out as it stands. */
export function askedBy({ metadata }: Pick<OutboundMessage, "metadata">): AskedQuestion | null {
  const permission = metadata?.["permission"];
  if (!isRecord(permission) || typeof permission["token"] !== "string") return null;
  return { token: permission["token"], isForAlways: permission["always"] === true };
}
