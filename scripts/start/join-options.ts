/** The options of `cortex up` that make it a worker of another host's bus. */
import { CredentialError } from "../../bus/connection/credentials.ts";
import { BusUnreachableError } from "../../bus/connection/connect-error.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { checkJoining, JoinError, type JoinDeps, tryJoining } from "../../supervisor/join.ts";
import { CommandError, noBusError, usageError } from "../command/command.ts";

export const joinOptions = {
  join: { type: "string" },
  ca: { type: "string" },
  cert: { type: "string" },
  key: { type: "string" },
  nkey: { type: "string" },
  creds: { type: "string" },
  "token-file": { type: "string" },
  label: { type: "string" },
} as const;

export const joinHelp = `
  --join URL[,URL…]   work on the bus of another host: nats://host:4222, or all addresses of a cluster
  --label NAME[,NAME…]  labels of this worker, which requests ask for, beside the labels in its settings
  --ca FILE           the authority that signed the bus's certificate; another host's bus is reached over TLS only
  --nkey FILE         our key (0600); if it is missing, it is made and its public half is printed
  --creds FILE, --token-file FILE   other credentials, each in a file of your own (0600)
  --cert FILE --key FILE   our certificate, if the server asks for one
`;

type Values = { [Option in keyof typeof joinOptions]?: string | undefined };

/**
 * Reads the join that was asked for, and tries it once; null when it isn't to join.
 * @throws CommandError (exit 2 for what can't be, 69 when the bus isn't reached or doesn't let us in)
 */
export async function readJoining(values: Values): Promise<JoinDeps | null> {
  const { join, label } = values;
  if (join === undefined) {
    const stray = Object.keys(joinOptions).find((option) => values[option as keyof Values] !== undefined);
    if (stray !== undefined) throw usageError(`--${stray} needs --join`, "see: cortex up --help");
    return null;
  }
  const joining: JoinDeps = { urls: list(join), files: filesOf(values), labels: list(label ?? "") };
  try {
    checkJoining(joining);
    await tryJoining(joining);
    return joining;
  } catch (error) {
    if (error instanceof JoinError) throw usageError(error.message, error.hint);
    if (error instanceof CredentialError)
      throw new CommandError("usage", error.message, "see: cortex up --help", exitCodes.usage, { cause: error });
    if (error instanceof BusUnreachableError) {
      const { type, message, exitCode } = noBusError(error.message, error);
      throw new CommandError(type, message, "fix it on that host or here, then try again", exitCode, { cause: error });
    }
    throw error;
  }
}

function filesOf({ ca, cert, key, nkey, creds, "token-file": token }: Values): JoinDeps["files"] {
  const given = { caFile: ca, certFile: cert, keyFile: key, nkeyFile: nkey, credsFile: creds, tokenFile: token };
  return Object.fromEntries(Object.entries(given).filter(([, path]) => path !== undefined));
}

const list = (text: string) => text.split(",").filter((part) => part !== "");
