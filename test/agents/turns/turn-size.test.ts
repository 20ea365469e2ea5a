import { describe, expect, test } from "vitest";
import { itemsThatFit } from "../../../agents/turns/turn-size.ts";
import type { InboxItem } from "../../../protocol/agents/agent-files.ts";

/** `m3` is a message of size 3, `s2` a silent one of size 2. */
const item = (word: string, index: number): InboxItem => ({
  id: `${word}.${index}`,
  ts: index,
  type: word.startsWith("m") ? "user" : "system",
  text: word,
  ...(word.startsWith("s") && { silent: true }),
});
const sizeOf = ({ text }: InboxItem) => Number(text.slice(1));
const words = (items: InboxItem[]) => items.map(({ text }) => text).join(" ");

describe.each([
  ["all that fit are taken", "m3 m3 m4", 10, "m3 m3 m4", "m3 m3 m4"],
  ["what doesn't fit waits", "m3 m3 m5", 10, "m3 m3", "m3 m3"],
  ["what stands behind one that doesn't fit waits too", "m3 m9 m1", 10, "m3", "m3"],
  ["silent ones at the end wait with it", "m3 s1 m9", 10, "m3", "m3"],
  ["silent ones between are taken", "m3 s1 m2", 10, "m3 s1 m2", "m3 s1 m2"],
  ["the first is taken whatever its size, for its refusal", "m99 m1", 10, "m99", "m99"],
  ["of silent ones before it the newest are told, and all are settled", "s5 s4 s3 m3", 10, "s5 s4 s3 m3", "s4 s3 m3"],
  ["where they don't fit nothing is joined", "s9 m3 m1", 10, "s9 m3", "m3"],
  ["silent ones alone are no turn", "s1 s1", 10, "", ""],
] as const)("%s", (_, all, most, take, told) => {
  test(`${all} in ${most}`, () => {
    const fitting = itemsThatFit(all.split(" ").map(item), { most, sizeOf });
    expect([words(fitting.items), words(fitting.told)]).toEqual([take, told]);
  });
});
