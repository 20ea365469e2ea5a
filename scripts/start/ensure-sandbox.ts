/** Set-up of tests: installs what a sandbox needs, where apt-get and root are there. Without, those tests are skipped and say so. */
import { findSandbox, sandboxRemedy } from "../../sandbox/sandbox-level.ts";
import { aptInstall } from "./apt-install.ts";

const { missing } = await findSandbox();
if (missing.length > 0) await aptInstall(...missing);
const after = await findSandbox();
if (after.level === "none")
  process.stderr.write(`no sandbox: ${after.why}; its tests are skipped. ${sandboxRemedy(after)}\n`);
