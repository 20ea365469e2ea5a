/** The events of a workspace, as they are told to those who listen. */
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { LivePiece } from "../../../../workspace/records/live-pieces.ts";
import { sendMessage } from "../../../../workspace/threads/messages.ts";
import { memberOf } from "../../../../workspace/people/access.ts";
import type { Message, Thread } from "../../../../workspace/records/thread.ts";
import { liveEvents } from "../../../../workspace/records/events.ts";
import { EventReader, type SentEvent } from "../../../channels/sse.ts";
import { describeDatabases } from "../../../workspace/temporary-store.ts";
import { openWorkspaceStore } from "../../../../workspace/database/changes/store.ts";
import type { DatabaseTarget } from "../../../../workspace/database/connection/open-database.ts";
import { usualListenerLimits } from "../../../../web/api/events/listeners.ts";
import { ApiSystem, ownerToken } from "../api-system.ts";
import { untilTaken } from "./until-taken.ts";

const delta = (message_id: string, thread_id: string, text: string): LivePiece => ({
  event: "message.delta",
  data: { message_id, task_id: message_id, thread_id, fork_id: null, text },
});

const textsOf = (events: readonly SentEvent[]) =>
  events.map(({ event, data }) => {
    const { message, text } = JSON.parse(data) as { message?: Message; text?: string };
    return `${event} ${message?.text ?? text ?? ""}`;
  });

