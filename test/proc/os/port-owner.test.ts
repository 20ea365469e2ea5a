import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { ownerOfPort } from "../../../proc/os/port-owner.ts";
import { ownPort } from "../../support/network/own-port.ts";

test("the owner of a port is known by pid and command; a free port has none", async () => {
  const port = await ownPort();
  expect(ownerOfPort(port)).toBe(null);
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  const owner = ownerOfPort(port);
  expect(owner?.pid).toBe(process.pid);
  expect(owner?.command).toContain("node");
  server.close();
  await once(server, "close");
  expect(ownerOfPort(port)).toBe(null);
});
