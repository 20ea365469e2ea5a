import { expect, test } from "vitest";
import { waitingSeconds } from "../../../agents/permissions/waiting-time.ts";

test("a run waits five minutes for an answer and an agent a day, unless the settings say how long both do", () => {
  expect(waitingSeconds({}, false)).toBe(300);
  expect(waitingSeconds({}, true)).toBe(86_400);
  for (const isOfAgent of [false, true]) expect(waitingSeconds({ permission_timeout_seconds: 4 }, isOfAgent)).toBe(4);
});
