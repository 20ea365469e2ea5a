import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { freePort } from "../../../proc/os/free-port.ts";
import { ownPort } from "../../support/network/own-port.ts";

test("the first wanted port that nobody listens on is taken, else any", async () => {
  const busy = createServer().listen(0, "127.0.0.1");
  await once(busy, "listening");
  const { port } = busy.address() as AddressInfo;
  try {
    const other = await freePort(port);
    expect(other).not.toBe(port);
    expect(other).toBeGreaterThan(0);
    const free = await ownPort();
    expect(await freePort(port, free)).toBe(free);
    expect(await freePort(free, port)).toBe(free);
  } finally {
    busy.close();
    await once(busy, "close");
  }
});
