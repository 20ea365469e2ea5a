/** Set-up of tests: installs what a sandbox needs, where apt-get and root are there. Without, those tests are skipped and say so. */
import { execa } from "execa";
import { findProgram } from "../../proc/os/find-program.ts";
import { findSandbox, sandboxRemedy } from "../../sandbox/sandbox-level.ts";

const installMs = 300_000;

const before = await findSandbox();
if (before.missing.length > 0 && findProgram("apt-get") && process.getuid?.() === 0) {
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const apt = (...args: string[]) =>
    execa("apt-get", ["-q", "-y", "-o", "DPkg::Lock::Timeout=120", ...args], {
      env,
      reject: false,
      stdin: "ignore",
      timeout: installMs,
    });
  process.stderr.write(`installing ${before.missing.join(", ")} with apt-get …\n`);
  const install = () => apt("install", "--no-install-recommends", ...before.missing);
  if ((await install()).failed) {
    await apt("update");
    await install();
  }
}
const after = await findSandbox();
if (after.level === "none")
  process.stderr.write(`no sandbox: ${after.why}; its tests are skipped. ${sandboxRemedy(after)}\n`);
