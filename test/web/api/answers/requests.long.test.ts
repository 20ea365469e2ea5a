/** How requests are told apart, bounded and made once, on PostgreSQL. */
import { describePostgres } from "../../../workspace/temporary-store.ts";
import { testRequests } from "./request-tests.ts";

describePostgres(testRequests);
