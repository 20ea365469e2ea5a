/** The pack `memory`: what an agent keeps beyond its conversation, in Markdown files of its own. */
import { z } from "zod";
import { appendMemory, listMemory, patchMemory, readMemory, writeMemory } from "../../journal/agents/memory.ts";
import { searchMemory } from "../../journal/search/search-memory.ts";
import { maxTextBytes } from "../../journal/editing/text-edits.ts";
import {
  changedFile,
  filePath,
  hitLimit,
  lineRange,
  linesAnswer,
  linesRead,
  longText,
  oneLine,
  replacement,
  usualHits,
} from "../tool/arguments.ts";
import { defineTool, reads, type Tool, writes } from "../tool/tool.ts";

const path = filePath("Relative to the memory, such as people/anna.md.");

/** Characters of a list. */
const maxCharacters = 48_000;

const memoryList = defineTool({
  name: "memory_list",
  title: "List the memory",
  description: "List the files of the memory, each with its size in bytes and its summary. memory_read returns one.",
  input: { folder: filePath("List only what is below this folder.").optional() },
  output: {
    files: z.array(z.object({ path: z.string(), bytes: z.number().int(), summary: z.string().optional() })),
    is_cut: z.boolean().meta({ description: "Whether there are more." }),
  },
  annotations: reads,
  run({ folder }, { journal }) {
    const below = folder === undefined ? "" : `${folder.replace(/(?<!\/)\/+$/, "")}/`;
    const all = listMemory(journal).filter((file) => file.path.startsWith(below));
    const lines = all.map(({ path: at, bytes, summary }) => `${at} (${bytes} bytes)${summary ? `: ${summary}` : ""}`);
    let left = maxCharacters;
    const shown = lines.filter((line) => (left -= line.length + 1) > 0);
    const isCut = shown.length < lines.length;
    const note = isCut ? [`[${lines.length - shown.length} more: ask with folder]`] : [];
    return {
      text: [...shown, ...note].join("\n") || (below === "" ? "the memory is empty" : `nothing below ${below}`),
      structured: { files: all.slice(0, shown.length), is_cut: isCut },
    };
  },
});

const memoryRead = defineTool({
  name: "memory_read",
  title: "Read the memory",
  description: "Read a file of the memory, or lines of it. A long one is cut; the last line then says how to go on.",
  input: { path, ...lineRange },
  output: { path: z.string(), ...linesRead },
  annotations: reads,
  run({ path: at, from = 1, ...lines }, { journal }) {
    const { text, structured } = linesAnswer(readMemory(journal, at, { from, ...lines }));
    return { text, structured: { path: at, ...structured } };
  },
});

const memorySearch = defineTool({
  name: "memory_search",
  title: "Search the memory",
  description:
    "Search the files of the memory. Finds passages with any of the words, those with all of them first. Returns path:line: text. " +
    "Read on with memory_read.",
  input: { query: oneLine(1_000, "Words to look for, or a question."), limit: hitLimit.optional() },
  output: {
    hits: z.array(
      z.object({
        path: z.string().meta({ description: "Relative to the memory." }),
        line: z.number().int().meta({ description: "From 1." }),
        ts: z.number().int().meta({ description: "When the file was last written, in ms." }),
        snippet: z.string(),
      }),
    ),
    is_cut: z.boolean().meta({ description: "Whether files were left out, since there is too much to look through." }),
  },
  annotations: reads,
  async run({ query, limit = usualHits }, { journal }) {
    const { hits, isCut } = await searchMemory(journal, { query, limit });
    const note = isCut ? ["[the last files weren't looked through]"] : [];
    const text = [...hits.map((hit) => `${hit.path}:${hit.line}: ${hit.snippet}`), ...note].join("\n");
    return {
      text: text || "nothing found: try other words, or memory_list",
      structured: { hits, is_cut: isCut },
    };
  },
});

const memoryWrite = defineTool({
  name: "memory_write",
  title: "Write to the memory",
  description:
    'Write a file of the memory, replacing its content. A line "> Summary: …" near its beginning ' +
    "is the summary that lists of files show.",
  input: { path, content: longText(maxTextBytes, "The whole file, in Markdown.") },
  output: changedFile,
  annotations: writes({ destructive: true, idempotent: true }),
  async run({ path: at, content }, { journal }, once) {
    const { line, changed, replaced } = await writeMemory(journal, at, content, once);
    const what = replaced ? "replaced" : changed ? "written" : "was so already";
    return { text: `${at}: ${what}`, structured: { path: at, line, changed } };
  },
});

const memoryPatch = defineTool({
  name: "memory_patch",
  title: "Change the memory",
  description: "Replace a text in a file of the memory, which must stand there exactly once.",
  input: { path, ...replacement },
  output: changedFile,
  annotations: writes({ destructive: true, idempotent: false }),
  async run({ path: at, old_str, new_str }, { journal }, once) {
    const { line, changed } = await patchMemory(journal, at, { oldText: old_str, newText: new_str }, once);
    return { text: `${at}:${line}: changed`, structured: { path: at, line, changed } };
  },
});

const memoryAppend = defineTool({
  name: "memory_append",
  title: "Add to the memory",
  description: "Add an entry at the end of a file of the memory, which is made where there is none.",
  input: {
    path,
    entry: longText(64 * 1024, "The text to add, in Markdown.").refine(
      (text) => text.trim() !== "",
      "expected text, not blank",
    ),
    summary: oneLine(400, "The summary of the file from now on: replaces its former one.").optional(),
  },
  output: changedFile,
  // The former summary is gone.
  annotations: writes({ destructive: true, idempotent: false }),
  async run({ path: at, ...added }, { journal }, once) {
    const { line, changed } = await appendMemory(journal, at, added, once);
    return { text: `${at}:${line}: added`, structured: { path: at, line, changed } };
  },
});

export const memoryPack: readonly Tool[] = [
  memoryList,
  memoryRead,
  memorySearch,
  memoryWrite,
  memoryPatch,
  memoryAppend,
];
