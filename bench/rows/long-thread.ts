/**
 * Posting to a thread of 100,000 messages and reading its last page over HTTP, beside one that was empty, in both databases; and
 * searching it from another thread.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiSystem } from "../../test/web/api/api-system.ts";
import { hasPostgres, startPostgres } from "../../test/support/postgres.ts";
import type { DatabaseTarget } from "../../workspace/database/connection/open-database.ts";
import type { WorkspaceStore } from "../../workspace/database/changes/store.ts";
import { type Actor, memberOf } from "../../workspace/people/access.ts";
import type { User } from "../../workspace/records/people.ts";
import { answerSearch } from "../../workspace/search/search-threads.ts";
import { sendMessage } from "../../workspace/threads/messages.ts";
import { createThread } from "../../workspace/threads/threads.ts";
import type { Benchmark, Row, Scale } from "../harness/benchmark.ts";
import { fillThread } from "../harness/long-thread.ts";
import { median } from "../harness/spread.ts";

/** Calls whose median is each figure: one is as long as a look at the disk. */
const together = 25;

export const measure: Benchmark = async (scale) => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  try {
    const rows = await measureIn("SQLite", { file: join(folder, "workspace.db") }, scale);
    if (!hasPostgres) return rows;
    await using server = await startPostgres();
    return [...rows, ...(await measureIn("PostgreSQL", { url: await server.newDatabase() }, scale))];
  } finally {
    rmSync(folder, { recursive: true });
  }
};

async function measureIn(database: string, target: DatabaseTarget, { rounds, isQuick }: Scale): Promise<Row[]> {
  await using api = await ApiSystem.start(target);
  const { owner, store } = api;
  const { id } = await api.workspace();
  const ada = await memberOf(store, id, (await owner.get<User>("/me")).id);
  const count = isQuick ? 5_000 : 100_000;
  const threads = { long: await createThread(store, "Long", ada), empty: await createThread(store, "Empty", ada) };
  await fillThread(store, threads.long.id, count, ada);
  // The server has closed the connection that was idle meanwhile; the next call hears it, whichever it is.
  await owner.get("/me").catch(() => {});
  const posts = { long: [] as number[], empty: [] as number[] };
  const reads = { long: [] as number[], empty: [] as number[] };
  for (let round = 0; round < rounds; round++)
    for (const name of ["empty", "long"] as const) {
      const path = `/threads/${threads[name].id}/messages`;
      posts[name].push(await timeOf(() => owner.post(path, { text: "Which beans come first?" })));
      reads[name].push(await timeOf(() => owner.get(path)));
    }
  const search = await searchFrom(store, threads.empty.id, ada);
  const searches: number[] = [];
  for (let round = 0; round < rounds; round++) searches.push(await timeOf(search));
  const what = `a thread of ${count.toLocaleString("en")} messages, ${database}`;
  const row = (doing: string, { long, empty }: typeof posts): Row => ({
    what: `${what}: ${doing}`,
    unit: "ms",
    ours: long,
    comparedWith: { what: "an empty thread", figures: empty },
    target: null,
  });
  const both = { long: sums(posts.long, reads.long), empty: sums(posts.empty, reads.empty) };
  return [
    row("posting", posts),
    row("reading the last page", reads),
    { what: `${what}: both`, unit: "ms", ours: both.long, target: { atMost: 20 } },
    { ...row("both", both), target: { atMost: 1.5 } },
    { what: `${what}: searched for words that all have`, unit: "ms", ours: searches, target: { atMost: 200 } },
  ];
}

/** As the tool `search_threads` does for a run that answers in a thread. */
async function searchFrom(store: WorkspaceStore, threadId: string, ada: Actor): Promise<() => Promise<unknown>> {
  const { tasks } = await sendMessage(store, { threadId, forkId: null }, { text: "@coder search" }, ada);
  const run_id = "1736380800000";
  await store.database
    .updateTable("tasks")
    .set({ run_id })
    .where("id", "=", tasks[0]?.id ?? "")
    .execute();
  const call = { run_id, call_id: "c", tool: "search_threads", args: { query: "team member says" } };
  return async () => {
    const answer = await answerSearch(store, call);
    if (!answer.ok || (answer.result["passages"] as unknown[]).length === 0) throw new Error("nothing was found");
  };
}

const sums = (some: number[], others: number[]) => some.map((figure, round) => figure + (others[round] ?? Number.NaN));

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < together; time++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return median(times);
}
