import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openSearch, type Search } from "../../journal/search/search.ts";
import { watchSearch } from "../../journal/search/search-watch.ts";
import { patienceMs } from "../support/patience.ts";

/** Longer than the clocks of file systems are coarse. */
const settledMs = 150;

let journal: string;
let problems: string[];
let opened: Search[];

beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "search-"));
  problems = [];
  opened = [];
});
afterEach(() => {
  for (const search of opened) search.close();
  rmSync(journal, { recursive: true, force: true });
});

function open(): Search {
  const search = openSearch(journal, { onProblem: (path) => problems.push(path) });
  opened.push(search);
  return search;
}

function write(path: string, content: string | Buffer): string {
  const file = join(journal, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

async function find(search: Search, query: string, more: object = {}): Promise<string[]> {
  return (await search.search({ query, ...more })).map(({ path, line }) => `${path}:${line}`);
}

const index = () => join(journal, ".run/search.sqlite");

async function built(): Promise<void> {
  for (let part = 0; part < 300; part++) write(`20250109/${part}.md`, `walrus ${part} ${"text ".repeat(100)}\n`);
  // Files that have only just been written are read again: then nothing of the index would be left to be damaged.
  const { ctimeMs } = statSync(join(journal, "20250109/299.md"));
  while (Date.now() - ctimeMs < settledMs) await delay(10);
  const search = open();
  await search.refresh();
  search.close();
}

describe("what is found", () => {
  test("every kind of file of days and facets, with its line, day and facet", async () => {
    write("20250109/notes.md", "# Trip\n\nWe saw a walrus.\n");
    write("20250109/talks/call.txt", "Ada: hello\nBen: a walrus!\n");
    write("20250109/log.jsonl", '{"a":1}\n{"text":"walrus"}\n');
    write("facets/sea/facet.json", '{\n  "title": "The sea",\n  "description": "Walrus watching"\n}\n');
    write("facets/sea/events/20250110.jsonl", '{"title":"Walrus seen","occurred":false}\n');
    write("facets/sea/news/20250111.md", "The walrus is back.\n");
    write("facets/sea/todos/20250112.md", "- [ ] other\n- [ ] feed the walrus\n");
    write("facets/sea/entities.jsonl", '{"type":"animal","name":"Walrus"}\n');
    const hits = await open().search({ query: "walrus" });
    const places = hits.map(({ path, line, day, facet }) => [path, line, day, facet]);
    expect(places.toSorted(([a], [b]) => ((a ?? "") < (b ?? "") ? -1 : 1))).toEqual([
      ["20250109/log.jsonl", 2, "20250109", null],
      ["20250109/notes.md", 3, "20250109", null],
      ["20250109/talks/call.txt", 2, "20250109", null],
      ["facets/sea/entities.jsonl", 1, null, "sea"],
      ["facets/sea/events/20250110.jsonl", 1, "20250110", "sea"],
      ["facets/sea/facet.json", 3, null, "sea"],
      ["facets/sea/news/20250111.md", 1, "20250111", "sea"],
      ["facets/sea/todos/20250112.md", 2, "20250112", "sea"],
    ]);
    expect(hits.find(({ path }) => path.endsWith("20250110.jsonl"))?.snippet).toBe("Walrus seen · (planned)");
  });

  test("the rest of the journal and hidden files aren't found", async () => {
    const rest = [
      "runs/20250109/1736380800000.jsonl",
      "agents/x/history.jsonl",
      "memory/a.md",
      ".run/a.md",
      ".state/a.md",
      "20250109/.hidden.md",
      "20250109/.git/a.md",
      "20250109/a.png",
      "20251399/a.md",
      "facets/sea/other/a.md",
      "facets/Sea/news/a.md",
      "cortex.json",
    ];
    for (const path of rest) write(path, "walrus\n");
    expect(await find(open(), "walrus")).toEqual([]);
  });

  test("plurals, other endings, beginnings, accents and capitals", async () => {
    write("20250109/a.md", "The Heaters were MENDED in the café.\n");
    const search = open();
    for (const query of ["heater", "heat", "mending", "cafe", "CAFÉ", "cafe\u0301s"])
      expect([query, await find(search, query)]).toEqual([query, ["20250109/a.md:1"]]);
    expect(await find(search, "he")).toEqual([]);
  });

  test("a passage with all words comes before one with some, and the words of a heading count", async () => {
    write("20250101/some.md", "heater heater heater\n");
    write(
      "20250102/all.md",
      `A long text about many things, ${"and so on, ".repeat(20)} and the greenhouse has a heater.\n`,
    );
    write("20250103/heading.md", `# Greenhouse\n\n${"Filler text. ".repeat(40)}\n\nThe stove stands on a stone.\n`);
    const search = open();
    expect(await find(search, "greenhouse heater", { limit: 2 })).toEqual(["20250102/all.md:1", "20250101/some.md:1"]);
    expect(await find(search, "greenhouse stove", { limit: 1 })).toEqual(["20250103/heading.md:5"]);
  });

  test("days, facet and limit bound it", async () => {
    for (let day = 20250101; day <= 20250131; day++) write(`${day}/a.md`, "walrus\n");
    for (let part = 0; part < 40; part++) write(`20250115/${part}.md`, "walrus\n");
    write("facets/sea/news/20250103.md", "walrus\n");
    const search = open();
    expect((await find(search, "walrus", { day_from: "20250102", day_to: "20250104" })).toSorted()).toEqual([
      "20250102/a.md:1",
      "20250103/a.md:1",
      "20250104/a.md:1",
      "facets/sea/news/20250103.md:1",
    ]);
    expect(await find(search, "walrus", { facet: "sea" })).toEqual(["facets/sea/news/20250103.md:1"]);
    expect(await find(search, "walrus", { day_to: "20241231" })).toEqual([]);
    expect(await find(search, "walrus")).toHaveLength(10);
    expect(await find(search, "walrus", { limit: 1e9 })).toHaveLength(50);
    expect(await find(search, "walrus", { limit: -1 })).toHaveLength(1);
  });

  test("each hit is its own passage, shown around the match", async () => {
    write(
      "20250109/long.txt",
      Array.from({ length: 3_000 }, (_, index) => `The fox jumps over number ${index + 1}.\n`).join(""),
    );
    write("20250109/wide.txt", `${"bla ".repeat(1_100)}walrus ${"bla ".repeat(1_000)}`);
    const search = open();
    const [hit] = await search.search({ query: "fox 2345" });
    expect([hit?.line, hit?.snippet.slice(0, 32)]).toEqual([2345, "The fox jumps over number 2345. "]);
    const all = await search.search({ query: "fox", limit: 50 });
    expect(new Set(all.map(({ line }) => line)).size).toBe(50);
    for (const { line, snippet } of all) expect(snippet).toMatch(new RegExp(`^The fox jumps over number ${line}\\.`));
    const [wide] = await search.search({ query: "walrus" });
    expect(wide?.snippet).toMatch(/^… .*walrus.* …$/);
    expect(wide?.snippet.length).toBeLessThan(320);
  });

  test("no control or format character of a file gets into a result", async () => {
    write("20250109/a.md", "walrus \u001b[31mred\u0001\u0002 \u202egnp.exe\u200b\n");
    const [hit] = await open().search({ query: "walrus" });
    expect(hit?.snippet).toBe("walrus [31mred gnp.exe");
  });
});

describe("whatever is asked", () => {
  const hostile = [
    '"',
    '""',
    "*",
    "a*",
    "NEAR(",
    "NEAR(a b, 2)",
    "AND",
    "a AND",
    "OR OR",
    "NOT x",
    "body:x",
    "{body}:x",
    "-x",
    "^x",
    "(",
    "a + b",
    "'; DROP TABLE files; --",
    "\0",
    "a\0b",
    "🦭",
    "👩‍👩‍👧",
    "ß",
    "x".repeat(10_000),
    "walrus ".repeat(2_000),
    '"'.repeat(10_000),
    Array.from({ length: 3_000 }, (_, index) => `w${index}`).join(" "),
    "\ud800",
    "的",
    "%",
    "_",
    "e\u0301",
  ];

  test("no text of a query is an error", async () => {
    write("20250109/a.md", "walrus and NEAR x\n");
    const search = open();
    for (const query of hostile) {
      const hits = await search.search({ query }).catch((error: unknown) => String(error));
      expect([query.slice(0, 50), Array.isArray(hits)]).toEqual([query.slice(0, 50), true]);
    }
    expect(await find(search, 'NEAR("walrus*')).toEqual(["20250109/a.md:1"]);
    expect(problems).toEqual([]);
  });
});

describe("whatever the files hold", () => {
  test("invalid UTF-8, torn lines, endless lines and empty files are read as far as they go", async () => {
    write(
      "20250109/bytes.md",
      Buffer.concat([
        Buffer.from("wal\nwalrus \xff"),
        Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0, 10]),
        Buffer.from("otter"),
      ]),
    );
    write("facets/sea/events/20250109.jsonl", '{"title":"walrus"}\n\n42\n[1]\nnull\n"x"\n{"title":"otter torn');
    write("20250109/endless.jsonl", `{"text":"walrus ${"y".repeat(20_000_000)}"}\n{"text":"walrus"}`);
    write("20250109/empty.md", "");
    write("20250109/deep.jsonl", `${"[".repeat(100_000)}\n{"text":"walrus"}\n`);
    const search = open();
    expect((await find(search, "walrus")).toSorted()).toEqual([
      "20250109/bytes.md:2",
      "20250109/deep.jsonl:2",
      "20250109/endless.jsonl:1",
      "20250109/endless.jsonl:2",
      "facets/sea/events/20250109.jsonl:1",
    ]);
    expect((await find(search, "otter")).toSorted()).toEqual([
      "20250109/bytes.md:3",
      "facets/sea/events/20250109.jsonl:7",
    ]);
    expect(problems).toEqual([]);
  });

  test("50 MB are indexed to the last line, while others get their turn", async () => {
    const line = "The quick brown fox jumps over the lazy dog. ";
    write("20250109/big.txt", `${`${line}\n`.repeat(1_100_000)}walrus\n`);
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    expect(await find(open(), "walrus")).toEqual(["20250109/big.txt:1100001"]);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(20);
  });

  test("a link is never followed, wherever it leads", async () => {
    const outside = mkdtempSync(join(tmpdir(), "outside-"));
    writeFileSync(join(outside, "a.md"), "walrus\n");
    write("memory/a.md", "walrus\n");
    mkdirSync(join(journal, "20250109"));
    symlinkSync(join(outside, "a.md"), join(journal, "20250109", "a.md"));
    symlinkSync(outside, join(journal, "20250110"));
    symlinkSync(outside, join(journal, "20250109", "sub"));
    symlinkSync(join(journal, "memory/a.md"), join(journal, "20250109", "b.md"));
    symlinkSync(journal, join(journal, "20250109", "loop"));
    expect(await find(open(), "walrus")).toEqual([]);
    rmSync(outside, { recursive: true });
  });

  test("an entry that isn't a file is passed over, and a FIFO isn't waited for", async () => {
    mkdirSync(join(journal, "20250109", "folder.md"), { recursive: true });
    spawnSync("mkfifo", [join(journal, "20250109", "fifo.md")]);
    write("20250109/a.md", "walrus\n");
    expect(await find(open(), "walrus")).toEqual(["20250109/a.md:1"]);
  });

  // The superuser reads everything.
  test.skipIf(process.getuid?.() === 0)("what can't be read is told once, and the rest is found", async () => {
    chmodSync(write("20250109/closed.md", "walrus\n"), 0);
    write("20250109/a.md", "walrus\n");
    mkdirSync(join(journal, "20250110"), { mode: 0 });
    chmodSync(dirname(write("20250111/a.md", "walrus\n")), 0o444);
    const search = open();
    expect(await find(search, "walrus")).toEqual(["20250109/a.md:1"]);
    await search.refresh();
    expect(problems.toSorted()).toEqual(["20250109/closed.md", "20250110"]);
    for (const day of ["20250110", "20250111"]) chmodSync(join(journal, day), 0o755);
  });

  test("a journal reached through a link is the same journal", async () => {
    write("20250109/a.md", "walrus\n");
    const link = `${journal}-link`;
    symlinkSync(journal, link);
    using search = openSearch(link);
    expect(await find(search, "walrus")).toEqual(["20250109/a.md:1"]);
    rmSync(link);
  });
});

