/**
 * Parameters that a model doesn't support, learnt from the API's refusals and remembered as long as the process lives. Models differ in
 * whether they think, which budgets they take and whether each call must be signed, and no list of names stays true.
 */
import { ProviderError } from "../provider/provider.ts";
import { Refusal } from "./failure.ts";

export type UnsupportedParameters = {
  /** `asked`: with the budget of the request. `own`: the model's own budget. `none`: it doesn't think, or doesn't say what. */
  thinking: "asked" | "own" | "none";
  /** `kept`: as they came. `marked`: a call that has none is marked as foreign. `left out`: ours aren't taken any more. */
  signatures: "kept" | "marked" | "left out";
  /** `asked`: the API's own search. `none`: a model has none, or not beside other tools. */
  search: "asked" | "none";
};

const learnt = new Map<string, UnsupportedParameters>();

export function unsupportedBy(model: string): UnsupportedParameters {
  return learnt.get(model) ?? { thinking: "asked", signatures: "kept", search: "asked" };
}

/** Whether a failed call is worth another try, because the next request will differ. */
export function learnFrom(error: unknown, model: string, had: { budget: boolean; search: boolean }): boolean {
  const refusal = error instanceof ProviderError ? error.cause : undefined;
  if (!(refusal instanceof Refusal) || refusal.status !== 400) return false;
  const known = unsupportedBy(model);
  const next = { ...known, ...lesson(refusal.message, known, had) };
  learnt.set(model, next);
  return JSON.stringify(next) !== JSON.stringify(known);
}

/*
 * The API's words, as they have been reported:
 * - "Function call is missing a thought_signature in functionCall parts. …", "… is missing a `thought_signature`"
 * - "Corrupted thought signature.", "Invalid thought signature.", "… Thought signature is not valid.": from another project
 * - "Thinking is not enabled for models/…", "… thinking is not supported by this model",
 *   "Thinking_config.include_thoughts is only enabled when thinking is enabled."
 * - "Tool use with function calling is unsupported by the model.", "Tool call context circulation is not enabled for models/…",
 *   "Please enable tool_config.include_server_side_tool_invocations …", "Search as tool is not enabled for this model.",
 *   "Built-in tools ({google_search}) and Function Calling cannot be combined in the same request."
 * - "The thinking budget 99999 is invalid. …", "Budget 0 is invalid. This model only works in thinking mode."
 */
const search =
  /google_?search|search as tool|tool use with function|context circulation|server_?side_?tool|built-?in tools|tool_?(call|response)'? at/i;

function lesson(
  message: string,
  { thinking, signatures }: UnsupportedParameters,
  had: { budget: boolean; search: boolean },
): Partial<UnsupportedParameters> {
  if (had.search && search.test(message)) return { search: "none" };
  if (/thought.?signature/i.test(message))
    return { signatures: signatures === "kept" && /missing/i.test(message) ? "marked" : "left out" };
  if (had.budget && thinking === "asked" && /budget|can't be disabled/i.test(message)) return { thinking: "own" };
  if (/thinking|include_?thoughts/i.test(message)) return { thinking: "none" };
  return {};
}
