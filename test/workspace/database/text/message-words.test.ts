import { expect, test } from "vitest";
import { messagesWithWords, wordsIn } from "../../../../workspace/database/text/message-words.ts";
import { migrations } from "../../../../workspace/database/migrations/migrations.ts";
import { openDatabase } from "../../../../workspace/database/connection/open-database.ts";
import { sendMessage } from "../../../../workspace/threads/messages.ts";
import { createThread } from "../../../../workspace/threads/threads.ts";
import { describeDatabases, newTeam } from "../../temporary-store.ts";

test("words are letters and digits in lower case, once each, and those of a script without blanks as its readers see them", () => {
  expect(wordsIn("The beans, the BEANS: 3kg! Öl_Привет")).toEqual(["the", "beans", "3kg", "öl", "привет"]);
  expect(wordsIn("我们喜欢温室")).toContain("温室");
  expect(wordsIn("x".repeat(1000))).toEqual(["x".repeat(64)]);
  expect(wordsIn("…")).toEqual([]);
});

test("the words of the longest message are bounded, and looked through in time", () => {
  const before = process.cpuUsage();
  for (const text of [
    "𝔸".repeat(500_000),
    Array.from({ length: 300_000 }, (_, at) => `ö${at}`).join(" "),
    "温".repeat(1_000_000),
  ])
    expect(Buffer.byteLength(wordsIn(text).join(""))).toBeLessThan(400_001);
  // By the processor's time, which other programs don't lengthen.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(10_000);
});

describeDatabases((newTarget) => {
  test("messages that were there before their words were kept are found, too", async () => {
    const target = await newTarget();
    const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "010"));
    const earlier = await openDatabase(target, before);
    const workspace = { id: "w", name: "Garden", page: "", trust_level: 1, budget_json: null, settings_json: "{}" };
    const times = { created_at: 1, updated_at: 1 };
    await earlier
      .insertInto("workspaces")
      .values({ ...workspace, last_event: 0, ...times })
      .execute();
    const thread = { id: "t", workspace_id: "w", title: "Seeds", is_brief: 0 as const, summary_id: null };
    await earlier
      .insertInto("threads")
      .values({ ...thread, created_by: "u", ...times })
      .execute();
    const message = {
      workspace_id: "w",
      thread_id: "t",
      fork_id: null,
      parent_id: null,
      author_type: "human" as const,
    };
    const rest = {
      author_id: null,
      author_name: "Ada",
      parts_json: "[]",
      metadata_json: "{}",
      created_at: 1,
      edited_at: null,
    };
    const messages = Array.from({ length: 1200 }, (_, at) => ({
      ...message,
      ...rest,
      id: `m${String(at).padStart(4, "0")}`,
      position: at,
      text: at % 400 === 7 ? "Some beans." : "Peas.",
    }));
    await earlier.insertInto("messages").values(messages).execute();
    await earlier.destroy();
    const database = await openDatabase(target);
    const search = { workspaceId: "w", exceptThread: "other", wanted: "all" as const, limit: 10 };
    expect(await messagesWithWords(database, { ...search, words: ["bean"] })).toEqual(["m0807", "m0407", "m0007"]);
    expect(await messagesWithWords(database, { ...search, exceptThread: "t", words: ["bean"] })).toEqual([]);
    await database.destroy();
  });

  test("a message of many words of any kind is stored and found", async () => {
    await using team = await newTeam(await newTarget());
    const { store, admin, workspaceId } = team;
    const { id: threadId } = await createThread(store, "Seeds", admin);
    const odd = "it's \"quoted\" 'AND' NEAR(x) a:* b|c & \\ \u{1d538}\u{1e900} ２３ ﷽ न्दी ǅ";
    const long = Array.from({ length: 200_000 }, (_, at) => `ö${at}`).join(" ");
    for (const text of [odd, long]) await sendMessage(store, { threadId, forkId: null }, { text }, admin);
    const find = async (word: string, wanted: "all" | "one" = "all") =>
      (
        await messagesWithWords(store.database, {
          workspaceId,
          exceptThread: "other",
          words: wordsIn(word),
          wanted,
          limit: 10,
        })
      ).length;
    for (const word of wordsIn(odd)) expect([word, await find(word)]).toEqual([word, 1]);
    expect(await find(odd)).toBe(1);
    expect(await find("ö77")).toBe(1);
    expect(await find("quoted ö77")).toBe(0);
    expect(await find("quoted ö77", "one")).toBe(2);
  });
});
