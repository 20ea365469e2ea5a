/** A text that a command is given: a file, or standard input. */
import { readFileSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import { messageOf } from "../../files/errors/error-message.ts";
import { usageError } from "./command.ts";

/** No text that agents read comes near it. In bytes. */
const maxBytes = 4 * 1024 * 1024;

/** @param path a file; `-`, or none: standard input. @throws CommandError */
export async function givenText(path: string | undefined, help: string): Promise<string> {
  const isInput = path === "-" || path === undefined;
  if (path === undefined && process.stdin.isTTY) throw usageError("there is no text", `see: ${help} --help`);
  try {
    const text = isInput ? await readAll(process.stdin) : readFileSync(path, "utf8");
    if (Buffer.byteLength(text) > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    return text;
  } catch (error) {
    throw usageError(`${path ?? "stdin"}: ${messageOf(error)}`, "name a file that can be read", error);
  }
}
