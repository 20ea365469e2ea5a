/** Answers and messages of Telegram's that aren't as its documentation says. */
import { expect, test } from "vitest";
import { Retrier } from "../../../channels/telegram/calls/retrier.ts";
import { described } from "../../../channels/telegram/fetch-file.ts";
import type { Logger } from "../../../proc/logging/log.ts";
import { Attachment } from "../../../protocol/agents/channel.ts";

test("an answer without a result is a failure: it is asked again after a pause, and not at once", async () => {
  const stop = new AbortController();
  const pauses: number[] = [];
  const warn = ({ pause_ms }: { pause_ms: number }) => {
    pauses.push(pause_ms);
    stop.abort();
  };
  let calls = 0;
  const halfAnswer = async () => {
    // Without a pause it would go on for ever.
    if (++calls > 3) stop.abort();
    return undefined;
  };
  await new Retrier({ warn } as unknown as Logger, stop.signal).always("who it is", halfAnswer);
  expect({ calls, pauses }).toEqual({ calls: 1, pauses: [500] });
});

test.each([
  ["without a name", { name: "" }],
  ["with a long name", { name: "n".repeat(1000) }],
  ["without a type", { name: "a.pdf", type: "" }],
  ["with a long type", { name: "a.pdf", type: `application/${"x".repeat(1000)}` }],
])("a file %s can be told of", (_, file) => {
  const told = described({ fileId: "F1", type: undefined, size: 3, ...file });
  expect(Attachment.safeParse(told).error).toBeUndefined();
  expect(told.size).toBe(3);
});
