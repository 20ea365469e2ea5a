import { expect, test } from "vitest";
import { shownUrl } from "../../../protocol/guards/shown-url.ts";

test.each([
  ["nats://host:4222", "nats://host:4222"],
  ["host:4222", "host:4222"],
  ["nats://me:hunter2@host:4222", "nats://…@host:4222"],
  ["nats://me:hun@ter2@host:4222", "nats://…@host:4222"],
  ["nats://me:hun/te@r2@host:4222", "nats://…@host:4222"],
  ["nats://me:1234/hunter2@host", "nats://…@host"],
  ["nats://hunter2@host", "nats://…@host"],
  ["me:hun@ter2@host:4222", "…@host:4222"],
  ["nats://me:hun,ter2@a:1,tls://me:hunter2@b:2", "nats://…@a:1,tls://…@b:2"],
  ["me:hunter2@a:1,me:hun@ter2@b:2", "…@b:2"],
  ["https://me:hun@ter2@host/mcp/@me", "https://…@host/mcp/@me"],
  ["https://host/mcp?key=hunter2", "https://host/mcp?…"],
  ["http://127.0.0.1:6270/mcp", "http://127.0.0.1:6270/mcp"],
  ["http://127.0.0.1:6270", "http://127.0.0.1:6270"],
  ["https://me:hun ter2@ho st/", "https://…@ho st/"],
  ["nats://me:hun\nter2@host", "nats://…@host"],
])("%j is shown as %j", (text, shown) => {
  expect(shownUrl(text)).toBe(shown);
  expect(shownUrl(text)).not.toMatch(/hun|ter2/);
});
