/** Set-up of tests: installs PostgreSQL, where apt-get and root are there. Without, the tests that need it are skipped and say so. */
import { globSync } from "node:fs";
import { findProgram } from "../../proc/os/find-program.ts";
import { aptInstall } from "../../scripts/start/apt-install.ts";

const isThere = () => findProgram("initdb", globSync("/usr/lib/postgresql/*/bin")) !== null;

if (!isThere()) await aptInstall("postgresql");
if (!isThere()) process.stderr.write("no PostgreSQL: its tests are skipped. Install the package postgresql\n");
