import { expect, test } from "vitest";
import type { Binding, CreatedBinding } from "../../../../../workspace/records/binding.ts";
import type { Thread } from "../../../../../workspace/records/thread.ts";
import { describeDatabases } from "../../../../workspace/temporary-store.ts";
import { ApiSystem } from "../../api-system.ts";

describeDatabases((newTarget) => {
  test("a binding is made for a thread, listed and removed; a channel without rooms is refused", async () => {
    await using api = await ApiSystem.start(await newTarget());
    const { id } = await api.workspace();
    const thread = await api.owner.post<Thread>(`/workspaces/${id}/threads`, { title: "Seeds" });
    const path = `/threads/${thread.id}/bindings`;
    for (const type of ["cli", "web", "cron", "No such", ""])
      expect(await api.owner.call("POST", path, { type })).toMatchObject({ status: 400 });
    const made = await api.owner.post<CreatedBinding>(path, { type: "telegram" });
    expect(made).toMatchObject({ binding: { type: "telegram", channel_id: null, thread_id: thread.id } });
    const list = () => api.owner.get<{ items: Binding[] }>(`/workspaces/${id}/bindings`);
    expect((await list()).items).toEqual([made.binding]);
    expect(JSON.stringify(await list())).not.toContain(made.code);
    expect(await api.owner.call("DELETE", `/bindings/${made.binding.id}`)).toMatchObject({ status: 204 });
    expect(await api.owner.call("DELETE", `/bindings/${made.binding.id}`)).toMatchObject({ status: 404 });
    expect((await list()).items).toEqual([]);
  });

  test("an admin sets who a member is on channels, and nobody is two members", async () => {
    await using api = await ApiSystem.start(await newTarget());
    const { id } = await api.workspace();
    const [bea, cem] = [await api.invite(id, "Bea"), await api.invite(id, "Cem")];
    const path = `/members/${bea.member.id}/identities`;
    expect(await bea.call("POST", path, { identities: ["telegram:17"] })).toMatchObject({ status: 403 });
    expect(await api.owner.call("POST", path, { identities: ["17"] })).toMatchObject({ status: 400 });
    expect(await api.owner.post(path, { identities: ["telegram:17"] })).toEqual({ identities: ["telegram:17"] });
    const others = `/members/${cem.member.id}/identities`;
    expect(await api.owner.call("POST", others, { identities: ["telegram:17"] })).toMatchObject({ status: 409 });
    expect(await cem.get(path)).toEqual({ identities: ["telegram:17"] });
  });
});
