/** Calls of the Bot API that may fail: a failure is a line in the log, and nothing else. */
import type { Logger } from "../../../proc/logging/log.ts";
import { toDeliveryError } from "./failures.ts";

/** Resolves whatever comes of the call. @param problem what the log says when it fails */
export type TellQuietly = (call: () => Promise<unknown>, problem: string) => Promise<void>;

export const tellQuietly =
  (log: Logger): TellQuietly =>
  async (call, problem) => {
    await call().catch((error: unknown) => log.warn({ error: toDeliveryError(error).message }, problem));
  };
