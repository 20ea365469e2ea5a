/** Maps a failed result of Claude Code to a failure of the run that says what to do. Pure. */
import type { SDKAssistantMessageError, SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import type { RunConfig } from "../../protocol/runs/run-config.ts";
import { type FailureDetail, RunFailure } from "../provider/failure.ts";
import { defaultMaxTurns } from "./options.ts";

/** Length of an error that is shown. */
const shownLength = 500;

const accountErrors: ReadonlySet<SDKAssistantMessageError> = new Set([
  "authentication_failed",
  "oauth_org_not_allowed",
  "account_on_hold",
  "verification_required",
  "cloud_credential_error",
  "billing_error",
]);

/**
 * The failure that a result is, if it is one.
 * @param said the kind of error that stood on its last message
 */
export function failureOf(
  result: SDKResultMessage,
  said: SDKAssistantMessageError | undefined,
  config: RunConfig,
  hasKey: boolean,
): RunFailure | undefined {
  if (result.subtype === "error_max_turns") {
    const turns = config.max_turns ?? defaultMaxTurns;
    return new RunFailure(
      "provider",
      `claude wasn't done after max_turns = ${turns} turns: raise max_turns, or ask for less`,
      { detail: "turn_limit" },
    );
  }
  if (result.subtype === "error_max_budget_usd")
    return new RunFailure(
      "budget",
      `cost ${result.total_cost_usd.toFixed(4)} USD, the limit max_cost_usd is ${String(config["max_cost_usd"])}`,
    );
  if (result.subtype !== "success")
    return new RunFailure("provider", `claude failed: ${shown(result.errors.join("; "))}`);

  const text = shown(result.result);
  const status = result.api_error_status ? ` (${result.api_error_status})` : "";
  if (result.stop_reason === "refusal")
    return new RunFailure("provider", `claude refused to answer: ${text}`, { detail: "refused" });
  if (!result.is_error) return undefined;
  if (said !== undefined && accountErrors.has(said)) return accountFailure(hasKey, `${status}`, text);
  if (result.terminal_reason === "prompt_too_long")
    return new RunFailure(
      "provider",
      `the conversation is longer than the model takes${status}: begin a new run, or choose a model with a larger context. claude says: ${text}`,
      { detail: "too_long" },
    );
  if (said === "max_output_tokens") {
    const limit = config.max_tokens === undefined ? "its limit of tokens" : `max_tokens = ${config.max_tokens}`;
    return new RunFailure(
      "provider",
      `the answer of claude was cut off at ${limit}: raise max_tokens, or ask for less`,
      { detail: "cut_off" },
    );
  }
  return new RunFailure(said === "model_not_found" ? "config" : "provider", `claude failed${status}: ${text}`, {
    detail: detailOf(result.api_error_status),
  });
}

/** @param status of the API; none where its service couldn't be reached, or the failure isn't the API's */
function detailOf(status: number | null | undefined): FailureDetail | undefined {
  if (status === null || status === undefined) return undefined;
  if (status === 429) return "rate_limited";
  return status >= 500 ? "unavailable" : "rejected";
}

/** The key, or the login, isn't accepted. */
export function accountFailure(hasKey: boolean, status: string, text: string): RunFailure {
  const what = hasKey
    ? `claude refused the key${status}: check ANTHROPIC_API_KEY.`
    : `claude has no login that is accepted${status}: set ANTHROPIC_API_KEY where cortex runs, or run \`claude\` once and log in.`;
  return new RunFailure("config", text === "" ? what : `${what} It says: ${text}`);
}

function shown(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, shownLength);
}
