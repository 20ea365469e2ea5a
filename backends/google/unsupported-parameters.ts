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
};

const learnt = new Map<string, UnsupportedParameters>();

export function unsupportedBy(model: string): UnsupportedParameters {
  return learnt.get(model) ?? { thinking: "asked", signatures: "kept" };
}

/** Whether a failed call is worth another try, because the next request will differ. */
export function learnFrom(error: unknown, model: string, hadBudget: boolean): boolean {
  const refusal = error instanceof ProviderError ? error.cause : undefined;
  if (!(refusal instanceof Refusal) || refusal.status !== 400) return false;
  const known = unsupportedBy(model);
  const next = { ...known, ...lesson(refusal.message, known, hadBudget) };
  learnt.set(model, next);
  return next.thinking !== known.thinking || next.signatures !== known.signatures;
}

/*
 * The API's words, as they have been reported:
 * - "Function call is missing a thought_signature in functionCall parts. …", "… is missing a `thought_signature`"
 * - "Corrupted thought signature.", "Invalid thought signature.", "… Thought signature is not valid.": from another project
 * - "Thinking is not enabled for models/…", "… thinking is not supported by this model",
 *   "Thinking_config.include_thoughts is only enabled when thinking is enabled."
 * - "The thinking budget 99999 is invalid. …", "Budget 0 is invalid. This model only works in thinking mode."
 */
function lesson(
  message: string,
  { thinking, signatures }: UnsupportedParameters,
  hadBudget: boolean,
): Partial<UnsupportedParameters> {
  if (/thought.?signature/i.test(message))
    return { signatures: signatures === "kept" && /missing/i.test(message) ? "marked" : "left out" };
  if (hadBudget && thinking === "asked" && /budget|can't be disabled/i.test(message)) return { thinking: "own" };
  if (/thinking|include_?thoughts/i.test(message)) return { thinking: "none" };
  return {};
}
