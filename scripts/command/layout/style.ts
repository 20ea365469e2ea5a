/** Colours of our own. Plain where the output is not a terminal, or `NO_COLOR` is set. */
import { styleText } from "node:util";
import { ownSequence } from "../../../proc/logging/terminal.ts";

export type Style = "red" | "yellow" | "green" | "dim" | "bold";

/** Text in a style, as stdout shows it. */
export function styled(style: Style, text: string): string {
  const stream = process.stdout;
  const [open = "", close = ""] = styleText(style, "|", { stream }).split("|");
  return ownSequence(open, stream) + text + ownSequence(close, stream);
}
