import { expect, test } from "vitest";
import { describeSqlite } from "../../../workspace/temporary-store.ts";
import { ApiSystem } from "../api-system.ts";
import { fuzzApi } from "./fuzz-api.ts";

/** The shortest form: `fuzz-api.long.test.ts` has more, on both databases, and `npm run fuzz -- api` as many as one likes. */
const requests = 300;

describeSqlite((newTarget) => {
  test("no request has an answer that isn't described, or one that is our own fault", async () => {
    await using api = await ApiSystem.start(await newTarget(), { requestsPerSecond: 1_000_000 });
    const { problems, byStatus } = await fuzzApi(api, { seed: 20261124, requests });
    expect(problems).toEqual([]);
    expect([...byStatus.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 401, 403, 404]));
  });
});
