import { expect, test } from "vitest";
import {
  approvalAnswered,
  approvalAsked,
  escalateApprovals,
  untoldDecisions,
} from "../../../workspace/approvals/asked-approvals.ts";
import { decideApproval, listApprovals } from "../../../workspace/approvals/approvals.ts";
import { memberOf } from "../../../workspace/people/access.ts";
import { createUser, removeMember } from "../../../workspace/people/members.ts";
import type { Approval, ApprovalRule } from "../../../workspace/records/approval.ts";
import { sendMessage } from "../../../workspace/threads/messages.ts";
import { createThread } from "../../../workspace/threads/threads.ts";
import { createWorkspace, updateWorkspace } from "../../../workspace/workspaces.ts";
import { describeDatabases, newTeam } from "../temporary-store.ts";

const page = { limit: 50, cursor: null };
const hour = 3_600_000;
const rule = (action: string, more: Partial<ApprovalRule>): ApprovalRule => ({
  action,
  requires: "any_member",
  user_id: null,
  timeout_seconds: 60,
  ...more,
});

describeDatabases((newTarget) => {
  async function newTask() {
    const team = await newTeam(await newTarget());
    const { store, admin, workspaceId } = team;
    const { id: threadId } = await createThread(store, "Seeds", admin);
    await sendMessage(store, { threadId, forkId: null }, { text: "@coder: plant" }, admin);
    const task = await store.database.selectFrom("tasks").selectAll().executeTakeFirstOrThrow();
    const ask = async (id: string, tool = "write", action: Approval["action"] = "approve"): Promise<Approval> => {
      const question = { id, tool, args: { path: "a" }, why: "it writes", action, expires: Date.now() + 24 * hour };
      await approvalAsked(store, task, question);
      const { items } = await listApprovals(store, admin, page);
      if (!items[0]) throw new Error("there is no approval");
      return items[0];
    };
    return {
      ...team,
      ask,
      bea: await team.invite("Bea"),
      cem: await team.invite("Cem"),
      events: async () =>
        (await store.changes.eventsAfter(workspaceId, 0, 1000)).flatMap(({ event, data }) =>
          "approval" in data ? [[event, data.approval.status]] : [],
        ),
    };
  }

  test("a question becomes one approval, and the first decision counts", async () => {
    await using team = await newTask();
    const { store, admin, bea } = team;
    const { id } = await team.ask("q1");
    expect((await team.ask("q1")).id).toBe(id);
    const decided = await Promise.allSettled([
      decideApproval(store, id, { decision: "allow" }, bea),
      decideApproval(store, id, { decision: "deny", reason: "not now" }, admin),
    ]);
    expect(decided.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(decided.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "conflict" } });
    const { items } = await listApprovals(store, bea, page);
    const isAllowed = items[0]?.status === "allowed";
    expect(items).toMatchObject([{ id, decided_by: isAllowed ? bea.userId : admin.userId, tool: "write" }]);
    expect(await team.events()).toEqual([
      ["approval.requested", "open"],
      ["approval.decided", items[0]?.status],
    ]);
    const decision = isAllowed ? "allow" : "deny";
    expect(await untoldDecisions(store)).toMatchObject([
      { question: "q1", decision, name: isAllowed ? "Bea" : "Ada", reason: isAllowed ? null : "not now" },
    ]);
    await approvalAnswered(store, team.workspaceId, { id: "q1", decision, by: "web:token" });
    expect(await untoldDecisions(store)).toEqual([]);
    expect(await team.events()).toHaveLength(2);
  });

  test("what was decided elsewhere counts, also against a decision that came too late", async () => {
    await using team = await newTask();
    const { store, admin, workspaceId } = team;
    const { id } = await team.ask("q1");
    await approvalAnswered(store, workspaceId, { id: "q1", decision: "deny", by: "timeout" });
    expect((await listApprovals(store, admin, page)).items).toMatchObject([{ status: "expired", decided_by: null }]);
    await expect(decideApproval(store, id, { decision: "allow" }, admin)).rejects.toMatchObject({ code: "conflict" });
    const later = await team.ask("q2");
    await decideApproval(store, later.id, { decision: "allow" }, admin);
    await approvalAnswered(store, workspaceId, { id: "q2", decision: "deny", by: "cli:main" });
    expect((await listApprovals(store, admin, page)).items[0]).toMatchObject({ status: "denied", decided_by: null });
  });

  test("who may decide is said by the first rule that fits; what escalates is an admin's", async () => {
    await using team = await newTask();
    const { store, admin, bea, cem, workspaceId } = team;
    const approval_rules = [
      rule("write", { requires: "specific_user", user_id: bea.userId }),
      rule("exec", { requires: "admin" }),
      rule("*", {}),
    ];
    const settings = { approval_rules };
    await expect(updateWorkspace(store, workspaceId, { settings }, bea)).rejects.toMatchObject({ code: "forbidden" });
    expect(await updateWorkspace(store, workspaceId, { settings }, admin)).toMatchObject({
      settings: { approval_rules, resolver: "_fork-resolver", thread_summaries: false },
    });
    const cases = [
      { ...(await team.ask("q1", "write")), by: bea, notBy: [admin, cem] },
      { ...(await team.ask("q2", "bash")), by: admin, notBy: [bea] },
      { ...(await team.ask("q3", "garden.plant", "escalate")), by: admin, notBy: [bea] },
      { ...(await team.ask("q4", "garden.plant")), by: cem, notBy: [] },
    ];
    expect(cases.map(({ requires }) => requires)).toEqual(["specific_user", "admin", "admin", "any_member"]);
    for (const { id, by, notBy } of cases) {
      for (const other of notBy)
        await expect(decideApproval(store, id, { decision: "allow" }, other)).rejects.toMatchObject({
          code: "forbidden",
        });
      expect(await decideApproval(store, id, { decision: "allow" }, by)).toMatchObject({ status: "allowed" });
    }
  });

  test("a rule asks members alone, and where the one has left, an admin", async () => {
    await using team = await newTask();
    const { store, admin, bea, workspaceId } = team;
    const ruleOf = (user_id: string) => ({
      settings: { approval_rules: [rule("write", { requires: "specific_user", user_id })] },
    });
    const { user } = await createUser(store, "Stranger");
    await expect(updateWorkspace(store, workspaceId, ruleOf(user.id), admin)).rejects.toMatchObject({
      code: "invalid",
    });
    await updateWorkspace(store, workspaceId, ruleOf(bea.userId), admin);
    expect(await team.ask("q1")).toMatchObject({ requires: "specific_user", user_id: bea.userId });
    await removeMember(store, bea.memberId, admin);
    expect(await team.ask("q2")).toMatchObject({ requires: "admin", user_id: null, escalates_at: null });
  });

  test("what nobody decides in time is asked of an admin", async () => {
    await using team = await newTask();
    const { store, admin, bea } = team;
    const { id, escalates_at } = await team.ask("q1");
    const due = Date.parse(escalates_at ?? "");
    await escalateApprovals(store, due - 1);
    expect((await listApprovals(store, bea, page)).items).toMatchObject([{ requires: "any_member" }]);
    await escalateApprovals(store, due);
    await escalateApprovals(store, due);
    expect((await listApprovals(store, bea, page)).items).toMatchObject([{ requires: "admin", escalates_at: null }]);
    expect(await team.events()).toEqual([
      ["approval.requested", "open"],
      ["approval.requested", "open"],
    ]);
    await expect(decideApproval(store, id, { decision: "allow" }, bea)).rejects.toMatchObject({ code: "forbidden" });
    await decideApproval(store, id, { decision: "deny" }, admin);
  });

  test("approvals of another workspace aren't there", async () => {
    await using team = await newTask();
    const { store } = team;
    const { user } = await createUser(store, "Stranger");
    const other = await createWorkspace(store, "Elsewhere", user.id);
    const stranger = await memberOf(store, other.id, user.id);
    const { id } = await team.ask("q1");
    await expect(decideApproval(store, id, { decision: "allow" }, stranger)).rejects.toMatchObject({
      code: "not_found",
    });
    expect((await listApprovals(store, stranger, page)).items).toEqual([]);
  });
});
