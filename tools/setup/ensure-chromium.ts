/** Set-up of tests: installs Chromium, where apt-get and root are there. Without, the tests of the page fail and say so. */
import { findProgram } from "../../proc/os/find-program.ts";
import { aptInstall } from "../../scripts/start/apt-install.ts";

const isThere = () => ["chromium", "chromium-browser", "google-chrome"].some((name) => findProgram(name) !== null);

if (!isThere()) await aptInstall("chromium", "fonts-liberation");
if (!isThere()) process.stderr.write("no Chromium: the tests of the page fail. Install the package chromium\n");
