/** The output of a program for a terminal, with its colours, as nodes. A chunk of its own. */
import { AnsiUp } from "ansi_up";
import { visible } from "../words/text/visible-text.ts";
import { cleanMarkup } from "./clean-markup.ts";

/** Colours and weights: whatever else a terminal would obey is shown. */
const colour = new RegExp(`(${String.fromCharCode(27)}\\[[0-9;]*m)`);

export function ansiNodes(text: string): DocumentFragment {
  const terminal = new AnsiUp();
  terminal.use_classes = true;
  const kept = text.split(colour).map((part, index) => (index % 2 === 1 ? part : visible(part)));
  return cleanMarkup(terminal.ansi_to_html(kept.join("")));
}
