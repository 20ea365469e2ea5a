/** The servers of the mail channel, as the settings name them: how each is reached, and with which password. */
import { isIP } from "node:net";
import { ChannelSecretError, readChannelSecret } from "../../../journal/channels/channel-secret.ts";
import { SettingsError, settingsPath } from "../../../journal/config/settings.ts";
import type { ChannelSettings } from "../../../protocol/agents/channel-settings.ts";
import type { MailTrust } from "../../../protocol/agents/channels/mail.ts";
import { normalAddress } from "./address.ts";

export type MailServer = {
  host: string;
  port: number;
  user: string;
  password: string;
  /** `tls`: from the begin. `starttls`: asked for, and nothing goes on without. `none`: within this machine. */
  security: "tls" | "starttls" | "none";
};

export type MailAccount = {
  imap: MailServer;
  smtp: MailServer;
  address: string;
  trust: readonly MailTrust[];
  /** Undefined: whichever server's results stand above the first `Received`. Empty: nobody is believed. */
  authservIds: readonly string[] | undefined;
  answersPerHour: number;
};

/** The password was refused: another try makes nothing better. */
export class MailPasswordError extends ChannelSecretError {
  override name = "MailPasswordError";
}

const usualPorts = { imap: 993, smtp: 465 };
/** From RFC 3207, 8314 and 9051: ports on which a connection begins without encryption. */
const startTlsPorts = [25, 143, 587];
const usualAnswersPerHour = 60;

type Place = { journal: string; env: NodeJS.ProcessEnv };

/** @throws SettingsError, or ChannelSecretError where a password isn't there */
export function mailAccount(place: Place, settings: ChannelSettings): MailAccount {
  const { trust = ["dkim", "spf"], authserv_ids: authservIds, answers_per_hour, allow = [] } = settings;
  const address = normalAddress(settings.address ?? "");
  if (address === null) throw problem(place, "address: expected the channel's own address, such as cortex@example.org");
  const unequal = allow.find((one) => normalAddress(one) !== one);
  if (unequal !== undefined) throw problem(place, `allow: expected addresses in lower case, got ${unequal}`);
  return {
    imap: serverOf(place, "imap", settings.imap),
    smtp: serverOf(place, "smtp", settings.smtp),
    address,
    trust,
    authservIds,
    answersPerHour: answers_per_hour ?? usualAnswersPerHour,
  };
}

function serverOf(place: Place, kind: "imap" | "smtp", settings: ChannelSettings["imap"]): MailServer {
  if (!settings) throw problem(place, `${kind}: expected {"host", "user", "password_file"}`);
  const { host, user, port = usualPorts[kind], tls = true, password_file: file, password_env: variable } = settings;
  if (!tls && !isLoopback(host))
    throw problem(
      place,
      `${kind}.tls: without encryption a password goes to this machine alone, and ${host} isn't it: leave out "tls": false`,
    );
  const name = `channels.mail.${kind}.password`;
  const password = readChannelSecret(place.journal, place.env, { name, file, variable, mayHaveBlanks: true });
  const security = !tls ? "none" : startTlsPorts.includes(port) ? "starttls" : "tls";
  return { host, port, user, password, security };
}

const isLoopback = (host: string) =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

const problem = ({ journal }: Place, text: string) =>
  new SettingsError(settingsPath(journal), [`channels.mail.${text}`]);
