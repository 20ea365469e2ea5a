import { expect, test } from "vitest";
import { describeDatabases } from "../../../workspace/temporary-store.ts";
import { ApiSystem } from "../api-system.ts";
import { fuzzApi } from "./fuzz-api.ts";

/** As many as a suite has time for; more with `npm run fuzz -- api`. */
const requests = 2000;

describeDatabases((newTarget) => {
  test("no request has an answer that isn't described, or one that is our own fault", async () => {
    await using api = await ApiSystem.start(await newTarget(), { requestsPerSecond: 1_000_000 });
    const { problems, byStatus } = await fuzzApi(api, { seed: 20261124, requests });
    expect(problems).toEqual([]);
    expect([...byStatus.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 401, 404, 409]));
  });
});
