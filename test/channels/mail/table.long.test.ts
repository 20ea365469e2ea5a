/** The common table of tests, for mail. */
import { test } from "vitest";
import { hasDovecot } from "../../support/dovecot.ts";
import { testChannel } from "../table/channel-table.ts";
import { playMail } from "./played-mail.ts";

if (hasDovecot) await testChannel(await playMail());
else test.skip("mail: the table needs Dovecot 2.3 (node tools/setup/ensure-dovecot.ts)", () => {});
