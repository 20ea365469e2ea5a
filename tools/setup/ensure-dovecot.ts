/** Set-up of tests: installs Dovecot, an IMAP server, where apt-get and root are there. Without, the tests that need it are skipped and say so. */
import { findProgram } from "../../proc/os/find-program.ts";
import { aptInstall } from "../../scripts/start/apt-install.ts";

const isThere = () => findProgram("dovecot", ["/usr/sbin"]) !== null;

if (!isThere()) await aptInstall("dovecot-imapd");
if (!isThere()) process.stderr.write("no Dovecot: its tests are skipped. Install the package dovecot-imapd\n");
