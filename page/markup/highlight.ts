/** Colours of code in the languages that agents write most. A chunk of its own. */
import core from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { cleanMarkup } from "./clean-markup.ts";

const languages = { bash, css, diff, go, json, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) core.registerLanguage(name, language);

/** Coloured code as nodes; null where the language isn't known. */
export function highlight(text: string, language: string): DocumentFragment | null {
  if (core.getLanguage(language) === undefined) return null;
  return cleanMarkup(core.highlight(text, { language, ignoreIllegals: true }).value);
}
