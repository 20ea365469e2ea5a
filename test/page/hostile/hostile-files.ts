/** Hostile texts in every file of a journal that the page shows: what a person may have written there, or a run. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeHostileRun } from "../views/hostile-runs.ts";
import { asFileName, cutTo, type HostileKind, sendable } from "./corpus.ts";

/** The day whose folder has the notes of a kind, from its number. */
export const dayOfKind = (at: number): string => `202502${String(at + 10)}`;

const longestInFiles = 1_000_000;

export type HostileRuns = { ended: string; failed: string };

/** Writes them. @returns the ids of the runs of each kind */
export function writeHostileFiles(journal: string, kinds: readonly HostileKind[]): HostileRuns[] {
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(journal, path)), { recursive: true });
    writeFileSync(join(journal, path), text);
  };
  mkdirSync(join(journal, ".run/logs"), { recursive: true });
  // Of a program that doesn't run: its file is anybody's.
  const log = (...lines: string[]) =>
    appendFileSync(join(journal, ".run/logs/channel-telegram.log"), lines.map((line) => `${line}\n`).join(""));
  // The end of a log is shown: a line of a megabyte hides those before it.
  for (const { name, text } of kinds.toSorted((one, other) => other.text.length - one.text.length)) {
    const record = { level: 50, time: Date.now(), name: "channel-telegram", msg: text, [name]: { [name]: text } };
    log(JSON.stringify(record), ...text.split("\n").slice(0, 40));
  }
  const begin = Date.now() - 120_000;
  return kinds.map(({ sign, name, text: whole }, at) => {
    const text = cutTo(whole, longestInFiles);
    // A file with what ends a text is taken for none; what JSON holds may have it.
    const plain = sendable(whole, longestInFiles);
    const line = name.replaceAll("\n", " ");
    const persona = { title: name, description: cutTo(text, 20_000), model: name, other: [cutTo(text, 50_000)] };
    write(`personas/${sign}.txt`, `${sendable(text, 50_000)}\n`);
    // At hours that come only once a year.
    const schedule = {
      schedule: `${at} 4 29 2 *`,
      identity: { name },
      text_is_reply: true,
      tools: "voice, tasks, todo",
    };
    write(`personas/${sign}.json`, JSON.stringify({ ...persona, ...schedule }));
    write(
      `skills/${sign}/SKILL.md`,
      `---\nname: ${sign}\ndescription: ${JSON.stringify(cutTo(name, 200))}\n---\n${sendable(text, 50_000)}\n`,
    );
    write(`memory/people/${sign}.md`, `# ${line}\n\n> Summary: ${line}\n\n${sendable(text, 100_000)}\n`);
    const day = dayOfKind(at);
    write(`${day}/notes.md`, `# ${line}\n\n${plain}\n`);
    write(`${day}/${asFileName(name)}.md`, `# ${name}\n\n${plain}\n`);
    write(`${day}/plain.txt`, plain);
    write(`facets/${sign}/facet.json`, JSON.stringify({ title: name, description: cutTo(text, 20_000), color: name }));
    write(
      `facets/${sign}/entities.jsonl`,
      `${JSON.stringify({ type: name, name, description: cutTo(text, 20_000) })}\n`,
    );
    const event = { title: name, start: name, end: name, summary: cutTo(text, 20_000) };
    write(`facets/${sign}/events/${day}.jsonl`, `${JSON.stringify(event)}\n`);
    write(`facets/${sign}/todos/${day}.md`, `- [ ] ${line}\n- [x] ${cutTo(text, 20_000)}\n`);
    write(`facets/${sign}/news/${day}.md`, `# ${line}\n\n${plain}\n`);
    return {
      ended: writeHostileRun(journal, begin + 2000 * at, text, false, name),
      failed: writeHostileRun(journal, begin + 2000 * at + 1000, text, true, name),
    };
  });
}
