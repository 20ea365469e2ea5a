import { expect, test } from "vitest";
import { memberOf } from "../../../workspace/people/access.ts";
import {
  createUser,
  inviteMember,
  listMembers,
  removeMember,
  updateMember,
} from "../../../workspace/people/members.ts";
import { userOfToken } from "../../../workspace/people/tokens.ts";
import { createWorkspace, listWorkspaces, readWorkspace, updateWorkspace } from "../../../workspace/workspaces.ts";
import { describeDatabases, newTeam } from "../temporary-store.ts";

describeDatabases((newTarget) => {
  test("a token is its user's, and isn't kept", async () => {
    await using team = await newTeam(await newTarget());
    const { database } = team.store;
    const { user, token } = await inviteMember(team.store, { name: "Bea", role: "member" }, team.admin);
    expect(await userOfToken(database, token)).toEqual(user);
    expect(await userOfToken(database, `${token}x`)).toBeNull();
    expect(JSON.stringify(await database.selectFrom("tokens").selectAll().execute())).not.toContain(token);
  });

  test("who isn't a member of a workspace doesn't find it", async () => {
    await using team = await newTeam(await newTarget());
    const { user } = await createUser(team.store, "Stranger");
    await expect(readWorkspace(team.store, team.workspaceId, user.id)).rejects.toMatchObject({ code: "not_found" });
    const other = await createWorkspace(team.store, "Elsewhere", user.id);
    expect(await listWorkspaces(team.store, user.id)).toEqual([other]);
  });

  test("a member edits the page and nothing else; an admin all of it", async () => {
    await using team = await newTeam(await newTarget());
    const member = await team.invite("Bea");
    const { store, workspaceId } = team;
    expect(await updateWorkspace(store, workspaceId, { page: "We grow beans." }, member)).toMatchObject({
      page: "We grow beans.",
    });
    for (const update of [{ name: "Mine" }, { trust_level: 3 }, { budget: null }])
      await expect(updateWorkspace(store, workspaceId, update, member)).rejects.toMatchObject({ code: "forbidden" });
    const budget = { max_cost_usd: 2 };
    const updated = await updateWorkspace(store, workspaceId, { name: "Field", trust_level: 2, budget }, team.admin);
    expect(updated).toMatchObject({ name: "Field", trust_level: 2, budget, page: "We grow beans." });
  });

  test("members are invited, promoted and removed by admins, and leave by themselves", async () => {
    await using team = await newTeam(await newTarget());
    const { store, admin } = team;
    const [bea, cem] = [await team.invite("Bea"), await team.invite("Cem")];
    expect((await listMembers(store, bea)).map(({ name, role }) => [name, role])).toEqual([
      ["Ada", "admin"],
      ["Bea", "member"],
      ["Cem", "member"],
    ]);
    const forbidden = { code: "forbidden" };
    await expect(inviteMember(store, { name: "Dee", role: "admin" }, bea)).rejects.toMatchObject(forbidden);
    await expect(updateMember(store, bea.memberId, { role: "admin" }, bea)).rejects.toMatchObject(forbidden);
    await expect(removeMember(store, cem.memberId, bea)).rejects.toMatchObject(forbidden);
    expect(await updateMember(store, bea.memberId, { notifications: "none" }, bea)).toMatchObject({
      notifications: "none",
    });
    expect(await updateMember(store, bea.memberId, { role: "admin" }, admin)).toMatchObject({ role: "admin" });
    const gone = { ...bea, memberId: "0199b1f0-0000-7000-8000-000000000000" };
    await expect(updateMember(store, gone.memberId, {}, gone)).rejects.toMatchObject({ code: "not_found" });
    await removeMember(store, cem.memberId, cem);
    await expect(memberOf(store, team.workspaceId, cem.userId)).rejects.toMatchObject({ code: "not_found" });
  });

  test("the last admin can neither leave nor become a member", async () => {
    await using team = await newTeam(await newTarget());
    const { store, admin } = team;
    await team.invite("Bea");
    await expect(removeMember(store, admin.memberId, admin)).rejects.toMatchObject({ code: "conflict" });
    await expect(updateMember(store, admin.memberId, { role: "member" }, admin)).rejects.toMatchObject({
      code: "conflict",
    });
    expect(await memberOf(store, team.workspaceId, admin.userId)).toMatchObject({ role: "admin" });
  });
});