describe("as the files change", () => {
  test("a file written, changed, renamed or deleted before a search counts in it", async () => {
    const search = open();
    expect(await find(search, "walrus")).toEqual([]);
    const file = write("20250109/a.md", "walrus\n");
    expect(await find(search, "walrus")).toEqual(["20250109/a.md:1"]);
    appendFileSync(file, "\nanother walrus, and an otter\n");
    expect(await find(search, "otter")).toEqual(["20250109/a.md:3"]);
    renameSync(file, join(journal, "20250109", "b.md"));
    expect(await find(search, "otter")).toEqual(["20250109/b.md:3"]);
    rmSync(join(journal, "20250109"), { recursive: true });
    expect(await find(search, "otter")).toEqual([]);
  });

  test("a change that leaves size and times as they were is seen", async () => {
    const search = open();
    for (const word of ["walrus", "otters", "badger", "rabbit"]) {
      const file = write("20250109/a.md", word);
      utimesSync(file, new Date(0), new Date(0));
      expect([word, await find(search, word)]).toEqual([word, ["20250109/a.md:1"]]);
    }
  });

  test("only what has changed is read again at the next start", async () => {
    const file = write("20250109/a.md", "walrus\n");
    write("20250109/b.md", "otter\n");
    const first = open();
    await first.refresh();
    // The times of the files are then old enough to be believed.
    await vi.waitUntil(() => Date.now() - statSync(file).ctimeMs > settledMs, patienceMs);
    await first.refresh();
    first.close();
    const before = statSync(join(journal, ".run/search.sqlite")).mtimeMs;
    const second = open();
    expect(await find(second, "walrus")).toEqual(["20250109/a.md:1"]);
    second.close();
    expect(statSync(join(journal, ".run/search.sqlite")).mtimeMs).toBe(before);
    write("20250109/b.md", "walrus\n");
    expect(await find(open(), "walrus")).toHaveLength(2);
  });

  test("many searches at once, while files come, all find what was there before them", async () => {
    const search = open();
    const found = Array.from({ length: 40 }, (_, index) => {
      write(`20250109/${index}.md`, `walrus number${index}\n`);
      return find(search, `number${index}x number${index}`);
    });
    for (const [index, hits] of (await Promise.all(found)).entries()) expect(hits).toContain(`20250109/${index}.md:1`);
  });
});

