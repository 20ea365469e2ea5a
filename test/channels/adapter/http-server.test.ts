import { expect, test } from "vitest";
import { listenOnFirst, newServer, portOf } from "../../../channels/adapter/http-server.ts";
import { openPort } from "../../support/network/open-port.ts";

test("a server listens on the first port that it can have, and says which; where there is none, why", async () => {
  const taken = await openPort();
  const server = newServer(1024, () => {});
  expect(portOf(server)).toBe(0);
  await expect(listenOnFirst(server, [taken.number])).rejects.toMatchObject({ code: "EADDRINUSE" });
  await listenOnFirst(server, [taken.number, 0]);
  const port = portOf(server);
  expect([0, taken.number]).not.toContain(port);
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
  await server.close();
  taken.close();
});
