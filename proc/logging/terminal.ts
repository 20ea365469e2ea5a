/**
 * The guard of what reaches a terminal. Results, events, logs and names come from outside, and a terminal obeys what it
 * is shown: it writes its clipboard (OSC 52), moves its cursor, turns text around. So everything that a guarded stream
 * is given is cleaned, at this one place. What we draw ourselves is marked with a number that nobody else knows.
 */
import { StringDecoder } from "node:string_decoder";

/** A sequence that has its end: of a string (OSC, DCS, SOS, PM, APC), of a control (CSI), and a short one. */
const sequences = new RegExp(
  [
    String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)`,
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
    String.raw`\x1b[ -/]*[0-~]`,
  ].join("|"),
  "g",
);

/** C0 but \n and \t, DEL, C1; what turns the direction of text around; separators that some terminals take for the end of a line. */
const controls = new RegExp(String.raw`[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]`, "g");

/** Text that a terminal shows and doesn't obey: for whoever draws on a terminal that isn't guarded. */
export const cleaned = (text: string): string => text.replace(sequences, "").replace(controls, "");

/** The secret number of this process; made with the first guard, since a program in a pipe needs none. */
let secret = "";
const guarded = new WeakSet<object>();
let isRaw = false;

/** Guards stdout and stderr where they are terminals. A pipe gets what was said as it is. */
export function guardTerminals(): void {
  guard(process.stdout);
  guard(process.stderr);
}

/** From now on everything reaches the terminal as it is: its user has asked for it. */
export function showRaw(): void {
  isRaw = true;
}

/** A control sequence of our own, for a stream that may be guarded. */
export function ownSequence(sequence: string, stream: object): string {
  if (sequence === "" || !guarded.has(stream)) return sequence;
  return `⟦${secret}:${Buffer.from(sequence).toString("hex")}⟧`;
}

type Done = (error?: Error | null) => void;

function guard(stream: NodeJS.WriteStream): void {
  if (!stream.isTTY || guarded.has(stream)) return;
  guarded.add(stream);
  secret ||= Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString("hex");
  const marked = new RegExp(`⟦${secret}:([0-9a-f]*)⟧`, "g");
  const withOwn = (text: string) => text.replace(marked, (_, hex: string) => Buffer.from(hex, "hex").toString());
  const write = stream.write.bind(stream);
  const decoder = new StringDecoder("utf8");
  stream.write = (chunk: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done): boolean => {
    const text = typeof chunk === "string" ? chunk : decoder.write(Buffer.from(chunk));
    const told = typeof encoding === "function" ? encoding : done;
    return write(withOwn(isRaw ? text : cleaned(text)), told);
  };
}
