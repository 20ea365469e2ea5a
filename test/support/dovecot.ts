/** A Dovecot of a test's own: an IMAP server on a free port of this machine, with its mails in a temporary folder. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findProgram } from "../../proc/os/find-program.ts";
import { ownPort } from "./network/own-port.ts";
import { patienceMs } from "./patience.ts";

const dovecot = findProgram("dovecot", ["/usr/sbin"]);
const doveadm = findProgram("doveadm", ["/usr/sbin"]);
const version = dovecot === null ? "" : execFileSync(dovecot, ["--version"], { encoding: "utf8" });

/** Later ones have another form of settings. */
export const hasDovecot = version.startsWith("2.3.");

export const mailUser = "cortex";
export const mailPassword = "the-password-of-the-mailbox";

/** Ends the server when its input ends: so also when the process that started it is killed. */
const untilInputEnds = `"$@" & read -r _; kill -TERM $!; wait`;

export type Dovecot = AsyncDisposable & {
  port: number;
  /** Puts a mail into the mailbox, as a server that has received it does. */
  deliver: (mail: string | Buffer) => void;
  /** Ends it, does something to its files, and starts it again. */
  restart: (meanwhile?: (folder: string) => void | Promise<void>) => Promise<void>;
  /** Ends the connections that are open. */
  drop: () => void;
  /** The folder with the mails. */
  folder: string;
};

/** @param certificate with it the connection is encrypted from the begin */
export async function startDovecot(certificate?: { cert: string; key: string }): Promise<Dovecot> {
  const base = mkdtempSync(join(tmpdir(), "dovecot-"));
  const folder = join(base, "mail");
  const owner = mailOwner();
  for (const path of [folder, ...["new", "cur", "tmp"].map((name) => join(folder, name))]) {
    mkdirSync(path);
    if (owner) chownSync(path, owner.uid, owner.gid);
  }
  chmodSync(base, 0o755); // its own users pass through
  const port = await ownPort();
  writeFileSync(join(base, "users"), `${mailUser}:{PLAIN}${mailPassword}\n`, { mode: 0o644 });
  writeFileSync(join(base, "dovecot.conf"), settingsOf(base, port, owner, certificate));
  const programOf = () => startProgram(base, port);
  let program = await programOf();
  let count = 0;
  return {
    port,
    folder,
    deliver(mail) {
      // Whole, or not at all: it is moved to where it is seen. Those of one second are numbered by their names.
      const name = `${Math.floor(Date.now() / 1000)}.M${String(++count).padStart(6, "0")}P${process.pid}.test`;
      const temporary = join(folder, "tmp", name);
      writeFileSync(temporary, mail);
      if (owner) chownSync(temporary, owner.uid, owner.gid);
      renameSync(temporary, join(folder, "new", name));
    },
    async restart(meanwhile = () => {}) {
      await program.end();
      await meanwhile(folder);
      program = await programOf();
    },
    drop() {
      // It fails where there is none.
      spawnSync(doveadm ?? "", ["-c", join(base, "dovecot.conf"), "kick", mailUser], { stdio: "ignore" });
    },
    async [Symbol.asyncDispose]() {
      await program.end();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

async function startProgram(base: string, port: number): Promise<{ end: () => Promise<void> }> {
  const args = ["-F", "-c", join(base, "dovecot.conf")];
  const child = spawn("/bin/sh", ["-c", untilInputEnds, "sh", dovecot ?? "", ...args], {
    stdio: ["pipe", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const exited = once(child, "exit");
  for (const end = performance.now() + patienceMs; !(await greets(port)); await delay(20))
    if (child.exitCode !== null || performance.now() > end) throw new Error(`Dovecot doesn't start: ${log}`);
  return {
    async end() {
      child.stdin.end();
      await exited;
    },
  };
}

/** Whether a server takes connections there. */
function greets(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, "127.0.0.1");
  socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

type Owner = { uid: number; gid: number };

/** Dovecot reads no mails of root: they are nobody's then. */
function mailOwner(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option: string) => Number(execFileSync("id", [option, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

function settingsOf(
  base: string,
  port: number,
  owner: Owner | undefined,
  certificate?: { cert: string; key: string },
): string {
  const { uid, gid, username } = userInfo();
  const users = owner
    ? []
    : [`default_internal_user = ${username}`, `default_login_user = ${username}`, `default_internal_group = ${gid}`];
  const unused = certificate ? "imap" : "imaps";
  const used = certificate ? "imaps" : "imap";
  const tls = certificate
    ? ["ssl = required", `ssl_cert = <${certificate.cert}`, `ssl_key = <${certificate.key}`]
    : ["ssl = no"];
  return [
    `base_dir = ${join(base, "run")}`,
    `state_dir = ${join(base, "state")}`,
    "log_path = /dev/stderr",
    "protocols = imap",
    "listen = 127.0.0.1",
    ...users,
    ...tls,
    "disable_plaintext_auth = no",
    "auth_failure_delay = 0",
    "first_valid_uid = 1",
    `mail_location = maildir:${join(base, "mail")}`,
    "maildir_very_dirty_syncs = no",
    `passdb {\n driver = passwd-file\n args = scheme=PLAIN ${join(base, "users")}\n}`,
    `userdb {\n driver = static\n args = uid=${owner?.uid ?? uid} gid=${owner?.gid ?? gid} home=${join(base, "mail")}\n}`,
    `service imap-login {\n chroot =\n inet_listener ${used} {\n port = ${port}\n${certificate ? " ssl = yes\n" : ""} }\n inet_listener ${unused} {\n port = 0\n }\n}`,
    "service anvil {\n chroot =\n}",
    "",
  ].join("\n");
}