describe("watching", () => {
  test("changes reach the index without a search", async () => {
    write("20250109/a.md", "walrus\n");
    const search = open();
    const changed: string[] = [];
    const watched = Promise.withResolvers<boolean>();
    const spied: Search = {
      ...search,
      changed: (path) => void changed.push(path),
      setWatched: watched.resolve,
    };
    await using _watch = watchSearch(journal, spied, (error) => problems.push(String(error)));
    expect(await watched.promise).toBe(true);
    write("20250109/a.md", "otter\n");
    write("20250110/sub/b.md", "otter\n");
    write("facets/sea/events/20250110.jsonl", '{"title":"otter"}\n');
    write("runs/20250110/1.jsonl", "{}\n");
    write(".run/x.md", "otter\n");
    write("20250110/c.png", "otter\n");
    const wanted = ["20250109/a.md", "20250110/sub/b.md", "facets/sea/events/20250110.jsonl"];
    await vi.waitUntil(() => wanted.every((path) => changed.includes(path)), patienceMs);
    rmSync(join(journal, "20250109/a.md"));
    changed.length = 0;
    await vi.waitUntil(() => changed.includes("20250109/a.md"), patienceMs);
    for (const path of changed) expect(path).not.toMatch(/^(runs|\.run)|png$/);
    expect(problems).toEqual([]);
  });

  test("in a journal too big to look through, the flagged files alone are read before a search", async () => {
    for (let index = 0; index < 5_001; index++) write(`20250109/${index % 50}/${index}.md`, `n${index}\n`);
    const search = open();
    search.setWatched(true);
    await search.refresh();
    write("20250109/0/0.md", "walrus\n");
    write("20250110/a.md", "walrus\n");
    expect(await find(search, "walrus"), "nobody told of it").toEqual([]);
    search.changed("20250109/0/0.md");
    search.changed("20250110");
    expect((await find(search, "walrus")).toSorted()).toEqual(["20250109/0/0.md:1", "20250110/a.md:1"]);
    rmSync(join(journal, "20250110"), { recursive: true });
    search.changed("20250110");
    expect(await find(search, "walrus")).toEqual(["20250109/0/0.md:1"]);
    write("20250110/a.md", "walrus\n");
    search.setWatched(false);
    expect(await find(search, "walrus"), "the watch is gone").toHaveLength(2);
  });
});

