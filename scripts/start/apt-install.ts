/** Installation of Debian packages, where apt-get and root are there. */
import { execa } from "execa";
import { findProgram } from "../../proc/os/find-program.ts";

const installMs = 300_000;

/** Installs packages, once the lists are fetched where one isn't known. Where that can't be, nothing happens. */
export async function aptInstall(...names: string[]): Promise<void> {
  if (!findProgram("apt-get") || process.getuid?.() !== 0) return;
  process.stderr.write(`installing ${names.join(" and ")} with apt-get …\n`);
  // A package may start its server on the usual port, which nobody asked for.
  const env = { DEBIAN_FRONTEND: "noninteractive", SYSTEMD_OFFLINE: "1", RUNLEVEL: "1" };
  const apt = (...args: string[]) =>
    execa("apt-get", ["-q", "-y", "-o", "DPkg::Lock::Timeout=120", ...args], {
      env,
      reject: false,
      stdin: "ignore",
      timeout: installMs,
    });
  const install = () => apt("install", "--no-install-recommends", ...names);
  if (!(await install()).failed) return;
  await apt("update");
  await install();
}
