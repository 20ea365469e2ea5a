/** The identity of senders: a name that the channel doesn't believe is nobody's. */
import { expect, test } from "vitest";
import { identityOf, isOwner, routeToAgent } from "../../../agents/inbox/access.ts";
import { isStranger } from "../../../journal/channels/known-people.ts";

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
