import { expect, test } from "vitest";
import { hasFeature, isSupported, parseVersion, versionText } from "../../../bus/connection/features.ts";

test("a version is found in whatever a server says of itself", () => {
  expect(parseVersion("nats-server: v2.9.10\n")).toEqual([2, 9, 10]);
  expect(parseVersion("2.12.0-RC.1")).toEqual([2, 12, 0]);
  expect([parseVersion("unknown"), parseVersion("")]).toEqual([null, null]);
  expect(versionText([2, 10, 27])).toBe("2.10.27");
});

test("versions are compared as numbers, and of an unknown one nothing is assumed", () => {
  expect(hasFeature("sync_interval", [2, 9, 25])).toBe(false);
  expect(hasFeature("sync_interval", [2, 10, 0])).toBe(true);
  expect(hasFeature("sync_interval", [3, 0, 0])).toBe(true);
  expect(hasFeature("strict", [2, 9, 99])).toBe(false);
  expect(hasFeature("sync_interval", null)).toBe(false);
  expect([isSupported([2, 9, 9]), isSupported([2, 9, 10]), isSupported([2, 10, 0])]).toEqual([false, true, true]);
});
