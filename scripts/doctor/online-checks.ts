/** The checks that only the providers can answer: whether a key is taken. */
import { listedBackends, modelsOf } from "../../backends/model-lists.ts";
import { type BuiltInBackend, builtInBackends } from "../../protocol/settings/backends.ts";
import type { Check } from "./check.ts";

const answerWithinMs = 20_000;

/** A check for each provider whose key is set. */
export function onlineChecks(): Check[] {
  return listedBackends.flatMap((backend) => {
    const { key }: BuiltInBackend = builtInBackends[backend];
    if (key === undefined || !process.env[key]) return [];
    return async () => {
      const list = await modelsOf(backend, process.env, AbortSignal.timeout(answerWithinMs));
      return list.ok
        ? { name: backend, ok: "ok", detail: `${key} is taken: ${list.models.length} models` }
        : { name: backend, ok: "fail", detail: list.error, remedy: `export ${key}=…, or unset ${key}` };
    };
  });
}
