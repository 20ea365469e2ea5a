/** Tests of the table of all routes and roles on a kind of database: each cell is a request. */
import { expect, test } from "vitest";
import { createUser } from "../../../../workspace/people/members.ts";
import { operations } from "../../../../web/api/operations.ts";
import type { Operation } from "../../../../web/api/table/operation.ts";
import type { DatabaseTests } from "../../../workspace/temporary-store.ts";
import { ApiSystem, type Caller } from "../api-system.ts";
import { askers, type Ground, roleCases } from "./role-cases.ts";

export const testRoles: DatabaseTests = (newTarget) => {
  test("each cell of routes and roles is answered as the table says, and a refusal changes nothing", async () => {
    await using api = await ApiSystem.start(await newTarget());
    const { id: workspaceId } = await api.workspace();
    const { token: stranger } = await createUser(api.store, "Stranger");
    const elsewhere = await api.owner.post<{ id: string }>("/workspaces", { name: "Elsewhere" });
    const other = await api.invite(elsewhere.id, "Eve", "admin");
    const callers: Caller[] = [
      api.as(null),
      api.as(stranger),
      await api.invite(workspaceId, "Bea"),
      await api.invite(workspaceId, "Ada", "admin"),
      other,
    ];
    const ground: Ground = { api, workspaceId, admin: api.owner };
    for (const operation of operations) {
      const { expected, subject, file, body } = roleCases[operation.id] ?? {};
      const newRequest = async () => {
        const id = operation.path.includes("{") ? ((await subject?.(ground)) ?? workspaceId) : "";
        const sent = typeof body === "function" ? await body(ground, id) : body;
        return { id, file: await file?.(ground), body: sent };
      };
      // What one was refused is still as it was for the next.
      let request: Awaited<ReturnType<typeof newRequest>> | undefined;
      for (const [index, caller] of callers.entries()) {
        request ??= await newRequest();
        const before = await api.store.changes.lastEvent(workspaceId);
        const { status, text } = await statusOf(api, caller, operation, request);
        expect([operation.id, askers[index], status, text]).toEqual([
          operation.id,
          askers[index],
          expected?.[index],
          text,
        ]);
        if (status >= 400) expect(await api.store.changes.lastEvent(workspaceId)).toBe(before);
        else request = undefined;
      }
    }
    expect(api.errors).toEqual([]);
  });

  test("what is of others is refused in the words for what isn't there", async () => {
    await using api = await ApiSystem.start(await newTarget());
    const { id: workspaceId } = await api.workspace();
    const { token } = await createUser(api.store, "Stranger");
    const unknown = "01900000-0000-7000-8000-000000000000";
    const ground: Ground = { api, workspaceId, admin: api.owner };
    for (const operation of operations.filter(({ path }) => path.includes("{"))) {
      const { subject, file, body } = roleCases[operation.id] ?? {};
      const id = (await subject?.(ground)) ?? workspaceId;
      const sent = typeof body === "function" ? await body(ground, id) : body;
      const request = { file: await file?.(ground), body: sent };
      const foreign = await statusOf(api, api.as(token), operation, { id, ...request });
      expect([operation.id, foreign]).toEqual([
        operation.id,
        await statusOf(api, api.as(token), operation, { id: unknown, ...request }),
      ]);
    }
  });

  test("nobody gets a token of the owner's but the owner", async () => {
    await using api = await ApiSystem.start(await newTarget());
    const { id } = await api.workspace();
    const ada = await api.invite(id, "Ada", "admin");
    const { items } = await ada.get<{ items: { id: string; name: string }[] }>(`/workspaces/${id}/members`);
    const path = `/members/${items.find(({ name }) => name === "Owner")?.id}/tokens`;
    for (const method of ["GET", "POST"]) expect((await ada.call(method, path)).status).toBe(403);
    const { token } = await api.owner.post<{ token: string }>(path);
    expect((await api.as(token).call("POST", "/workspaces", { name: "Garden" })).status).toBe(201);
  });

  test("a member edits the page and their own notifications, reads prompts, and leaves", async () => {
    await using api = await ApiSystem.start(await newTarget());
    const { id } = await api.workspace();
    const bea = await api.invite(id, "Bea");
    expect((await bea.call("PATCH", `/workspaces/${id}`, { page: "We grow beans." })).status).toBe(200);
    for (const update of [{ name: "Mine" }, { trust_level: 3 }, { budget: null }, { page: "x", name: "Mine" }])
      expect((await bea.call("PATCH", `/workspaces/${id}`, update)).status).toBe(403);
    const { items } = await bea.get<{ items: { system_prompt: string }[] }>(`/workspaces/${id}/agents`);
    expect(items.every(({ system_prompt }) => system_prompt.length > 100)).toBe(true);
    const own = `/members/${bea.member.id}`;
    expect((await bea.call("PATCH", own, { notifications: "none" })).status).toBe(200);
    expect((await bea.call("PATCH", own, { role: "admin" })).status).toBe(403);
    expect((await bea.call("DELETE", own)).status).toBe(204);
    expect((await bea.call("GET", `/workspaces/${id}`)).status).toBe(404);
  });
};

/** The status alone: events don't end. */
async function statusOf(
  api: ApiSystem,
  { token }: Caller,
  operation: Operation,
  { id, file = "", body }: { id: string; file: string | undefined; body: unknown },
) {
  const stop = new AbortController();
  const path = operation.path.replace("{file}", file).replace(/\{\w+\}/, id);
  const response = await fetch(`${api.url}/api/v1${path}`, {
    method: operation.method,
    headers: {
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: stop.signal,
  });
  const text = operation.events && response.status === 200 ? "" : await response.text();
  stop.abort();
  return { status: response.status, text };
}
