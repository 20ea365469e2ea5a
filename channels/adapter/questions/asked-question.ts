/** The question for a permission that an outbound message asks. Pure. */
import type { OutboundMessage } from "../../../protocol/agents/channel.ts";
import { isRecord } from "../../../protocol/json/json-object.ts";
import { QuestionId } from "../../../protocol/runs/request/permission-notice.ts";

/** @field isForAlways whether a rule can be kept that allows the like from now on */
export type AskedQuestion = { token: string; isForAlways: boolean };

/** The question that a message asks, or null. Its text shows the arguments of a call: it goes out as it stands. */
export function askedBy({ metadata }: Pick<OutboundMessage, "metadata">): AskedQuestion | null {
  const permission = metadata?.["permission"];
  if (!isRecord(permission)) return null;
  const token = QuestionId.safeParse(permission["token"]);
  return token.success ? { token: token.data, isForAlways: permission["always"] === true } : null;
}
