/** The table of all routes and roles, on SQLite: `roles.long.test.ts` has it on PostgreSQL. */
import { expect, test } from "vitest";
import { operations } from "../../../../web/api/operations.ts";
import { describeSqlite } from "../../../workspace/temporary-store.ts";
import { roleCases } from "./role-cases.ts";
import { testRoles } from "./role-tests.ts";

test("each operation has its row", () => {
  expect(operations.map(({ id }) => id).toSorted()).toEqual(Object.keys(roleCases).toSorted());
});

describeSqlite(testRoles);
