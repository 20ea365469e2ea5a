/**
 * The redaction of a run that is shared: secrets, what has the form of a key, home folders, the name of the machine.
 * Pure.
 */
import { cleaned } from "../../../proc/logging/terminal.ts";
import { visible } from "../../../conversation/marks/plain-text.ts";
import { hiddenText, SecretHider } from "../../../protocol/guards/secrets.ts";

export type Here = {
  /** Values that nobody may see. */
  secrets: readonly string[];
  homes: readonly string[];
  /** Names of the machine. */
  hosts: readonly string[];
};

/** Redacts a text, and takes out what controls, hides or reorders. */
export type Redact = (text: string) => string;

/** Each quantifier is bounded: texts are hostile, and long. */
const shapes: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, hiddenText],
  [/\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,400}/g, hiddenText],
  [/\b(?:gh[a-z]_|github_pat_|glpat-|hf_|xox[a-z]-|npm_|dop_v1_)[A-Za-z0-9_-]{10,400}/g, hiddenText],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, hiddenText],
  [/\bAIza[A-Za-z0-9_-]{30,100}/g, hiddenText],
  [/\bS[UAONCX][A-Z2-7]{56}\b/g, hiddenText],
  [/\b\d{6,12}:[A-Za-z0-9_-]{30,100}/g, hiddenText],
  [/\beyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{0,4000}/g, hiddenText],
  [/(\b[a-z][a-z0-9+-]{0,20}:\/\/)[^\s/@"'<>]{1,400}@/gi, `$1${hiddenText}@`],
  [/\b(Bearer|Basic|Token)(\s{1,4})[A-Za-z0-9._~+/=-]{12,4000}/gi, `$1$2${hiddenText}`],
  // Also where it is JSON within JSON.
  [
    /("[\w.-]{0,64}(?:key|token|secret|passw\w{0,12}|passphrase|credentials?|authorization|cookie)\\{0,8}"\s{0,8}:\s{0,8}\\{0,8}")(?:[^"\\]|\\{1,8}[^"\\]){4,4000}/gi,
    `$1${hiddenText}`,
  ],
  [
    /\b([\w.-]{0,64}(?:key|token|secret|passw\w{0,12}|passphrase|credentials?)["']?\s{0,4}[=:]\s{0,4})(["']?)[^\s"'&;,]{8,4000}/gi,
    `$1$2${hiddenText}`,
  ],
];

/** Homes of whoever it is, on whatever system. */
const homeShapes: readonly RegExp[] = [
  /\/(?:home|Users|var\/home|export\/home)\/[^/\s"'<>:;,)\]\\]{1,64}/g,
  /[A-Za-z]:\\{1,8}Users\\{1,8}[^\\\s"'<>:;,)\]]{1,64}/gi,
  /\/root(?=[/\s"'<>:;,)\]]|$)/g,
];

export function redactionOf({ secrets, homes, hosts }: Here): Redact {
  const hider = new SecretHider(secrets);
  const names = hosts.filter((name) => name.length >= shortestHost && name !== "localhost").map(quoted);
  const host = names.length > 0 ? new RegExp(`(?<![A-Za-z0-9_-])(?:${names.join("|")})(?![A-Za-z0-9_-])`, "gi") : null;
  return (text) => {
    // First as it is: what is taken out of a text could have hidden a secret in it, and be one by itself.
    let rest = hider.hide(visible(cleaned(hider.hide(text.toWellFormed()))));
    for (const home of homes) if (home.length > 1) rest = rest.replaceAll(home, "~");
    for (const shape of homeShapes) rest = rest.replace(shape, "~");
    for (const [shape, instead] of shapes) rest = rest.replace(shape, instead);
    return host ? rest.replace(host, "host") : rest;
  };
}

/** Shorter names are letters that stand in any text. */
const shortestHost = 2;

const quoted = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
