/** Searching 100,000 passages in seven languages, beside other ways to make words of them; and an agent's history. */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { agentFolder, historyFile } from "../../journal/agents/agent-files.ts";
import { searchHistory } from "../../journal/search/search-history.ts";
import { openSearch } from "../../journal/search/search.ts";
import { matchesOf } from "../../journal/search/search-query.ts";
import type { Benchmark, Row } from "../harness/figures/benchmark.ts";
import { hasInnerWords, Passages } from "../harness/made/passages.ts";
import { OtherSearch, ways } from "../harness/search-ways.ts";
import { median, percentile } from "../harness/figures/spread.ts";

/** Passages of a file. */
const perFile = 1_000;
/** Questions of a round. */
const questions = 240;
/** The number of words whose passages are counted. */
const innerWords = 240;
/** Records of an agent's history. */
const records = 10_000;
const agent = "tz4a98xxat96iws9zmbrgj3a";

type Figures = { median: number[]; ofOwn: number[]; slowest: number[]; found: number; size: number; seconds: number };

export const measure: Benchmark = async ({ rounds, isQuick }) => {
  const count = isQuick ? 5_000 : 100_000;
  const journal = mkdtempSync(join(tmpdir(), "bench-"));
  try {
    const held = writeDays(journal, count);
    const ours = await measureOurs(journal, held, rounds);
    const rows: Row[] = [];
    for (const [name, way] of Object.entries(ways)) {
      using other = new OtherSearch(join(journal, "other.sqlite"), way);
      rows.push(...rowsOf(count, ours, name, await measureOther(other, held, count, rounds), rows.length === 0));
    }
    return [...rows, await historyRow(journal, rounds)];
  } finally {
    rmSync(journal, { recursive: true });
  }
};

/** A word, and how many passages hold it. */
type Held = { word: string; passages: number };

/** Returns words of scripts whose words stand within others, and how many passages hold each. */
function writeDays(journal: string, count: number): Held[] {
  const passages = new Passages(1);
  const asked = new Passages(3);
  const words = Array.from({ length: innerWords }, (_, at) => asked.innerWord(at)).filter((word) => word !== null);
  const held = new Map(words.map((word) => [word, 0]));
  mkdirSync(join(journal, "20250109"), { recursive: true });
  for (let begin = 0; begin < count; begin += perFile) {
    const texts = Array.from({ length: perFile }, (_, at) => passages.passage(begin + at));
    for (const word of held.keys())
      held.set(word, (held.get(word) ?? 0) + texts.filter((text) => text.includes(word)).length);
    const lines = texts.map((text) => JSON.stringify({ text }));
    writeFileSync(join(journal, "20250109", `${begin}.jsonl`), `${lines.join("\n")}\n`);
  }
  return [...held].map(([word, passages]) => ({ word, passages }));
}

/** The share of the passages with a word that are found by it, in percent. */
function shareOf(held: readonly Held[], count: (word: string) => number): number {
  const found = held.map(({ word, passages }) => Math.min(count(word), passages) / passages);
  return (100 * found.reduce((sum, share) => sum + share, 0)) / found.length;
}

async function measureOurs(journal: string, held: readonly Held[], rounds: number): Promise<Figures> {
  using search = openSearch(journal);
  const seconds = (await cpuOf(() => search.refresh())) / 1000;
  // Files that have only just been written are read once more.
  await search.search({ query: "water" });
  const taken = await timesOf(rounds, (query) => search.search({ query }));
  search.close();
  const path = join(journal, ".run/search.sqlite");
  using database = new DatabaseSync(path);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const counted = database.prepare("SELECT count(*) AS n FROM words WHERE words MATCH ?");
  const count = (word: string) => Number(counted.get(matchesOf(word, () => []).next().value ?? "")?.["n"]);
  return { ...taken, seconds, found: shareOf(held, count), size: statSync(path).size / 2 ** 20 };
}

async function measureOther(
  other: OtherSearch,
  held: readonly Held[],
  count: number,
  rounds: number,
): Promise<Figures> {
  const passages = new Passages(1);
  let ms = 0;
  for (let begin = 0; begin < count; begin += perFile) {
    const texts = Array.from({ length: perFile }, (_, at) => passages.passage(begin + at));
    ms += await cpuOf(async () => other.fill(texts, `20250109/${begin}.jsonl`));
  }
  const taken = await timesOf(rounds, async (query) => other.search(query));
  const found = shareOf(held, (word) => other.count(word));
  return { ...taken, seconds: ms / 1000, found, size: other.size() };
}

async function timesOf(
  rounds: number,
  search: (query: string) => Promise<unknown>,
): Promise<Pick<Figures, "median" | "ofOwn" | "slowest">> {
  const figures = { median: [] as number[], ofOwn: [] as number[], slowest: [] as number[] };
  const asked = new Passages(2);
  for (let round = 0; round < rounds; round++) {
    const times: number[] = [];
    const ofOwn: number[] = [];
    for (let at = 0; at < questions; at++) {
      const question = asked.question(at);
      const ms = await cpuOf(() => search(question));
      times.push(ms);
      if (!hasInnerWords(question)) ofOwn.push(ms);
    }
    figures.median.push(median(times));
    figures.ofOwn.push(median(ofOwn));
    figures.slowest.push(percentile(times, 0.99));
  }
  return figures;
}

/** Milliseconds of CPU: a search waits for nothing, and other work on the machine counts less so. */
async function cpuOf(act: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Only what was before is judged; the others explain why search does it in its way. */
function rowsOf(count: number, ours: Figures, name: string, other: Figures, isJudged: boolean): Row[] {
  const among = `search among ${count.toLocaleString("en")} passages in seven languages`;
  const row = (what: string, unit: string, of: (figures: Figures) => number[], target: Row["target"] = null): Row => ({
    what: `${among}: ${what}`,
    unit,
    ours: of(ours),
    comparedWith: { what: name, figures: of(other) },
    target: isJudged ? target : null,
  });
  return [
    row("CPU, median", "ms", (figures) => figures.median),
    row("CPU, median, of English, German and Russian questions alone", "ms", (figures) => figures.ofOwn),
    row("CPU, 99 of 100", "ms", (figures) => figures.slowest),
    row("of those that hold a Chinese, Japanese, Korean or Thai word, found by it", "%", (figures) => [figures.found]),
    row("size of the index", "MiB", (figures) => [figures.size], { atMost: 1.25 }),
    row("making it, CPU", "s", (figures) => [figures.seconds]),
  ];
}

async function historyRow(journal: string, rounds: number): Promise<Row> {
  const passages = new Passages(1);
  const run_id = "1736380800001";
  const lines = Array.from({ length: records }, (_, at) => {
    const base = { ts: at, id: `i${at}`, ...(at % 2 === 1 && { run_id }) };
    return JSON.stringify({ ...base, type: at % 2 === 1 ? "assistant" : "user", text: passages.passage(at) });
  });
  mkdirSync(agentFolder(journal, agent), { recursive: true });
  writeFileSync(historyFile(journal, agent), `${lines.join("\n")}\n`);
  const times: number[] = [];
  const asked = new Passages(2);
  for (let round = 0; round < rounds; round++) {
    const query = asked.question(round);
    times.push(await cpuOf(() => searchHistory(journal, agent, { query, limit: 10 })));
  }
  const what = `an agent's history of ${records.toLocaleString("en")} records: searched, CPU`;
  return { what, unit: "ms", ours: times, target: { atMost: 500 } };
}
