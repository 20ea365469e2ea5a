/** The words for an invalid value: the field, what was expected, and what stands there. */
import type { z } from "zod";
import { isRecord } from "../json/json-object.ts";
import { redacted, secretValues } from "../runs/request/request-content.ts";
import { SecretHider } from "../guards/secrets.ts";
import { shownUrl } from "../guards/shown-url.ts";

const maxShown = 100;

/** One line for each issue, as in `limits.timeout_seconds: expected number, got "fast"`. A secret of the value isn't shown. */
export function issueTexts(error: z.ZodError, value: unknown): string[] {
  const hider = new SecretHider(secretValues(value));
  return error.issues.map((issue) => issueText(issue, value, hider));
}

function issueText(issue: z.core.$ZodIssue, value: unknown, hider: SecretHider): string {
  const { expected, path } = mostSpecific(issue);
  const field = path.map(String).join(".");
  const isSecret = path.includes("env") || path.includes("headers");
  // Hidden before it is cut: the begin of a secret wouldn't be found.
  const found = valueAt(value, path);
  const got = isSecret ? "a secret" : gotOf(issue, hider.hideIn(redacted(found)));
  // What is wrong with a key isn't its value.
  const text = issue.code === "invalid_key" ? expected : `${expected}, got ${got}`;
  return field === "" ? text : `${field}: ${text}`;
}

/** Tells the length of a text that is too long: what it says helps nobody, and may be for nobody's log. */
const gotOf = ({ code }: z.core.$ZodIssue, value: unknown) =>
  code === "too_big" && typeof value === "string" ? `${value.length} characters` : shown(value);

/** Picks the option of a union that came furthest; if none did, all of them. */
function mostSpecific(issue: z.core.$ZodIssue): { expected: string; path: PropertyKey[] } {
  if (issue.code === "invalid_union") {
    const firsts = issue.errors.flatMap(([first]) => (first ? [mostSpecific(first)] : []));
    const [deepest] = firsts.toSorted((a, b) => b.path.length - a.path.length);
    if (deepest && deepest.path.length > 0)
      return { expected: deepest.expected, path: [...issue.path, ...deepest.path] };
    const options = firsts.map(({ expected }) => expected.replace("expected ", ""));
    return { expected: `expected ${options.join(" or ") || "something else"}`, path: issue.path };
  }
  return { expected: expectation(issue), path: issue.path };
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${issue.expected === "int" ? "a whole number" : issue.expected}`;
    case "invalid_key":
      if (issue.issues[0]?.code === "custom") return issue.issues[0].message;
      return `expected a name that matches ${issue.issues[0]?.code === "invalid_format" ? issue.issues[0].pattern : "its pattern"}`;
    case "invalid_format":
      if (issue.format === "url" && !issue.message.startsWith("expected")) return "expected a URL";
      break;
    default:
  }
  const [, expected] = /(expected .*|must .*)$/s.exec(issue.message) ?? [];
  return (expected ?? issue.message).replace(/^must /, "expected to ");
}

function valueAt(value: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)];
    return isRecord(inner) ? inner[String(key)] : undefined;
  }, value);
}

function shown(value: unknown): string {
  const isAddress = (inner: unknown) => typeof inner === "string" && inner.includes("://");
  const text = JSON.stringify(value, (_, inner) => (isAddress(inner) ? shownUrl(inner) : inner)) ?? "nothing";
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}
