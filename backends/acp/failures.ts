/** Failures of an agent as failures of the run that say what to do. Pure. */
import { RequestError, type StopReason } from "@agentclientprotocol/sdk";
import { acpPreset } from "../../protocol/settings/acp-presets.ts";
import { modelProviders } from "../../protocol/settings/model-providers.ts";
import { messageWithCauses, RunFailure } from "../provider/failure.ts";

/** Length of an error that is shown. */
const shownLength = 1_000;

/** The protocol's code for an agent that wants a login. */
const authRequired = -32_000;

/** Whether an agent wants a login before it goes on. */
const isLoginWanted = (error: unknown): boolean => error instanceof RequestError && error.code === authRequired;

/** The failure of a request to an agent. @param said the end of what it said on stderr */
export function agentFailure(agent: string, error: unknown, said: string): RunFailure {
  if (error instanceof RunFailure) return error;
  if (isLoginWanted(error)) return new RunFailure("config", loginWords(agent), { cause: error });
  const words = errorWords(error);
  const end = said === "" || words.includes(said) ? "" : `; it says: ${shown(said)}`;
  return new RunFailure("provider", `${agent} failed: ${words}${end}`, { cause: error });
}

/** An agent's error in words, with what it says beside its message. */
export function errorWords(error: unknown): string {
  const data = error instanceof RequestError && error.data !== undefined ? `: ${JSON.stringify(error.data)}` : "";
  return shown(`${messageWithCauses(error)}${data}`);
}

function loginWords(agent: string): string {
  const keys = (acpPreset(agent)?.providers ?? []).map((name) => modelProviders[name].key);
  const key = keys.length === 0 ? "" : `set ${keys.join(" or ")} where cortex runs, or `;
  return `${agent} has no key and no login: ${key}run its program once and log in`;
}

/** Why a turn that ended for that reason is no answer; null: it is one. */
export function stopFailure(agent: string, reason: StopReason, text: string): RunFailure | null {
  const words = text.trim() === "" ? "" : `: ${shown(text)}`;
  switch (reason) {
    case "end_turn":
      return null;
    case "max_tokens":
      return new RunFailure("provider", `the answer of ${agent} was cut off at its limit of tokens: ask for less`, {
        detail: "cut_off",
      });
    case "max_turn_requests":
      return new RunFailure("provider", `${agent} wasn't done after as many model calls as it makes: ask for less`, {
        detail: "turn_limit",
      });
    case "refusal":
      return new RunFailure("provider", `${agent} refused to answer${words}`, { detail: "refused" });
    case "cancelled":
      return new RunFailure("provider", `${agent} has ended its turn before it was done${words}`);
    default:
      return new RunFailure("provider", `${agent} stopped for a reason that nobody here knows: ${String(reason)}`);
  }
}

const shown = (text: string): string => text.replaceAll(/\s+/g, " ").trim().slice(0, shownLength);
