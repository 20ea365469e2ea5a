/**
 * "<App> is typing…" below a message: the status of its thread, or of the thread that it could begin. So it is seen in a direct
 * message, too, whose answer comes into the room itself. Slack takes it away when the app says something in that thread and after
 * two minutes, so it is renewed before and taken away by us.
 */
import type { WebClient } from "@slack/web-api";
import type { Logger } from "../../proc/logging/log.ts";
import { Typing } from "../adapter/typing.ts";
import { SlackRefusalError, toDeliveryError } from "./service/failures.ts";

const typing = "is typing…";
/** A status that shows nothing. */
const none = "";

const everyMs = 90_000;

/** Refusals that have nothing to do with the thread: another one would be refused as well. */
const lastingCodes = [
  "missing_scope",
  "no_permission",
  "access_denied",
  "accesslimited",
  "unknown_method",
  "method_deprecated",
  "deprecated_endpoint",
  "feature_not_enabled",
  "enterprise_is_restricted",
  "team_access_not_granted",
];

/** A message, or the first one of its thread. */
export type TypingSign = { room: string; thread: string };

export function openTyping(hasty: WebClient, log: Logger): Typing<TypingSign> {
  let isOff = false;
  const setStatus = async ({ room, thread }: TypingSign, status: string) => {
    if (!isOff) await hasty.assistant.threads.setStatus({ channel_id: room, thread_ts: thread, status });
  };
  return new Typing<TypingSign>({
    everyMs,
    show: (sign) => setStatus(sign, typing),
    hide: (sign) => setStatus(sign, none),
    onProblem: (thrown) => {
      const problem = toDeliveryError(thrown);
      const error = problem.message;
      isOff ||= problem instanceof SlackRefusalError && lastingCodes.includes(problem.code);
      log.info({ error }, isOff ? "typing is shown no more until a restart" : "that it is typing wasn't shown");
    },
  });
}
