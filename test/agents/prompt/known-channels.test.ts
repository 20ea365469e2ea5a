import { expect, test } from "vitest";
import { buildPrompts } from "../../../agents/prompt/build.ts";
import { knownChannels } from "../../../agents/prompt/known-channels.ts";

const web = { type: "web", channelId: "main" };
const cli = { type: "cli", channelId: "main" };
const chat = (channelId: string) => ({ type: "telegram", channelId });
const alpha = (channelId: string) => ({ type: "alpha", channelId });
const owners = new Set(["telegram:17", "telegram:4", "alpha:x"]);
const nobody = new Set<string>();
const external = { external: true };

test("an owner is reached at the terminal, on the channels that are started, and in a private chat", () => {
  const own = (...[channels, of]: [Parameters<typeof knownChannels>[0], Set<string>]) =>
    knownChannels(channels, of, []).own;
  expect(own(undefined, nobody)).toEqual([cli, web]);
  expect(own({ web: { enabled: false } }, owners)).toEqual([cli]);
  expect(own({ telegram: {} }, owners)).toEqual([cli, web, chat("17"), chat("4")]);
  expect(own({ telegram: {} }, nobody)).toEqual([cli, web]);
  expect(own({ webhook: {} }, nobody)).toEqual([cli, web]);
  const webhook = { url: "https://example.org/hook" };
  expect(own({ webhook }, nobody)).toEqual([cli, web, { type: "webhook", channelId: "main" }]);
});

test("an owner on an adapter of the user's own is reached where they have written, and before that by their id", () => {
  const wrote = (channelId: string) => [{ ...alpha(channelId), userId: "x", seen: 1 }];
  expect(knownChannels({ alpha: external }, owners, [])).toEqual({ own: [cli, web, alpha("x")], rooms: [] });
  expect(knownChannels({ alpha: external }, owners, wrote("x"))).toEqual({ own: [cli, web, alpha("x")], rooms: [] });
  const inHarbor = knownChannels({ alpha: external }, owners, wrote("harbor"));
  expect(inHarbor).toEqual({ own: [cli, web], rooms: [alpha("harbor")] });
  // Nothing goes out by an adapter that the settings don't have.
  expect(knownChannels(undefined, owners, wrote("harbor"))).toEqual({ own: [cli, web], rooms: [] });
});

test("rooms in which owners and allowed people have written are known, the newest first, and those of strangers are not", () => {
  const rooms = [
    { ...chat("-100"), userId: "17", seen: 5 },
    { ...alpha("quay"), userId: "ada", seen: 4 },
    { ...alpha("dark"), userId: "mallory", seen: 3 },
    { ...alpha("nameless"), seen: 2 },
    { ...chat("17"), userId: "17", seen: 1 },
  ];
  const channels = { telegram: {}, alpha: { ...external, allow: ["ada"] } };
  expect(knownChannels(channels, owners, rooms).rooms).toEqual([chat("-100"), alpha("quay")]);
  // Who was let in before may be a stranger by now.
  expect(knownChannels({ telegram: {}, alpha: external }, nobody, rooms).rooms).toEqual([]);
});

test("the prompt of an owner's agent lists the ids of their channels and of known rooms, and a stranger's names none", () => {
  const known = { own: [chat("17")], rooms: [chat("-100"), alpha("a\nb")] };
  const parts = { persona: undefined, tools: [], channelTypes: ["telegram"], skills: [], windowTokens: 1000 };
  const { main, stranger, task } = buildPrompts({ ...parts, knownChannels: known });
  expect(main).toContain("- channelType telegram, channelId 17");
  expect(main).toContain("- channelType telegram, channelId -100\n- channelType alpha, channelId a");
  expect(main).not.toContain("a\nb");
  expect(`${stranger}${task(undefined)}`).not.toMatch(/channelId (17|-100)/);
  expect(buildPrompts({ ...parts, knownChannels: { ...known, rooms: [] } }).main).not.toContain("in these rooms");
});
