/**
 * The content of a request, apart from how it is written: whether two are the same, and what of one may be shown. Pure.
 */
import { createHash } from "node:crypto";
import { canonicalJson } from "../../json/canonical-json.ts";
import { isRecord } from "../../json/json-object.ts";
import { type Request, requestFields } from "./request.ts";
import { hiddenText, isSecretName, SecretHider } from "../../guards/secrets.ts";

/** A hash of a request's content: equal for equal contents, in whatever order the fields stand. Nulls are dropped before. */
export function contentHash(request: Request): string {
  const { event: _, ...content } = request;
  return createHash("sha256").update(canonicalJson(content)).digest("hex");
}

/**
 * The request as it may be shown. Secret are the values of `env`, also those of a handoff, wherever else they stand, what
 * unknown fields hold under the name of a secret, and a password in a URL. Also of what is not a request.
 */
export function redacted(value: unknown): unknown {
  if (typeof value === "string") return redactedText(value);
  const shown = byName(value, requestFields);
  const hider = new SecretHider(secretValues(value));
  return isRecord(shown) ? { ...shown, ...hiddenFields(shown, hider) } : hider.hideIn(shown);
}

/** Its prompt, as it may be shown. */
export const shownPrompt = (request: Request) => new SecretHider(secretValues(request)).hide(request.prompt);

/** The values that nobody may see of a request and of what it hands on to: all of `env`, and of unknown fields what has the name of a secret and doesn't look like a plain word. */
export function secretValues(value: unknown): string[] {
  if (!isRecord(value)) return [];
  const own = isRecord(value["env"]) ? Object.values(value["env"]) : [];
  const unknown = Object.entries(value).filter(([name]) => !requestFields.has(name));
  return [
    ...own.filter((field) => typeof field === "string"),
    ...namedSecrets(Object.fromEntries(unknown)),
    ...secretValues(value["handoff"]),
  ];
}

function namedSecrets(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namedSecrets);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, field]) =>
    typeof field === "string" && isSecretName(name) && !/^[a-z_]*$/.test(field) ? [field] : namedSecrets(field),
  );
}

/** Whether something of the request as it is shown was hidden. */
export function hidesSomething(shown: unknown): boolean {
  return JSON.stringify(shown)?.includes(hiddenText) ?? false;
}

/** The fields that cortex itself adds to a request: they are no secret, whatever stands in them. */
const never = new Set(["event", "ts", "agent_id", "env"]);

function hiddenFields(shown: Record<string, unknown>, hider: SecretHider): Record<string, unknown> {
  const fields = Object.entries(shown).filter(([name]) => !never.has(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, hider.hideIn(field)]));
}

/** @param known names of fields whose values are no secrets, whatever they are called */
function byName(value: unknown, known: ReadonlySet<string>): unknown {
  if (typeof value === "string") return value.replace(/(\w:\/\/)[^/@\s]+@/g, `$1${hiddenText}@`);
  if (Array.isArray(value)) return value.map((item) => byName(item, known));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      if (name === "env") return [name, isRecord(field) ? allHidden(field) : hiddenText];
      if (name === "handoff") return [name, byName(field, requestFields)];
      if (name === "attachments" && known.has(name)) return [name, withoutData(field)];
      if (name === "prompt") return [name, field];
      if (known.has(name)) return [name, byName(field, known)];
      return [name, isSecretName(name) && field !== null ? hiddenText : byName(field, new Set())];
    }),
  );
}

/** The bytes of files are in their store, and nowhere that is shown. */
function withoutData(attachments: unknown): unknown {
  if (!Array.isArray(attachments)) return attachments;
  return attachments.map((one: unknown) =>
    isRecord(one) && typeof one["data"] === "string" ? { ...one, data: hiddenText } : one,
  );
}

const allHidden = (env: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(env).map((name) => [name, hiddenText]));

/** Redacts text that isn't JSON: all behind `env`, and what looks like the value of a secret. */
function redactedText(text: string): string {
  return text
    .replace(/("env"\s*:).*/s, `$1 "${hiddenText}"`)
    .replace(/"([^"\\]{1,100})"(\s*:\s*)("(?:[^"\\]|\\.)*"?|[^\s,}\]]+)/g, (all, name: string, colon: string) =>
      isSecretName(name) && !requestFields.has(name) ? `"${name}"${colon}"${hiddenText}"` : all,
    );
}
