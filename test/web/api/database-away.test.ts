/** A database that can't be written or reached: whoever asks is told to come back, in the API's words. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { hasPostgres, startPostgres } from "../../support/postgres.ts";
import { ApiSystem } from "./api-system.ts";

const refused = { status: 503, body: { error: { code: "unavailable" } } };

test("a file that can't be written refuses changes for now, and is read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "workspace-"));
  try {
    await using api = await ApiSystem.start({ file: join(folder, "workspace.db") });
    const { id } = await api.workspace();
    await sql`PRAGMA query_only = ON`.execute(api.store.database);
    const answer = await api.owner.call("POST", `/workspaces/${id}/threads`, { title: "Seeds" });
    expect(answer).toMatchObject(refused);
    expect(answer.headers.get("retry-after")).toBe("5");
    expect((await api.owner.call("GET", `/workspaces/${id}`)).status).toBe(200);
    await sql`PRAGMA query_only = OFF`.execute(api.store.database);
    expect((await api.owner.call("POST", `/workspaces/${id}/threads`, { title: "Seeds" })).status).toBe(201);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.skipIf(!hasPostgres)("a PostgreSQL that is gone refuses everything for now", async () => {
  const server = await startPostgres();
  await using api = await ApiSystem.start({ url: await server.newDatabase() });
  const { id } = await api.workspace();
  await server[Symbol.asyncDispose]();
  expect(await api.owner.call("GET", `/workspaces/${id}`)).toMatchObject(refused);
  expect(await api.owner.call("POST", `/workspaces/${id}/threads`, { title: "Seeds" })).toMatchObject(refused);
});
