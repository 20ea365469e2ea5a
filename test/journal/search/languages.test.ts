import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSearch, type Search } from "../../../journal/search/search.ts";

let journal: string;
let search: Search;

beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "search-languages-"));
  search = openSearch(journal);
});
afterEach(() => {
  search.close();
  rmSync(journal, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(journal, path)), { recursive: true });
  writeFileSync(join(journal, path), text);
}

const find = async (query: string) => (await search.search({ query })).map(({ path, line }) => `${path}:${line}`);
const snippetFor = async (query: string) => (await search.search({ query }))[0]?.snippet;

describe("a word is found within a sentence of its language", () => {
  const other = "The walrus came back to the pier.\n";

  test.each([
    ["Chinese", "我们昨天查了北京天气的情况", ["北京", "天气", "北京天气", "京", "北京的天气怎么样？", "昨天"]],
    ["traditional Chinese", "我們昨天查了臺北的天氣", ["臺北", "天氣"]],
    ["Japanese", "昨日は東京タワーで会議をしました", ["東京", "タワー", "東京タワー", "会議", "東京の会議"]],
    ["Korean", "어제 서울에서 주간회의를 했다", ["서울", "회의", "회의를", "회의가", "서울의 회의"]],
    ["Thai", "เมื่อวานฉันไปประชุมที่กรุงเทพมหานคร", ["กรุงเทพ", "ประชุม", "ประชุมกรุงเทพ"]],
    ["Lao", "ຂ້ອຍອາໄສຢູ່ນະຄອນຫຼວງວຽງຈັນ", ["ວຽງຈັນ"]],
    ["Khmer", "ខ្ញុំរស់នៅក្នុងទីក្រុងភ្នំពេញ", ["ភ្នំពេញ"]],
    ["Burmese", "ကျွန်တော်ရန်ကုန်မြို့မှာနေတယ်", ["ရန်ကုန်"]],
    ["Hindi", "कल हमने दिल्ली का मौसम देखा", ["दिल्ली", "मौसम"]],
    ["Arabic", "ذَهَبْنَا إِلَى المَكْتَبَة أمس", ["المكتبة", "المَكْتَبَة"]],
    ["Hebrew", "הָלַכְנוּ לַסִּפְרִיָּה", ["לספריה"]],
    ["Vietnamese", "Hôm qua chúng tôi ở Hà Nội", ["Hà Nội", "ha noi"]],
    ["Russian", "Вчера мы обсуждали договор", ["договор", "ДОГОВОР"]],
    ["Chinese with Latin", "新的iPhone手机壳到了2024年", ["iphone", "手机", "2024"]],
    ["full-width letters", "会議はＡＢＣ１２３号室", ["abc123", "ＡＢＣ１２３"]],
    ["decomposed letters", "한국어 메모 café".normalize("NFD"), ["한국어", "café", "cafe"]],
  ])("%s", async (_, text, queries) => {
    write("20250109/other.md", other);
    write("20250109/text.md", `${text}\n`);
    for (const query of queries) expect([query, await find(query)]).toEqual([query, ["20250109/text.md:1"]]);
  });

  test("letters that stand apart from each other are another word", async () => {
    write("20250109/a.md", "京都在北方。มานี มีนา. 서초구 주울 사람.\n");
    for (const query of ["北京", "มี นี", "서울"]) expect([query, await find(query)]).toEqual([query, expect.any(Array)]);
    expect(await find("北京")).toEqual([]);
    expect(await find("서울")).toEqual([]);
    expect(await find("มานา")).toEqual([]);
  });

  test("a question leaves out the words that questions are made with, and finds passages with all others first", async () => {
    write("20250101/some.md", "上海天气天气天气\n");
    write("20250102/all.md", `我们昨天查了北京天气的情况。${"另外还说了很多别的话。".repeat(20)}\n`);
    expect(await find("今天北京的天气")).toEqual(["20250102/all.md:1", "20250101/some.md:1"]);
  });
});

