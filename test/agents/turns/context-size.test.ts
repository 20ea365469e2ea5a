import { expect, test } from "vitest";
import { contextLimits } from "../../../agents/turns/context-size.ts";

test.each([
  [{}, undefined, { window: 200_000, compactAt: 150_000, resetAt: 200_000 }],
  [{}, 128_000, { window: 128_000, compactAt: 102_400, resetAt: 200_000 }],
  [{}, 1_000_000, { window: 1_000_000, compactAt: 150_000, resetAt: 200_000 }],
  [{ context_window: 50_000 }, 1_000_000, { window: 50_000, compactAt: 40_000, resetAt: 200_000 }],
  [{ emergency_context_limit: 40_000 }, 128_000, { window: 128_000, compactAt: 30_000, resetAt: 40_000 }],
])("the size of the context follows from %j and a model of %s tokens", (settings, known, limits) => {
  expect(contextLimits(settings, known)).toEqual(limits);
});
