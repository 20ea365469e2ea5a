/** Operations on bindings of rooms to threads, and on who members are in them. */
import { createBinding, listBindings, removeBinding } from "../../../../workspace/bindings/bindings.ts";
import { identitiesOf, setIdentities } from "../../../../workspace/bindings/identities.ts";
import { Binding, CreatedBinding, Identities, NewBinding } from "../../../../workspace/records/binding.ts";
import { pageOfAll } from "../../../../workspace/records/page.ts";
import { listOf, operation, pageQuery } from "../../table/operation.ts";

export const bindings = [
  operation({
    id: "binding.list",
    method: "GET",
    path: "/workspaces/{w}/bindings",
    summary: "The rooms of channels that are bound to threads of a workspace, oldest first",
    subject: "workspaces",
    role: "member",
    query: pageQuery,
    answer: listOf(Binding),
    handle: async ({ store, actor }, { query }) => pageOfAll(await listBindings(store, actor), query, ({ id }) => id),
  }),
  operation({
    id: "binding.create",
    method: "POST",
    path: "/threads/{id}/bindings",
    summary: "Bind a thread to the room in which the code of the answer is said",
    subject: "threads",
    role: "admin",
    body: NewBinding,
    status: 201,
    answer: CreatedBinding,
    isSecret: true,
    handle: ({ store, actor }, { id, body }) => createBinding(store, id, body.type, actor),
  }),
  operation({
    id: "binding.remove",
    method: "DELETE",
    path: "/bindings/{id}",
    summary: "End a binding",
    subject: "bindings",
    role: "admin",
    status: 204,
    handle: ({ store, actor }, { id }) => removeBinding(store, id, actor),
  }),
  operation({
    id: "identity.list",
    method: "GET",
    path: "/members/{id}/identities",
    summary: "The identities of a member on channels",
    subject: "members",
    role: "member",
    answer: Identities,
    handle: async ({ store, actor }, { id }) => ({ identities: await identitiesOf(store, id, actor) }),
  }),
  operation({
    id: "identity.set",
    method: "POST",
    path: "/members/{id}/identities",
    summary: "Set who a member is on channels: all of it",
    subject: "members",
    role: "admin",
    body: Identities,
    answer: Identities,
    handle: async ({ store, actor }, { id, body }) => {
      await setIdentities(store, id, body.identities, actor);
      return { identities: await identitiesOf(store, id, actor) };
    },
  }),
];
