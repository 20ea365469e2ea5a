/** The identity of senders, of whom a name that the channel doesn't believe is nobody's, and the agents that hear them. */
import { describe, expect, test } from "vitest";
import { identityOf, isOwner, routeToAgent } from "../../../agents/inbox/access.ts";
import { agentIdOf, type AgentKey, descriptorOf } from "../../../agents/record/agent-id.ts";
import { isStranger } from "../../../journal/channels/known-people.ts";
import type { AgentsSettings } from "../../../protocol/agents/agents-settings.ts";

const owners = new Set(["mail:ada@garden.example", "mail:unverified:ada@garden.example"]);
const room = { type: "mail", channelId: "ada@garden.example" };
const believed = { ...room, userId: "ada@garden.example" };
const forged = { ...room, userId: "unverified:ada@garden.example" };

test("who isn't believed is no owner and no stranger that is let in, though the settings name them", () => {
  const channels = { mail: { allow: [believed.userId, forged.userId] } };
  expect([identityOf(believed), identityOf(forged)]).toEqual(["mail:ada@garden.example", null]);
  expect([isOwner(believed, owners), isOwner(forged, owners)]).toEqual([true, false]);
  expect([isStranger(believed, new Set(), channels), isStranger(forged, owners, channels)]).toEqual([false, true]);
});

test("who isn't believed has an agent of their own, in the same room", () => {
  const nobody = new Set<string>();
  const [one, other] = [believed, forged].map((channel) => routeToAgent(channel, nobody).key);
  expect(other).toEqual({ kind: "user", connector: "mail", channelId: room.channelId, userId: forged.userId });
  expect(one).not.toEqual(other);
});

describe("the agent that hears a message is that of its binding", () => {
  const slack = { type: "slack", channelId: "C1" };
  const said = { room: {}, thread: { replyTo: "17.4" } };
  const ofOwner = { ...slack, userId: "U1" };
  const ofStranger = { ...slack, userId: "U2" };
  const kept = { connector: "slack", channelId: "C1" };
  const main: AgentKey = { kind: "main" };
  const mainOfRoom: AgentKey = { kind: "main", ...kept };
  const stranger: AgentKey = { kind: "user", ...kept, userId: "U2" };
  const thread = { thread: "17.4" };
  const keys: [binding: AgentsSettings["binding"], where: keyof typeof said, owner: AgentKey, stranger: AgentKey][] = [
    [undefined, "room", main, stranger],
    [undefined, "thread", main, stranger],
    ["shared", "room", main, stranger],
    ["shared", "thread", main, stranger],
    ["perChannel", "room", mainOfRoom, stranger],
    ["perChannel", "thread", mainOfRoom, stranger],
    ["perThread", "room", mainOfRoom, stranger],
    ["perThread", "thread", { ...mainOfRoom, ...thread }, { ...stranger, ...thread }],
  ];
  test.each(keys)("%s, in the %s", (binding, where, owner, other) => {
    const settings = binding === undefined ? {} : { binding };
    const route = (channel: typeof ofOwner, persona?: string) =>
      routeToAgent({ ...channel, ...said[where] }, new Set(["slack:U1"]), settings, persona);
    expect(route(ofOwner)).toEqual({ key: owner, isOwner: true });
    expect(route(ofOwner, "main").key).toEqual(owner);
    expect(route(ofOwner, "gardener").key).toEqual({ ...owner, name: "gardener" });
    expect(route(ofStranger)).toEqual({ key: other, isOwner: false });
    expect(route(ofStranger, "gardener").key).toEqual(other);
  });
});

test("agents keep their ids, and each thread, room and persona has another one", () => {
  const room = { connector: "slack", channelId: "C1" };
  const bob = "bob@garden.example";
  const known: [AgentKey, string][] = [
    [{ kind: "main" }, "h0nk4gxjbb9vuryi7vtzbjlm"],
    [{ kind: "main", ...room }, "dpfqkaa6xg640s0buuu126ky"],
    [{ kind: "main", ...room, name: "gardener" }, "bqse1muh3zvrb4laabj5ish4"],
    [{ kind: "user", connector: "mail", channelId: bob, userId: bob }, "fmhjy2iri01pkypub7t03f6h"],
  ];
  for (const [key, id] of known) expect(agentIdOf(key)).toBe(id);
  const inThreads: AgentKey[] = [
    { kind: "main", ...room, thread: "gardener" },
    { kind: "main", ...room, thread: "gardener", name: "gardener" },
    { kind: "main", ...room, thread: "17.4" },
    { kind: "user", connector: "mail", channelId: bob, thread: "17.4", userId: bob },
  ];
  const ids = [...known.map(([key]) => key), ...inThreads].map(agentIdOf);
  expect(new Set(ids).size).toBe(ids.length);
  for (const key of inThreads) expect(descriptorOf(key, 1)).toEqual({ id: agentIdOf(key), ...key, created: 1 });
});
