/** Reads the usage on the way: from the bytes of an answer, streamed or whole, as they pass. Keeps no more than a line of a stream. */
import { StringDecoder } from "node:string_decoder";
import { tryParseJson } from "../../protocol/json/parse-json.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import type { Dialect, HeardUsage } from "../dialects/dialect.ts";

/** Characters of a whole answer, or of a line of a stream, that are read: no answer of a model is longer. */
const mostChars = 32 * 1024 * 1024;

export class AnswerReader {
  readonly heard: HeardUsage = { isWhole: false, chars: 0 };
  readonly #hear: Dialect["hear"];
  readonly #isStream: boolean;
  readonly #decoder = new StringDecoder("utf8");
  /** The pieces of the line, or of the whole, that is coming. */
  #pieces: string[] = [];
  #chars = 0;

  constructor(dialect: Dialect, contentType: string) {
    this.#hear = dialect.hear;
    this.#isStream = contentType.toLowerCase().startsWith("text/event-stream");
  }

  push(bytes: Buffer): void {
    const text = this.#decoder.write(bytes);
    if (!this.#isStream) return this.#add(text);
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      this.#add(text.slice(from, end));
      this.#line(this.#take());
      from = end + 1;
    }
    this.#add(text.slice(from));
  }

  /** To be called when all has come that will. */
  end(): void {
    const rest = this.#take();
    if (this.#isStream) this.#line(rest);
    else this.#document(rest);
  }

  #add(text: string): void {
    this.#chars += text.length;
    if (this.#chars <= mostChars) this.#pieces.push(text);
    else this.#pieces = [];
  }

  #take(): string {
    const whole = this.#pieces.join("");
    this.#pieces = [];
    this.#chars = 0;
    return whole;
  }

  #line(line: string): void {
    if (line.startsWith("data:")) this.#document(line.slice("data:".length));
  }

  #document(text: string): void {
    const parsed = tryParseJson(text);
    // A stream of Google's that isn't one of events is an array.
    for (const document of Array.isArray(parsed) ? parsed : [parsed])
      if (isRecord(document)) this.#hear(document, this.heard);
  }
}