describe("an index that is no use", () => {
  test.each([
    ["missing", () => rmSync(index())],
    [
      "no database",
      () =>
        writeFileSync(index(), "this is not a database, only text that is long enough to be taken for one ".repeat(50)),
    ],
    ["empty", () => writeFileSync(index(), "")],
    ["torn", () => writeFileSync(index(), Buffer.alloc(3_000, 1))],
  ])("%s: it is built anew", async (_, damage) => {
    await built();
    damage();
    expect(await find(open(), "walrus 123")).toContain("20250109/123.md:1");
  });

  test("damaged inside: it is built anew, and that is told", async () => {
    await built();
    const size = statSync(index()).size;
    const file = openSync(index(), "r+");
    for (let page = 2; page * 4096 < size; page++) writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, page * 4096);
    closeSync(file);
    expect(await find(open(), "walrus 123")).toContain("20250109/123.md:1");
    expect(problems.length).toBeGreaterThan(0);
  });

  test.each([
    "UPDATE words_data SET block = x'00' WHERE id > 10",
    "DELETE FROM words_docsize",
    "DELETE FROM words_content",
  ])("damaged so that only a search finds it out (%s): it is built anew", async (damage) => {
    await built();
    const database = new DatabaseSync(index(), { defensive: false });
    database.exec(damage);
    database.close();
    const search = open();
    expect(await find(search, "walrus 123")).toContain("20250109/123.md:1");
    expect(problems.length).toBeGreaterThan(0);
  });

  test("an index of another version is built anew", async () => {
    await built();
    const database = new DatabaseSync(index());
    database.exec("DELETE FROM words; PRAGMA user_version = 999");
    database.close();
    expect(await find(open(), "walrus 123")).toContain("20250109/123.md:1");
  });

  test("locked by somebody else, it says so, and goes on when the lock is gone", async () => {
    const search = open();
    await search.refresh();
    const other = new DatabaseSync(index());
    other.exec("BEGIN IMMEDIATE");
    for (let part = 0; part < 20; part++) write(`20250109/${part}.md`, `walrus w${part}x\n`);
    await expect(search.search({ query: "walrus" })).rejects.toThrow("locked");
    other.exec("ROLLBACK");
    other.close();
    for (const part of [0, 19]) expect(await find(search, `w${part}x`)).toEqual([`20250109/${part}.md:1`]);
  });

  test("rebuilt at will, also while searches run", async () => {
    await built();
    const search = open();
    const results = await Promise.all([
      find(search, "walrus 5"),
      search.rebuild(),
      find(search, "walrus 7"),
      search.rebuild(),
      find(search, "walrus 9"),
    ]);
    expect(results[4]).toContain("20250109/9.md:1");
    expect(existsSync(index())).toBe(true);
  });

  test("a process that is killed while it writes leaves one that the next goes on with", async () => {
    for (let part = 0; part < 2_000; part++) write(`20250109/${part}.md`, `walrus w${part}x\n`);
    const module = pathToFileURL(fileURLToPath(new URL("../../journal/search/search.ts", import.meta.url))).href;
    const program = `
      const { openSearch } = await import(${JSON.stringify(module)});
      openSearch(${JSON.stringify(journal)});
      setTimeout(() => process.kill(process.pid, "SIGKILL"), 60);
    `;
    const { signal, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
    });
    expect([signal, stderr]).toEqual(["SIGKILL", ""]);
    const search = open();
    for (const part of [0, 999, 1_999]) expect(await find(search, `w${part}x`)).toEqual([`20250109/${part}.md:1`]);
  });
});

test("closed, it is quiet: a search says so, and a reading under way ends", async () => {
  for (let part = 0; part < 500; part++) write(`20250109/${part}.md`, "walrus\n");
  const search = open();
  const refreshed = search.refresh();
  search.close();
  search.close();
  await refreshed;
  await expect(search.search({ query: "walrus" })).rejects.toThrow("closed");
  expect(problems).toEqual([]);
});

test("an aborted signal closes it", async () => {
  const stop = new AbortController();
  const search = openSearch(journal, { signal: stop.signal });
  await search.refresh();
  stop.abort();
  await expect(search.search({ query: "walrus" })).rejects.toThrow("closed");
});
