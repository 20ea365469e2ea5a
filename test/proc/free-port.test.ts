import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { freePort } from "../../proc/free-port.ts";

test("the first wanted port that nobody listens on is taken, else any", async () => {
  const busy = createServer().listen(0, "127.0.0.1");
  await once(busy, "listening");
  const { port } = busy.address() as AddressInfo;
  try {
    const free = await freePort(port);
    expect(free).not.toBe(port);
    expect(free).toBeGreaterThan(0);
    expect(await freePort(port, free)).toBe(free);
    expect(await freePort(free, port)).toBe(free);
  } finally {
    busy.close();
    await once(busy, "close");
  }
});
