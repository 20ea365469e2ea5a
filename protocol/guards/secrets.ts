/** The names that stand for secrets, and the replacement of their values in a text. Pure. */
import { isRecord } from "../json/json-object.ts";

/** Shorter values are words that stand in any text: from docs/contract.md. */
export const shortestSecret = 8;

/** Stands where a secret stood. */
export const hiddenText = "***";

/** Whether what has this name is a secret: `API_KEY`, `apiKey`, `x-auth-token`, `DB_PASSWORD`, `Authorization`. */
export function isSecretName(name: string): boolean {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
  return (
    /(^|[^a-z])((api|access|private|secret)?key|token|secrets?|cookie)$/.test(words) ||
    /passw|passphrase|credential|authoriz/.test(words)
  );
}

/** Replaces the values of secrets, in text and in whatever JSON can say. */
export class SecretHider {
  /** The longest first: one may be a part of another. */
  readonly #values: string[];
  /** As they stand in JSON that we write. */
  readonly #inJson: string[];

  constructor(secrets: Iterable<string>) {
    const forms = [...secrets].flatMap(formsOf).filter((form) => form.length >= shortestSecret);
    this.#values = [...new Set(forms)].toSorted((a, b) => b.length - a.length);
    this.#inJson = this.#values.map((value) => JSON.stringify(value).slice(1, -1));
  }

  /** Whether a line of JSON that we wrote holds a secret: cheap, for the many that hold none. */
  isIn(json: string): boolean {
    return this.#inJson.some((value) => json.includes(value));
  }

  hide(text: string): string {
    return this.#values.reduce((rest, value) => rest.replaceAll(value, hiddenText), text);
  }

  /** The same of a value: its strings, the names of its fields, and numbers that are a secret. */
  hideIn(value: unknown): unknown {
    if (typeof value === "string") return this.hide(value);
    if (typeof value === "number") return this.#values.includes(String(value)) ? hiddenText : value;
    if (Array.isArray(value)) return value.map((item) => this.hideIn(item));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [this.hide(name), this.hideIn(field)]));
  }

  /** For text that comes in pieces. */
  stream(): StreamHider {
    return new StreamHider(this.#values);
  }
}

/** Text that comes in pieces: what may be the begin of a secret waits for the next piece. */
export class StreamHider {
  readonly #values: readonly string[];
  readonly #borders: readonly Uint32Array[];
  #waiting = "";

  constructor(values: readonly string[]) {
    this.#values = values;
    this.#borders = values.map(bordersOf);
  }

  /** Takes a piece and returns what may be shown by now. */
  push(piece: string): string {
    let text = this.#waiting + piece;
    for (const value of this.#values) text = text.replaceAll(value, hiddenText);
    const waits = Math.max(0, ...this.#values.map((value, at) => beginAtEnd(text, value, this.#borders[at] ?? none)));
    this.#waiting = text.slice(text.length - waits);
    return text.slice(0, text.length - waits);
  }

  /** Returns the text that was held back, and turned out to be no secret. */
  rest(): string {
    const text = this.#waiting;
    this.#waiting = "";
    return text;
  }
}

/** The forms in which a value is likely to be printed: whole, each of its lines, in JSON, in JSON of ASCII alone, and in a URL. */
function formsOf(value: string): string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const inJson = JSON.stringify(value).slice(1, -1);
  const inAscii = inJson.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [value, ...lines, inJson, inAscii, encodeURIComponent(value.toWellFormed())];
}

const none = new Uint32Array();

/** How many characters at the end of a text are the begin of a value. Each is looked at once (Knuth, Morris, Pratt). */
function beginAtEnd(text: string, value: string, borders: Uint32Array): number {
  let matched = 0;
  for (let at = Math.max(0, text.length - value.length + 1); at < text.length; at++)
    matched = matchedWith(value, borders, matched, text.charCodeAt(at));
  return matched;
}

/** For each begin of a value: how long the longest of its own begins is that stands at its end as well. */
function bordersOf(value: string): Uint32Array {
  const borders = new Uint32Array(value.length);
  for (let at = 1; at < value.length; at++)
    borders[at] = matchedWith(value, borders, borders[at - 1] ?? 0, value.charCodeAt(at));
  return borders;
}

function matchedWith(value: string, borders: Uint32Array, before: number, code: number): number {
  let matched = before;
  while (matched > 0 && value.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
  return value.charCodeAt(matched) === code ? matched + 1 : matched;
}
