/** Set-up of tests: installs Dovecot, an IMAP server, where apt-get and root are there. Without, the tests that need it are skipped and say so. */
import { execa } from "execa";
import { findProgram } from "../../proc/os/find-program.ts";

const installMs = 300_000;

const isThere = () => findProgram("dovecot", ["/usr/sbin"]) !== null;

if (!isThere() && findProgram("apt-get") && process.getuid?.() === 0) {
  process.stderr.write("installing dovecot-imapd with apt-get …\n");
  // The package would start a server on port 143, which nobody asked for.
  const env = { DEBIAN_FRONTEND: "noninteractive", SYSTEMD_OFFLINE: "1", RUNLEVEL: "1" };
  const apt = (...args: string[]) =>
    execa("apt-get", ["-q", "-y", "-o", "DPkg::Lock::Timeout=120", ...args], {
      env,
      reject: false,
      stdin: "ignore",
      timeout: installMs,
    });
  const install = () => apt("install", "--no-install-recommends", "dovecot-imapd");
  if ((await install()).failed) {
    await apt("update");
    await install();
  }
}
if (!isThere()) process.stderr.write("no Dovecot: its tests are skipped. Install the package dovecot-imapd\n");
