import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { exampleTools } from "../example-tools.ts";
import { patienceMs } from "../../support/patience.ts";

const tools = exampleTools();
const { journal, call } = tools;
const newsOf = (facet: string, day: string) => join(journal, "facets", facet, "news", `${day}.md`);

test("list_facets names all of them, with what each is about", async () => {
  mkdirSync(join(journal, "facets", "old"));
  writeFileSync(join(journal, "facets", "old", "facet.json"), '{"muted":true,"owner":"Ada"}');
  const { content, structuredContent } = await tools.client.callTool({ name: "list_facets", arguments: {} });
  expect(JSON.stringify(content)).toContain("garden: Garden and house: The greenhouse");
  expect(JSON.stringify(content)).toContain("old: old (muted)");
  expect(structuredContent).toMatchObject({ facets: [{ name: "garden" }, {}, {}, { name: "old", owner: "Ada" }] });
  expect((await call("list_facets", { facet: "garden" })).text).toContain("It takes no arguments.");
});

test("get_facet is in this pack as well, and a file that can't be read doesn't hide the rest", async () => {
  mkdirSync(join(journal, "facets", "odd"));
  symlinkSync(join(journal, "cortex.json"), join(journal, "facets", "odd", "entities.jsonl"));
  const { text, isError } = await call("get_facet", { facet: "odd" });
  expect([isError, text]).toEqual([false, expect.stringContaining("[facets/odd/entities.jsonl can't be used: it, or")]);
  expect(text).not.toContain(journal);
});

describe("facet_news", () => {
  test("reads a day's news, or the latest", async () => {
    const { text } = await call("facet_news", { facet: "garden", day: "20250119" });
    expect(text).toContain("facets/garden/news/20250119.md:\n# Garden and house, week of 13 January");
    expect((await call("facet_news", { facet: "garden" })).text).toBe(text);
    expect(await call("facet_news", { facet: "garden", day: "20250118" })).toEqual({
      text: 'no news of 20250118 in facet "garden": the latest are of 20250119',
      isError: false,
    });
    expect((await call("facet_news", { facet: "old" })).text).toContain("it has none yet");
  });

  test("writes a day's news, says when it replaces others, and search finds them", async () => {
    const written = { facet: "music", day: "20250120", text: "# Music\n\nThe theremin has arrived." };
    expect((await call("facet_news", written)).text).toBe("facets/music/news/20250120.md: written");
    expect(readFileSync(newsOf("music", "20250120"), "utf8")).toBe(`${written.text}\n`);
    expect((await call("facet_news", written)).text).toContain("was so already");
    expect((await call("facet_news", { ...written, text: `${written.text}\n\nIt hums.` })).text).toContain("replaced");
    await vi.waitFor(
      async () =>
        expect((await call("search_journal", { query: "theremin hums" })).text).toContain(
          "facets/music/news/20250120.md",
        ),
      patienceMs,
    );
  });

  test("of a long one says how to read on", async () => {
    writeFileSync(newsOf("music", "20250121"), "line\n".repeat(600));
    const { content, structuredContent } = await tools.client.callTool({
      name: "facet_news",
      arguments: { facet: "music", day: "20250121" },
    });
    expect(JSON.stringify(content)).toContain("[cut after line 500: go on with get_resource, from: 501]");
    expect(structuredContent).toMatchObject({ is_cut: true });
  });

  test.each([
    [{ facet: "nobody", text: "x" }, "the facets are garden, harbor, music"],
    [{ facet: "garden", text: " \n" }, "text: expected text, not blank"],
    [{ facet: "garden", text: "a\0" }, "text: expected text, not blank"],
    [{ facet: "garden", day: "../20250101", text: "x" }, "day: expected a day, YYYYMMDD"],
  ])("%j is an error that says what to do", async (args, message) => {
    const { text, isError } = await call("facet_news", args);
    expect([isError, text]).toEqual([true, expect.stringContaining(message)]);
  });

  test("refuses what is not a newsletter by its length", async () => {
    const { text } = await call("facet_news", { facet: "garden", text: "x".repeat(100_001) });
    expect(text).toContain("text: expected at most 100000 characters");
  });

  test("writes nothing through a link", async () => {
    const outside = join(journal, "outside");
    mkdirSync(outside);
    symlinkSync(outside, join(journal, "facets", "old", "news"));
    const { text, isError } = await call("facet_news", { facet: "old", day: "20250120", text: "x" });
    expect([isError, text]).toEqual([true, expect.stringContaining("is a link")]);
    expect(existsSync(join(outside, "20250120.md"))).toBe(false);
    expect(text).not.toContain(journal);
  });
});
