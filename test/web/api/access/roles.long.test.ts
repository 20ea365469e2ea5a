/** The table of all routes and roles, on PostgreSQL. */
import { describePostgres } from "../../../workspace/temporary-store.ts";
import { testRoles } from "./role-tests.ts";

describePostgres(testRoles);
