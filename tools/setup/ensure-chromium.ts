/** Set-up of tests: installs Chromium, where apt-get and root are there. Without, the tests of the page fail and say so. */
import { execa } from "execa";
import { findProgram } from "../../proc/os/find-program.ts";

const installMs = 300_000;

const isThere = () => ["chromium", "chromium-browser", "google-chrome"].some((name) => findProgram(name) !== null);

if (!isThere() && findProgram("apt-get") && process.getuid?.() === 0) {
  process.stderr.write("installing chromium with apt-get …\n");
  const apt = (...args: string[]) =>
    execa("apt-get", ["-q", "-y", "-o", "DPkg::Lock::Timeout=120", ...args], {
      env: { DEBIAN_FRONTEND: "noninteractive" },
      reject: false,
      stdin: "ignore",
      timeout: installMs,
    });
  const install = () => apt("install", "--no-install-recommends", "chromium", "fonts-liberation");
  if ((await install()).failed) {
    await apt("update");
    await install();
  }
}
if (!isThere()) process.stderr.write("no Chromium: the tests of the page fail. Install the package chromium\n");
