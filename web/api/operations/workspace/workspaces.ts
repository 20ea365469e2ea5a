/** Operations on workspaces and their members. */
import { z } from "zod";
import { inviteMember, listMembers, removeMember, updateMember } from "../../../../workspace/people/members.ts";
import { pageOfAll } from "../../../../workspace/records/page.ts";
import { Member, MemberUpdate, Role, User, Workspace, WorkspaceUpdate } from "../../../../workspace/records/people.ts";
import { createWorkspace, listWorkspaces, readWorkspace, updateWorkspace } from "../../../../workspace/workspaces.ts";
import { listOf, operation, pageQuery } from "../../table/operation.ts";

const NewWorkspace = Workspace.pick({ name: true });
const NewMember = z.object({ name: User.shape.name, role: Role.default("member") });
const Invited = z.object({
  user: User,
  member: Member,
  token: z.string().meta({ description: "The user's, told this once." }),
});

export const workspaces = [
  operation({
    id: "workspace.list",
    method: "GET",
    path: "/workspaces",
    summary: "The workspaces that one is a member of, oldest first",
    subject: null,
    role: "user",
    query: pageQuery,
    answer: listOf(Workspace),
    handle: async ({ store, asker }, { query }) =>
      pageOfAll(await listWorkspaces(store, asker.user.id), query, ({ id }) => id),
  }),
  operation({
    id: "workspace.create",
    method: "POST",
    path: "/workspaces",
    summary: "Make a workspace, of which one is an admin",
    description: "For the owner: whoever administers a workspace has its agents run on the owner's machine.",
    subject: null,
    role: "owner",
    body: NewWorkspace,
    status: 201,
    answer: Workspace,
    handle: ({ store, asker }, { body }) => createWorkspace(store, body.name, asker.user.id),
  }),
  operation({
    id: "workspace.get",
    method: "GET",
    path: "/workspaces/{w}",
    summary: "A workspace",
    subject: "workspaces",
    role: "member",
    answer: Workspace,
    handle: ({ store, asker }, { id }) => readWorkspace(store, id, asker.user.id),
  }),
  operation({
    id: "workspace.update",
    method: "PATCH",
    path: "/workspaces/{w}",
    summary: "Edit a workspace",
    description: "Members edit its page; the other fields are for admins.",
    subject: "workspaces",
    role: "member",
    body: WorkspaceUpdate,
    answer: Workspace,
    handle: ({ store, actor }, { id, body }) => updateWorkspace(store, id, body, actor),
  }),
  operation({
    id: "member.list",
    method: "GET",
    path: "/workspaces/{w}/members",
    summary: "The members of a workspace, oldest first",
    subject: "workspaces",
    role: "member",
    query: pageQuery,
    answer: listOf(Member),
    handle: async ({ store, actor }, { query }) => pageOfAll(await listMembers(store, actor), query, ({ id }) => id),
  }),
  operation({
    id: "member.invite",
    method: "POST",
    path: "/workspaces/{w}/members",
    summary: "Make a user who is a member, with a token",
    subject: "workspaces",
    role: "admin",
    body: NewMember,
    status: 201,
    answer: Invited,
    isSecret: true,
    handle: ({ store, actor }, { body }) => inviteMember(store, body, actor),
  }),
  operation({
    id: "member.update",
    method: "PATCH",
    path: "/members/{id}",
    summary: "Edit a member",
    description: "Members set their own notifications; the rest is for admins.",
    subject: "members",
    role: "member",
    body: MemberUpdate,
    answer: Member,
    refusals: [409],
    handle: ({ store, actor }, { id, body }) => updateMember(store, id, body, actor),
  }),
  operation({
    id: "member.remove",
    endsAccess: true,
    method: "DELETE",
    path: "/members/{id}",
    summary: "Remove a member; its messages stay",
    description: "For admins; anybody may leave.",
    subject: "members",
    role: "member",
    status: 204,
    refusals: [409],
    handle: ({ store, actor }, { id }) => removeMember(store, id, actor),
  }),
];
