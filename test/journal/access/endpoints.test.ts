import { statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  readBusAccess,
  readEndpoints,
  removeEndpoints,
  writeBusAccess,
  writeEndpoints,
} from "../../../journal/access/endpoints.ts";
import { runtime } from "../../../journal/config/paths.ts";
import { temporaryJournal } from "../temporary-journal.ts";

const endpoints = { nats_url: "nats://127.0.0.1:4222", nats_user: "client", nats_token: "secret", pid: 7 };

test("endpoints are read as they were written, by their owner alone", async () => {
  using journal = temporaryJournal();
  expect(readEndpoints(journal.path)).toBe(null);
  await writeEndpoints(journal.path, { ...endpoints, mcp_url: "http://127.0.0.1:6270/mcp" });
  expect(readEndpoints(journal.path)).toEqual({ ...endpoints, mcp_url: "http://127.0.0.1:6270/mcp" });
  expect(statSync(runtime(journal.path, "endpoints.json")).mode & 0o777).toBe(0o600);
  removeEndpoints(journal.path);
  removeEndpoints(journal.path);
  expect(readEndpoints(journal.path)).toBe(null);
});

test("passwords are their owner's alone", async () => {
  using journal = temporaryJournal();
  const access = { url: "nats://127.0.0.1:4222", server_name: "cortex-1", passwords: { client: "secret" } };
  await writeBusAccess(journal.path, access);
  expect(readBusAccess(journal.path)).toEqual(access);
  expect(statSync(runtime(journal.path, "bus-users.json")).mode & 0o777).toBe(0o600);
});

test("endpoints that can't be read count as none", () => {
  using journal = temporaryJournal();
  for (const text of ["", "{", "[]", '{"nats_url":1}']) {
    writeFileSync(runtime(journal.path, "endpoints.json"), text);
    writeFileSync(runtime(journal.path, "bus-users.json"), text);
    expect([readEndpoints(journal.path), readBusAccess(journal.path)]).toEqual([null, null]);
  }
});
