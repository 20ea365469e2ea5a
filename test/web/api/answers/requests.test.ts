/** How requests are told apart, bounded and made once, on SQLite: `requests.long.test.ts` has it on PostgreSQL. */
import { describeSqlite } from "../../../workspace/temporary-store.ts";
import { testRequests } from "./request-tests.ts";

describeSqlite(testRequests);
