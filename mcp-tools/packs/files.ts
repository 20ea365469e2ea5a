/** The pack `files`: reading and writing in an agent's work folder, and outside of it where the user has let it; and from there into the journal. */
import { z } from "zod";
import { maxTextBytes } from "../../journal/editing/text-edits.ts";
import type { LineRange } from "../../journal/notes/resources.ts";
import { editWorkFile, listWorkFolder, readWorkFile, writeWorkFile } from "../../journal/agents/work-files.ts";
import {
  bounded,
  changedFile,
  filePath,
  lineRange,
  linesAnswer,
  linesRead,
  longText,
  maxLines,
  replacement,
} from "../tool/arguments.ts";
import { findFiles, findLines } from "../file-search/file-search.ts";
import { readCallResult } from "../tool/call-result.ts";
import { outputsAt } from "../tool/command-owner.ts";
import { attachmentId, readShown, readStored } from "./shown-file.ts";
import { save } from "./save.ts";
import { defineTool, reads, type Tool, type ToolContext, writes } from "../tool/tool.ts";
import { workplaceOf } from "../tool/workplace.ts";

const path = filePath("Relative to the work folder.");
const written = filePath("Relative to the work folder; absolute where the user has allowed to write.");
const pattern = (description: string) => z.string().min(1, "expected a pattern").max(500).meta({ description });
const notes = z.array(z.string()).meta({ description: "Notes on what was left out, and why." });

/** Characters of a line that was found. */
const maxShown = 400;

const read = defineTool({
  name: "read",
  title: "Read a file of yours",
  description:
    "Read a text file of the work folder, or lines of it. A long one is cut; the last line then says how to go on. An image, " +
    "a PDF or sound is shown as it is. A file of the conversation is read by the name in its line, attachment:<id>, and a " +
    "result that was shortened by result:<call_id>.",
  input: { path, ...lineRange },
  output: { path: z.string(), ...linesRead },
  annotations: reads,
  async run({ path: at, from = 1, ...lines }, context) {
    const found = await readFile(context, at, { from, ...lines });
    if ("content" in found)
      return {
        text: `${found.name} (${found.mime})`,
        structured: { path: at, from: 1, to: 0, is_cut: false },
        file: found,
      };
    const { text, structured } = linesAnswer(found);
    return { text, structured: { path: at, ...structured } };
  },
});

/** A file of the conversation, the result of a call, a file of the work folder, or what a command has printed. */
async function readFile(context: ToolContext, path: string, lines: LineRange) {
  const id = attachmentId(path);
  if (id !== null) return readStored(context.journal, id, lines);
  const result = await readCallResult(context, path, lines);
  if (result) return result;
  const work = (await outputsAt(context, path)) ?? (await workplaceOf(context));
  return (await readShown(context.journal, work, path)) ?? readWorkFile(work, path, lines);
}

const write = defineTool({
  name: "write",
  title: "Write a file",
  description: "Write a text file in the work folder, replacing its content. Missing folders are made.",
  input: { path: written, content: longText(maxTextBytes, "The whole file.") },
  output: changedFile,
  annotations: writes({ destructive: true, idempotent: true }),
  async run({ path: at, content }, context, once) {
    const edit = await writeWorkFile(await workplaceOf(context), at, content, once);
    const what = edit.replaced ? "replaced" : edit.changed ? "written" : "was so already";
    return { text: `${edit.path}: ${what}`, structured: { path: edit.path, line: 1, changed: edit.changed } };
  },
});

const edit = defineTool({
  name: "edit",
  title: "Edit a file",
  description: "Replace a text in a file of the work folder, which must stand there exactly once.",
  input: { path: written, ...replacement },
  output: changedFile,
  annotations: writes({ destructive: true, idempotent: false }),
  async run({ path: at, old_str, new_str }, context, once) {
    const change = { oldText: old_str, newText: new_str };
    const { path: edited, line, changed } = await editWorkFile(await workplaceOf(context), at, change, once);
    return { text: `${edited}:${line}: changed`, structured: { path: edited, line, changed } };
  },
});

const grep = defineTool({
  name: "grep",
  title: "Search in files",
  description: "Find the lines in files of the work folder that a regular expression fits. Returns path:line: text.",
  input: {
    pattern: pattern(
      "A regular expression for one line, in RE2 syntax: no lookarounds or backreferences; (?i) ignores case.",
    ),
    path: filePath("Search this file or folder. Default: all.").optional(),
    glob: pattern("Search files whose name fits, such as *.md; with a slash, whose path fits.").optional(),
  },
  output: { hits: z.array(z.object({ path: z.string(), line: z.number().int(), text: z.string() })), notes },
  annotations: reads,
  async run(args, context) {
    const result = await findLines(await workplaceOf(context), args, context.reporter?.signal);
    const hits = result.found.map((hit) => ({ ...hit, text: cut(hit.text) }));
    const lines = hits.map(({ path: at, line, text }) => `${at}:${line}: ${text}`);
    return { text: shown(lines, result.notes), structured: { hits, notes: result.notes } };
  },
});

const glob = defineTool({
  name: "glob",
  title: "Find files",
  description:
    "Find files of the work folder by name: * within a name, ** over folders, ? one character, {a,b} either. " +
    "Without a slash, in all folders. Returns paths.",
  input: { pattern: pattern("Such as *.md or notes/**/*.txt.") },
  output: { paths: z.array(z.string()), notes },
  annotations: reads,
  async run(args, context) {
    const result = await findFiles(await workplaceOf(context), args.pattern, context.reporter?.signal);
    return { text: shown(result.found, result.notes), structured: { paths: result.found, notes: result.notes } };
  },
});

const ls = defineTool({
  name: "ls",
  title: "List a folder",
  description:
    "List the content of a folder in the work folder: names of folders end in /, files have their sizes in bytes.",
  input: { path: filePath("Relative to the work folder. Default: that folder itself.").optional() },
  output: {
    entries: z.array(
      z.object({
        name: z.string(),
        kind: z.enum(["file", "folder", "link", "other"]),
        bytes: z.number().int().optional(),
      }),
    ),
    is_cut: z.boolean(),
  },
  annotations: reads,
  async run({ path: at = "." }, context) {
    const { entries, isCut } = await listWorkFolder(await workplaceOf(context), at);
    const lines = entries.map(({ name, kind, bytes }) => {
      if (kind === "folder") return `${name}/`;
      return kind === "file" ? `${name} (${bytes ?? 0} bytes)` : `${name} (${kind})`;
    });
    return {
      text: bounded(lines, "list a folder below") || "(empty)",
      structured: { entries: entries.slice(0, maxLines), is_cut: isCut || entries.length > maxLines },
    };
  },
});

export const filesPack: readonly Tool[] = [read, write, edit, grep, glob, ls, save];

const cut = (text: string) => (text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}…` : text);

function shown(lines: string[], left: string[]): string {
  return [
    lines.length > 0 ? bounded(lines, "search for less, or read the files") : "nothing found",
    ...left.map((note) => `[${note}]`),
  ].join("\n");
}
