/** Asks the tool server whether a call may be made, and waits for the answer, however long a person takes. */
import { setTimeout as delay } from "node:timers/promises";
import { fetch } from "../../proc/http/fetch.ts";
import { type OwnCall, OwnCallAnswer } from "../../protocol/permissions/own-call.ts";
import { parseJson } from "../../protocol/json/parse-json.ts";
import { messageWithCauses } from "../provider/failure.ts";

export type Permit = { isAllowed: true } | { isAllowed: false; why: string };

/** A tool server that has died is started again within seconds: so long it is waited for, and tried so often, in ms. */
const awayMs = 20_000;
const againMs = 500;

/** Never throws but when the signal aborts: what can't be asked about isn't allowed. */
export async function mayCall(
  { url, token }: { url: string; token: string },
  call: OwnCall,
  signal: AbortSignal,
): Promise<Permit> {
  for (let end = performance.now() + awayMs; ; ) {
    const begun = performance.now();
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(call),
        signal,
      });
      if (response.status >= 500) throw new Error(`the tool server answered ${response.status}`);
      const answer = OwnCallAnswer.safeParse(parseJson(await response.text()));
      if (response.status === 200 && answer.success)
        return answer.data.allowed ? { isAllowed: true } : { isAllowed: false, why: answer.data.why };
      return { isAllowed: false, why: `${call.tool}: denied, since the tool server answered ${response.status}` };
    } catch (error) {
      signal.throwIfAborted();
      // One that has waited for a person was there until now.
      if (performance.now() - begun > awayMs) end = performance.now() + awayMs;
      if (performance.now() >= end)
        return {
          isAllowed: false,
          why: `${call.tool}: denied, since nobody could be asked (${messageWithCauses(error)})`,
        };
      await delay(againMs, undefined, { signal });
    }
  }
}
