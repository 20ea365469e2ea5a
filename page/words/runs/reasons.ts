/** Why a run has failed, as a sentence: what happened first, the code and the provider's own words after it. */
import { limitOf } from "../amounts/durations.ts";
import { firstLine } from "../names/names.ts";

/** Each reason of an `error` event, when its message says nothing more that a person would understand. */
const sentences: Record<string, string> = {
  provider: "The model's service didn't answer",
  config: "Something in its settings is wrong",
  crash: "Its program broke off",
  timeout: "Stopped at its limit of time",
  idle: "Silent for too long, so it was stopped",
  cancelled: "Stopped",
  budget: "Spent what it was given",
  interrupted: "Its machine went away",
  internal: "Cortex itself had a problem",
  loop: "Repeated itself, so it was stopped",
};

type Failure = { reason: string | null | undefined; error: string | null | undefined };

/** The sentence for a failed run's row. */
export function failureSentence({ reason, error }: Failure): string {
  const told = tellingOf(error ?? "");
  if (told !== null) return told;
  const known = reason === null || reason === undefined ? undefined : sentences[reason];
  return known ?? (firstLine(error ?? "") || "It failed, and didn't say why");
}

/** Finds the detail behind the sentence in small: the message itself, unless it is the sentence. */
export function failureDetail(failure: Failure): string {
  const line = firstLine(failure.error ?? "");
  return line === failureSentence(failure) ? "" : line;
}

/**
 * Messages that can be told in plainer words. Nothing is decided by them: a message of another form is told by its reason,
 * and stands in full behind the sentence.
 */
const tellings: readonly [pattern: RegExp, tell: (found: string) => string][] = [
  [
    /^ran longer than (?:timeout_seconds|.*max_total_seconds), (\d+) s/,
    (s) => `Stopped at its limit of ${limitWords(s)}`,
  ],
  [/^said nothing for idle_timeout_seconds, (\d+) s/, (s) => `Silent for ${limitWords(s)}, so it was stopped`],
  [/^lost (\d+) times/, (times) => `Its machine went away, ${times} times`],
  [/\bneeds a key: set ([A-Z]+)_API_KEY/, (name) => `No key for ${providerName(name.toLowerCase())}`],
  [/^exited with code (\d+)/, (code) => `Its program broke off (exit ${code})`],
  [/\bmax_cost_usd\b/, () => "Spent the money that it was given"],
  [/\bmax_total_tokens\b/, () => "Used all the tokens that it was given"],
  [/\bmax_total_turns\b/, () => "Used all the model calls that it was given"],
  [/\b(?:429|too many requests)\b/i, () => "The model's service was too busy"],
  [/\b(?:529|overloaded)\b/i, () => "The model's service was overloaded"],
  [/\b(?:ECONNREFUSED|ENOTFOUND|ECONNRESET)\b/, () => "The model's service couldn't be reached"],
  [/\bdisk full\b/, () => "The disk is full"],
];

const limitWords = (seconds: string) => limitOf(Number(seconds) * 1000);

function tellingOf(error: string): string | null {
  for (const [pattern, tell] of tellings) {
    const found = pattern.exec(error);
    if (found) return tell(found[1] ?? "");
  }
  return null;
}

const providers: Record<string, string> = {
  anthropic: "Anthropic",
  openai: "OpenAI",
  google: "Google",
  gemini: "Google",
  openrouter: "OpenRouter",
};

/** A provider as it writes itself. */
export function providerName(name: string): string {
  return providers[name] ?? name;
}
