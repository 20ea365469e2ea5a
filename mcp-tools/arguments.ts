/** The arguments and answers that several tools have in common. */
import { z } from "zod";
import { dayOf } from "../protocol/day.ts";
import { isDay, namePattern } from "../protocol/names.ts";
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

export const lineNumber = (description: string) =>
  z.number().int().min(1, "expected a line number, from 1").meta({ description });

/** Whatever ends a line, hides in it or turns its direction. */
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

/** Where something stands in the journal. */
export const place = {
  path: z.string().meta({ description: "Relative to the journal." }),
  line: z.number().int().meta({ description: "From 1." }),
};

/** The day on which a tool is called, as the user's calendar has it. */
export const today = ({ timeZone }: ToolContext) => dayOf(Date.now(), timeZone);

/** Of lists, a model gets so many lines and characters at most. */
export const maxLines = 200;
const maxCharacters = 32_000;

/** Lines as one text that a model can take. */
export function bounded(lines: string[]): string {
  const text = lines.slice(0, maxLines).join("\n");
  const left = lines.length - maxLines;
  const note = left > 0 ? `\n[${left} more left out]` : "";
  return text.length > maxCharacters
    ? `${text.slice(0, maxCharacters)} …\n[cut: read the files with get_resource]`
    : text + note;
}