describeDatabases((newTarget) => {
  async function started(deps?: Parameters<typeof ApiSystem.start>[1], target?: DatabaseTarget) {
    const api = await ApiSystem.start(target ?? (await newTarget()), deps);
    const { id } = await api.workspace();
    const thread = await api.owner.post<Thread>(`/workspaces/${id}/threads`, { title: "Seeds" });
    return {
      api,
      id,
      thread,
      say: (text: string) => api.owner.post<{ message: Message }>(`/threads/${thread.id}/messages`, { text }),
      listen: (lastId?: string, token = ownerToken) =>
        EventReader.open(
          `${api.url}/api/v1/workspaces/${id}/events`,
          token,
          lastId === undefined ? {} : { "Last-Event-ID": lastId },
        ),
      [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
    };
  }

  test("events come in their order with their numbers, live and from where one was", async () => {
    await using team = await started();
    await using live = await team.listen();
    await team.say("one");
    await team.say("two @coder");
    const events = await live.next(3);
    expect(events.map(({ id, event }) => [id, event])).toEqual([
      ["2", "message.created"],
      ["3", "message.created"],
      ["4", "task.status_changed"],
    ]);
    for (const { event, data } of events)
      expect(liveEvents[event as keyof typeof liveEvents].safeParse(JSON.parse(data)).error).toBeUndefined();
    await using later = await team.listen("2");
    expect(await later.next(2)).toEqual(events.slice(1));
    await using all = await team.listen("0");
    expect((await all.next(4)).map(({ event }) => event)).toEqual([
      "thread.updated",
      ...events.map(({ event }) => event),
    ]);
    await using lost = await team.listen("999");
    await team.say("three");
    expect(textsOf(await lost.next(1))).toEqual(["message.created three"]);
  });

  test("what isn't stored comes where it happened, without an id", async () => {
    await using team = await started();
    const { api, id, thread } = team;
    await using live = await team.listen();
    const actor = await memberOf(api.store, id, (await api.owner.get<{ id: string }>("/me")).id);
    const place = { threadId: thread.id, forkId: null };
    // Who is still catching up with what is stored doesn't hear the rest.
    while (live.events.length === 0) {
      api.live.send(id, delta(thread.id, thread.id, "listening?"));
      await setImmediate();
    }
    // As the engine does it: what is stored, then at once what isn't, and again.
    for (const name of ["a", "b", "c"]) {
      const { message } = await sendMessage(api.store, place, { text: name }, actor);
      for (const text of ["1", "2"]) api.live.send(id, delta(message.id, thread.id, `${name}${text}`));
    }
    const told = () => live.events.filter(({ data }) => !data.includes("listening?"));
    await expect.poll(() => told().length).toBe(9);
    const events = told();
    expect(textsOf(events)).toEqual(
      ["a", "b", "c"].flatMap((name) => [
        `message.created ${name}`,
        `message.delta ${name}1`,
        `message.delta ${name}2`,
      ]),
    );
    expect(events.map(({ event, id: number }) => [event, number !== ""])).toEqual(
      events.map(({ event }) => [event, event !== "message.delta"]),
    );
    // Whoever comes back goes on behind the last id: what had none is gone.
    await using again = await team.listen(events.at(-3)?.id);
    await team.say("d");
    expect(textsOf(await again.next(1))).toEqual(["message.created d"]);
  });

  test("40 who listen, and come while 20 people post at once, hear the same in the same order", async () => {
    await using team = await started();
    const people = await Promise.all(Array.from({ length: 20 }, (_, index) => team.api.invite(team.id, `P${index}`)));
    const path = `/threads/${team.thread.id}/messages`;
    const saying = Promise.all(
      people.map(async (person) => {
        for (let turn = 0; turn < 3; turn++) await person.post(path, { text: `${person.user.name} ${turn}` });
      }),
    );
    const readers: EventReader[] = [];
    // Behind the events of the thread and of the people.
    for (let index = 0; index < 40; index++) readers.push(await team.listen("21"));
    await saying;
    const heard = await Promise.all(readers.map((reader) => reader.next(60)));
    const numbers = Array.from({ length: 60 }, (_, index) => index + 22);
    for (const events of heard) expect(events.map(({ id }) => Number(id))).toEqual(numbers);
    const { items } = await team.api.owner.get<{ items: Message[] }>(`${path}?limit=60`);
    const told = items.map(({ text }) => `message.created ${text}`);
    for (const events of heard) expect(textsOf(events)).toEqual(told);
    for (const reader of readers) await reader[Symbol.asyncDispose]();
  });

  test("what another program stores is told, too", async () => {
    const target = await newTarget();
    await using team = await started({}, target);
    await using live = await team.listen();
    await using other = await openWorkspaceStore(target);
    const actor = await memberOf(other, team.id, (await team.api.owner.get<{ id: string }>("/me")).id);
    await sendMessage(other, { threadId: team.thread.id, forkId: null }, { text: "from elsewhere" }, actor);
    expect(textsOf(await live.next(1))).toEqual(["message.created from elsewhere"]);
  });

  test("a member who is removed hears nothing more", async () => {
    await using team = await started();
    const bea = await team.api.invite(team.id, "Bea");
    await using hers = await team.listen(undefined, bea.token);
    await using ours = await team.listen();
    await team.say("still here");
    await hers.next(1);
    await team.api.owner.call("DELETE", `/members/${bea.member.id}`);
    await expect.poll(() => hers.isOver).toBe(true);
    await team.say("gone");
    const told = (await ours.next(3)).map(({ event }) => event);
    expect(told).toEqual(["message.created", "member.removed", "message.created"]);
    const heard = hers.events.map(({ event }) => event);
    expect(heard.filter((event) => event !== "member.removed")).toEqual(["message.created"]);
  });

  test("changes of the workspace, its members, who they are elsewhere and its bindings are told, each as it is then", async () => {
    await using team = await started();
    const { api, id } = team;
    await using live = await team.listen();
    const path = `/workspaces/${id}`;
    const patch = async (to: string, body: object) => (await api.owner.call("PATCH", to, body)).status;
    const bea = await api.invite(id, "Bea");
    const member = `/members/${bea.member.id}`;
    expect(await patch(path, { page: "We grow beans." })).toBe(200);
    expect(await patch(path, { trust_level: 2, budget: { max_cost_usd: 3 }, settings: { personas: true } })).toBe(200);
    expect(await patch(member, { role: "admin" })).toBe(200);
    const identities = ["telegram:2", "telegram:1"];
    await api.owner.post(`${member}/identities`, { identities });
    const { binding } = await api.owner.post<{ binding: { id: string } }>(`/threads/${team.thread.id}/bindings`, {
      type: "telegram",
    });
    expect((await api.owner.call("DELETE", `/bindings/${binding.id}`)).status).toBe(204);
    expect((await api.owner.call("DELETE", member)).status).toBe(204);
    // What is refused is told to nobody.
    expect(await patch(path, { settings: { approval_rules: [{ action: "*", requires: "specific_user" }] } })).toBe(400);
    const own = (await api.owner.get<{ memberships: { id: string }[] }>("/me")).memberships[0];
    expect((await api.owner.call("DELETE", `/members/${own?.id}`)).status).toBe(409);
    await team.say("The end.");
    const events = await live.next(9);
    for (const { event, data } of events)
      expect(liveEvents[event as keyof typeof liveEvents].safeParse(JSON.parse(data)).error).toBeUndefined();
    expect(events.map(({ event, data }) => [event, JSON.parse(data)])).toMatchObject([
      ["member.updated", { member: bea.member }],
      ["workspace.updated", { workspace: { id, page: "We grow beans.", trust_level: 1 } }],
      [
        "workspace.updated",
        { workspace: { trust_level: 2, budget: { max_cost_usd: 3 }, settings: { personas: true } } },
      ],
      ["member.updated", { member: { id: bea.member.id, role: "admin" } }],
      ["identity.updated", { member_id: bea.member.id, identities: identities.toSorted() }],
      ["binding.updated", { binding }],
      ["binding.removed", { binding }],
      ["member.removed", { member: { id: bea.member.id, name: "Bea" } }],
      ["message.created", { message: { text: "The end." } }],
    ]);
    expect(events.map(({ data }) => data).join("")).not.toContain(bea.token);
  });

  test("a token that has ended hears nothing more, and a heartbeat tells that a connection lives", async () => {
    await using team = await started({ limits: { ...usualListenerLimits, heartbeatMs: 1000 } });
    const bea = await team.api.invite(team.id, "Bea");
    const path = `${team.api.url}/api/v1/workspaces/${team.id}/events`;
    const response = await fetch(path, { headers: { Authorization: `Bearer ${bea.token}` } });
    let heard = "";
    const reading = (async () => {
      for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) heard += text;
    })().catch(() => {}); // cut off
    await expect.poll(() => heard).toMatch(/^: listening\n\n(: beat\n\n)/);
    const tokens = `/members/${bea.member.id}/tokens`;
    const { items } = await team.api.owner.get<{ items: { id: string }[] }>(tokens);
    await team.api.owner.post(`${tokens}/revoke`, { token_id: items[0]?.id });
    await reading;
    expect((await bea.call("GET", "/me")).status).toBe(401);
  });

  test("more listeners than there may be are refused for now", async () => {
    await using team = await started({ limits: { ...usualListenerLimits, all: 2 } });
    await using _one = await team.listen();
    const two = await team.listen();
    const refused = await team.api.owner.call("GET", `/workspaces/${team.id}/events`);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    await two[Symbol.asyncDispose]();
    const path = `${team.api.url}/api/v1/workspaces/${team.id}/events`;
    await using three = await untilTaken(() => EventReader.open(path, ownerToken));
    expect(three.status).toBe(200);
  });
});
