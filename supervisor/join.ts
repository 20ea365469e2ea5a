/** Taking part in another host's bus: what was asked for, checked, becomes the environment of the programs here. */
import { existsSync, writeFileSync } from "node:fs";
import { hostOf, isLoopback } from "../bus/connection/bus-url.ts";
import { isEncrypted, openBus } from "../bus/connection/connect.ts";
import { newSeed, publicKeyOf } from "../bus/connection/credentials.ts";
import { asVariables, type NatsFiles } from "../proc/programs/environment.ts";
import { namePattern } from "../protocol/names/names.ts";
import { shownUrl } from "../protocol/guards/shown-url.ts";

export type JoinDeps = {
  /** The addresses, without credentials. */
  urls: string[];
  files: NatsFiles;
  labels: string[];
};

/** This host can't join as it was asked to. */
export class JoinError extends Error {
  override name = "JoinError";
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/**
 * Checks what was asked for. A key that isn't there yet is made: the other side has to be told its public half.
 * @throws JoinError
 */
export function checkJoining({ urls, files, labels }: JoinDeps): void {
  for (const text of urls) {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (!url || (url.protocol !== "nats:" && url.protocol !== "tls:") || url.hostname === "")
      throw new JoinError(`--join "${shownUrl(text)}" is not an address`, "such as nats://keeper.example:4222");
    if (url.username || url.password)
      throw new JoinError(
        "--join has a credential in its address, and everybody on this host can read a command line",
        "put it into a file of your own (chmod 600) and name that: --nkey FILE or --token-file FILE; or set NATS_URL",
      );
  }
  const parsed = urls.map((text) => new URL(text));
  const other = parsed.find((url) => !isLoopback(hostOf(url)));
  if (other && !isEncrypted(files, parsed))
    throw new JoinError(
      `--join ${shownUrl(other.href)} leads to another host without TLS: prompts, results and passwords could be read on the way`,
      "name who signed its certificate: --ca FILE; or write tls:// where it is signed by somebody known here",
    );
  if ([files.nkeyFile, files.credsFile, files.tokenFile].filter(Boolean).length > 1)
    throw new JoinError("more than one credential was given", "one of --nkey, --creds and --token-file");
  if ((files.certFile === undefined) !== (files.keyFile === undefined))
    throw new JoinError("a certificate and its key belong together", "--cert FILE --key FILE");
  for (const label of labels)
    if (!namePattern.test(label)) throw new JoinError(`--label "${label}" is not a name`, "such as --label gpu,big");
  if (files.nkeyFile !== undefined && !existsSync(files.nkeyFile)) makeKey(files.nkeyFile);
}

function makeKey(file: string): never {
  writeFileSync(file, `${newSeed()}\n`, { flag: "wx", mode: 0o600 });
  const entry = JSON.stringify({ name: "worker", nkey: publicKeyOf(file) });
  throw new JoinError(
    `${file} was missing: a new key is in it, which the other host doesn't know yet`,
    `add ${entry} to bus.workers in its cortex.json, start it again (cortex up --replace), then repeat this`,
  );
}

/** Whether the bus lets us in. @throws BusUnreachableError or CredentialError, in words */
export async function tryJoining({ urls, files }: JoinDeps): Promise<void> {
  await using _bus = await openBus({ url: urls.join(","), ...files }, "cortex", 5000);
}

/** The environment that makes the programs of this journal take part. */
export function joinedEnvironment(env: NodeJS.ProcessEnv, { urls, files, labels }: JoinDeps): NodeJS.ProcessEnv {
  return {
    ...env,
    NATS_URL: urls.join(","),
    ...asVariables(files),
    ...(labels.length > 0 ? { CORTEX_LABELS: labels.join(",") } : {}),
  };
}
