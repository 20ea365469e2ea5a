/**
 * The header `Authentication-Results` (RFC 8601), in which a receiving server writes what it has checked of a mail. Anybody may
 * write one into a mail: what counts is only the run of them that stands first, under a name that the settings trust, or above
 * the first `Received` where they name none. Pure.
 */
import { domainOf, normalDomain } from "../base/address.ts";

/** A header of a mail, its name in lower case. */
export type Header = { key: string; value: string };

export type MethodResult = {
  /** `dkim`, `spf` … */
  method: string;
  /** `pass`, `fail` … */
  result: string;
  /** Such as `header.d`, by their names in lower case. */
  properties: Readonly<Record<string, string>>;
};

export type AuthenticationResults = { authservId: string; results: MethodResult[] };

const name = "authentication-results";
/** In characters; a longer one isn't read. */
const longest = 16 * 1024;

/**
 * The results that may be believed: of the headers that stand first, as long as they follow each other and are of servers with
 * these names. A method's are those of the first header that has it: what stands below it could be the sender's own.
 * @param authservIds undefined: of the headers above the first `Received` alone, by the name that stands first there
 */
export function trustedResults(headers: readonly Header[], authservIds: readonly string[] | undefined): MethodResult[] {
  const read = authservIds === undefined ? aboveReceived(headers) : headers;
  const trusted = authservIds?.map((id) => id.toLowerCase()) ?? [firstAuthservId(read)];
  const first = read.findIndex(({ key }) => key === name);
  const found = new Map<string, MethodResult[]>();
  for (const { key, value } of first === -1 ? [] : read.slice(first)) {
    const parsed = key === name ? parseAuthenticationResults(value) : null;
    if (parsed === null || !trusted.includes(parsed.authservId)) break;
    const here = Map.groupBy(parsed.results, ({ method }) => method);
    for (const [method, results] of here) if (!found.has(method)) found.set(method, results);
  }
  return [...found.values()].flat();
}

/** The name under which the first of these headers was written, or null. */
export function firstAuthservId(headers: readonly Header[]): string | null {
  const first = headers.find(({ key }) => key === name);
  return first ? (parseAuthenticationResults(first.value)?.authservId ?? null) : null;
}

/**
 * The headers above the first `Received`. Whoever takes a mail by SMTP puts a `Received` on top of what was sent (RFC 5321, 4.4):
 * so these were written by the server that took it last, or behind it. None, where no server says that it took it.
 */
function aboveReceived(headers: readonly Header[]): readonly Header[] {
  const first = headers.findIndex(({ key }) => key === "received");
  return first === -1 ? [] : headers.slice(0, first);
}

/**
 * Whether a mail is from a domain: signed by exactly it (`dkim`), or sent by a server that exactly it names (`spf`). Not by a
 * subdomain, which may be somebody else's.
 */
export function isFromDomain(results: readonly MethodResult[], domain: string, trust: readonly string[]): boolean {
  return results.some(({ method, result, properties }) => {
    if (result !== "pass" || !trust.includes(method)) return false;
    const checked =
      method === "dkim" ? (properties["header.d"] ?? properties["header.i"]) : properties["smtp.mailfrom"];
    return checked !== undefined && normalDomain(domainOf(checked)) === domain;
  });
}

/** Null: it isn't one, or can't be read to its end. */
export function parseAuthenticationResults(value: string): AuthenticationResults | null {
  const plain = value.length > longest ? null : withoutComments(value);
  if (plain === null) return null;
  const [head = [], ...statements] = plain.split(";").map(wordsOf);
  const [authservId = ""] = head;
  if (authservId === "" || authservId.includes("=")) return null;
  return { authservId: authservId.toLowerCase(), results: statements.flatMap((words) => resultOf(words) ?? []) };
}

/** `dkim=pass header.d=example.org`. */
function resultOf([first = "", ...rest]: readonly string[]): MethodResult | null {
  const [method, result] = pairOf(first);
  if (method === "" || result === undefined) return null;
  const pairs = rest.flatMap((word) => {
    const [key, text] = pairOf(word);
    return text === undefined ? [] : [[key, text] as const];
  });
  // The first of two: what is written behind it adds nothing.
  return { method, result: result.toLowerCase(), properties: Object.fromEntries(pairs.toReversed()) };
}

/** `dkim/1=pass` is `dkim` and `pass`. */
function pairOf(word: string): [string, string?] {
  const at = word.indexOf("=");
  if (at === -1) return [word];
  return [(word.slice(0, at).split("/")[0] ?? "").toLowerCase(), word.slice(at + 1)];
}

/** Words between white space, those around a `=` together. */
function wordsOf(statement: string): string[] {
  const words = statement
    .split(/\s/)
    .filter((word) => word !== "")
    .join(" ");
  return words
    .replaceAll(" =", "=")
    .replaceAll("= ", "=")
    .split(" ")
    .filter((word) => word !== "");
}

/** Without comments and quotes; what has a meaning outside of quotes has none within. Null: one of them doesn't end. */
function withoutComments(value: string): string | null {
  let text = "";
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < value.length; at++) {
    const sign = value[at] ?? "";
    if (sign === "\\" && (isQuoted || depth > 0)) {
      at++;
      if (isQuoted) text += "_";
    } else if (isQuoted) {
      if (sign === '"') isQuoted = false;
      else text += /[\s;=()]/.test(sign) ? "_" : sign;
    } else if (sign === "(") {
      depth++;
      text += " ";
    } else if (sign === ")") {
      if (depth === 0) return null;
      depth--;
    } else if (depth > 0) continue;
    else if (sign === '"') isQuoted = true;
    else text += sign;
  }
  return depth === 0 && !isQuoted ? text : null;
}