describe("a compound is found by its parts", () => {
  test("in German and its neighbours, also with umlauts, in any case", async () => {
    write("20250109/de.md", "Die Krankenversicherungsbeiträge steigen.\n");
    write("20250109/nl.md", "De ziekteverzekering belt.\n");
    write("20250109/sv.md", "Ny sjukförsäkring i år.\n");
    for (const [query, path] of [
      ["Versicherung", "de"],
      ["beiträge", "de"],
      ["BEITRAGE", "de"],
      ["verzekering", "nl"],
      ["försäkring", "sv"],
    ])
      expect([query, await find(query ?? "")]).toEqual([query, [`20250109/${path}.md:1`]]);
  });

  test("behind the word itself, and together with other words before passages with only some", async () => {
    write("20250101/whole.md", "Die Versicherung hat geschrieben.\n");
    write("20250102/part.md", "Eine Krankenversicherung in Hamburg.\n");
    write("20250103/some.md", "Versicherung, Versicherung, Versicherung.\n");
    expect((await find("Versicherung")).at(-1)).toBe("20250102/part.md:1");
    expect((await find("Versicherung Hamburg"))[0]).toBe("20250102/part.md:1");
  });

  test("where enough stands before the part: a freighter isn't made of eight, nor a word of four letters", async () => {
    write("20250109/a.md", "The freighter of a third party, in neverland.\n");
    for (const query of ["eight", "land"]) expect([query, await find(query)]).toEqual([query, []]);
  });

  test("no longer, when its file has gone", async () => {
    write("20250109/de.md", "Krankenversicherung\n");
    expect(await find("Versicherung")).toHaveLength(1);
    rmSync(join(journal, "20250109/de.md"));
    expect(await find("Versicherung")).toEqual([]);
  });
});

describe("what is shown", () => {
  test("the text as it was written, from the line of the match", async () => {
    write("20250109/a.md", "第一行\n第二行\n我们昨天查了北京天气的情况\n第四行\n");
    expect(await find("北京")).toEqual(["20250109/a.md:3"]);
    expect(await snippetFor("北京")).toBe("我们昨天查了北京天气的情况 第四行");
  });

  test("a long line without blanks from shortly before the match, as much of it as of any other, no character halved", async () => {
    write("20250109/a.md", `${"𠀀甲乙丙".repeat(200)}北京天气${"𠀀丁戊己".repeat(200)}\n`);
    const snippet = (await snippetFor("北京")) ?? "";
    expect(snippet).toMatch(/^… .{80,130}北京天气.{150,250} …$/);
    expect(snippet.isWellFormed()).toBe(true);
  });

  test("a line that is longer than a piece is cut behind a sentence, so that no word is lost", async () => {
    const before = `${"甲乙丙丁。".repeat(399)}戊己庚`;
    write("20250109/a.md", `${before}北京天气很好。${"甲乙丙丁".repeat(600)}\n`);
    expect(before.length).toBe(1998);
    expect(await find("北京天气")).toEqual(["20250109/a.md:1"]);
  });

  test("days are listed as they were written", async () => {
    write("20250109/a.md", "北京天气\n");
    expect(await search.search({ query: "*", day_from: "20250109" })).toMatchObject([{ snippet: "北京天气" }]);
  });
});

test("an index of the format before is built anew by itself", async () => {
  write("20250109/a.md", "我们昨天查了北京天气的情况\n");
  await search.refresh();
  search.close();
  rmSync(join(journal, ".run/search.sqlite"));
  const former = new DatabaseSync(join(journal, ".run/search.sqlite"));
  former.exec(`
    CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL, day TEXT, facet TEXT, stamp TEXT);
    CREATE TABLE pieces (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, line INTEGER NOT NULL);
    CREATE VIRTUAL TABLE words USING fts5 (body, heading, tokenize = 'porter unicode61 remove_diacritics 2');
    PRAGMA user_version = 1;
  `);
  former.close();
  search = openSearch(journal);
  expect(await find("北京")).toEqual(["20250109/a.md:1"]);
});

test("questions of any script, however long or odd, are no errors", async () => {
  write("20250109/a.md", "北京 Krankenversicherung\n");
  const letters = [
    "北",
    "ア",
    "ー",
    "々",
    "가",
    "ก",
    "ำ",
    "ກ",
    "ក",
    "က",
    "\u3099",
    "\u0301",
    "\u{20000}",
    "\u{e0100}",
    "\ue000",
  ];
  const odd = [...letters, ...letters.map((one) => one.repeat(5_000)), letters.join("").repeat(300), '北"京', "北*京*"];
  const many = Array.from({ length: 40 }, (_, at) => `versicherung${"ab".repeat(at)}`).join(" ");
  for (const query of [...odd, many, "ｱ".repeat(20_000), "ﷺ".repeat(16_000)])
    expect(await search.search({ query })).toBeInstanceOf(Array);
});
