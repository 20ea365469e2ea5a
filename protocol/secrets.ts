/** What must not be shown: the names that stand for secrets, and text with their values replaced. Pure. */
import { isRecord } from "./json-object.ts";

/** Shorter values are words that stand in any text: from the contract. */
export const shortestSecret = 8;

/** Stands where a secret stood. */
export const hidden = "***";

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
    return this.#values.reduce((rest, value) => rest.replaceAll(value, hidden), text);
  }

  /** The same of a value: its strings, the names of its fields, and numbers that are a secret. */
  hideIn(value: unknown): unknown {
    if (typeof value === "string") return this.hide(value);
    if (typeof value === "number") return this.#values.includes(String(value)) ? hidden : value;
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
  #waiting = "";

  constructor(values: readonly string[]) {
    this.#values = values;
  }

  /** What may be shown by now. */
  push(piece: string): string {
    let text = this.#waiting + piece;
    for (const value of this.#values) text = text.replaceAll(value, hidden);
    const waits = Math.max(0, ...this.#values.map((value) => beginAtEnd(text, value)));
    this.#waiting = text.slice(text.length - waits);
    return text.slice(0, text.length - waits);
  }

  /** What was held back, and turned out to be no secret. */
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

/** How many characters at the end of a text are the begin of a value. */
function beginAtEnd(text: string, value: string): number {
  for (let length = Math.min(value.length - 1, text.length); length > 0; length--)
    if (text.endsWith(value.slice(0, length))) return length;
  return 0;
}
