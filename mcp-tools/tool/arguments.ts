/** The arguments and answers that several tools have in common. */
import { z } from "zod";
import type { Resource } from "../../journal/notes/resources.ts";
import { maxTextBytes } from "../../journal/editing/text-edits.ts";
import { maxMessageText } from "../../protocol/agents/channel.ts";
import { dayOf } from "../../protocol/names/day.ts";
import { isDay, namePattern } from "../../protocol/names/names.ts";
import type { ToolContext } from "./tool.ts";

export const day = (description: string) =>
  z
    .string()
    .refine(isDay, "expected a day, YYYYMMDD")
    .meta({ description, pattern: "^\\d{8}$", examples: ["20250109"] });

export const facetName = z
  .string()
  .regex(namePattern, "expected a facet's name: lower-case letters, digits, - and _")
  .meta({ description: "A facet's name, as in facets/<name>." });

/** Hits of a search. */
export const usualHits = 10;
export const hitLimit = z
  .number()
  .int()
  .min(1, "expected at least 1")
  .max(50, "expected at most 50")
  .meta({ description: `How many passages at most. Default ${usualHits}.` });

export const lineNumber = (description: string) =>
  z.number().int().min(1, "expected a line number, from 1").meta({ description });

/** The characters that end a line, hide in it or turn its direction. */
const unfit = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** One line of text. What is asked of it isn't shown as a pattern: some servers of models understand few patterns, and fail. */
export const oneLine = (maxLength: number, description: string) =>
  z
    .string()
    .max(maxLength, `expected at most ${maxLength} characters`)
    .refine((text) => !unfit.test(text), "expected one line, without control characters")
    .refine((text) => text.trim() !== "", "expected text, not blank")
    .transform((text) => text.trim())
    .meta({ description });

/** Text of several lines. What is asked of it isn't shown as a pattern, likewise. */
export const longText = (maxLength: number, description: string) =>
  z
    .string()
    .max(maxLength, `expected at most ${maxLength} characters`)
    .refine((text) => !text.includes("\0"), "expected text, without the character NUL")
    .meta({ description });

/** A message for somebody: it says something. */
export const message = (description: string) =>
  longText(maxMessageText, description).refine((text) => text.trim() !== "", "expected text, not blank");

/** The path of a file; where it may stand is for the code that opens it to say. */
export const filePath = (description: string) =>
  z
    .string()
    .min(1, "expected a path")
    .max(1_000, "expected at most 1000 characters")
    .refine((text) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text), "expected a path, without control characters")
    .meta({ description });

/** Which lines of a file are to be read, and which were. */
export const lineRange = {
  from: lineNumber("First line, from 1.").optional(),
  to: lineNumber("Last line.").optional(),
};
export const linesRead = {
  from: z.number().int().meta({ description: "The first line that was read." }),
  to: z.number().int().meta({ description: "The last line that was read; lower than from if no line was read." }),
  is_cut: z.boolean().meta({ description: "Whether lines that were asked for are missing at the end." }),
};

/** Lines of a file, for a model and for a program. */
export function linesAnswer({ from, to, isCut, lines }: Resource) {
  const note = isCut ? [`[cut after line ${to}: go on with from: ${to + 1}]`] : [];
  return {
    text: lines.length > 0 ? [...lines, ...note].join("\n") : "(empty)",
    structured: { from, to, is_cut: isCut },
  };
}

/** A text that stands in a file once, and what shall stand there instead. */
export const replacement = {
  old_str: longText(maxTextBytes, "The text that stands there, exactly as it is, and only once.").min(
    1,
    "expected text",
  ),
  new_str: longText(maxTextBytes, "The text that shall stand there instead; empty: none."),
};

/** A change that was made of a file. */
export const changedFile = {
  path: z.string(),
  line: z.number().int().meta({ description: "The first line of the change, from 1." }),
  changed: z.boolean(),
};

/** Where something stands in the journal. */
export const placeFields = {
  path: z.string().meta({ description: "Relative to the journal." }),
  line: z.number().int().meta({ description: "From 1." }),
};

/** The day on which a tool is called, as the user's calendar has it. */
export const today = ({ timeZone }: ToolContext) => dayOf(Date.now(), timeZone);

/** Lines of a list, and its characters, that a model gets at most. */
export const maxLines = 200;
const maxCharacters = 32_000;

/** Lines as one text that a model can take. */
export function bounded(lines: string[], remedy = "read the files with get_resource"): string {
  const text = lines.slice(0, maxLines).join("\n");
  const left = lines.length - maxLines;
  const note = left > 0 ? `\n[${left} more left out]` : "";
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)} …\n[cut: ${remedy}]` : text + note;
}
