/** An SMTP server of a test's own, which keeps what it is given and fails as it is told. */
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import {
  SMTPServer,
  type SMTPServerAuthentication,
  type SMTPServerDataStream,
  type SMTPServerSession,
} from "smtp-server";
import { mailPassword, mailUser } from "../../support/dovecot.ts";

export type SentMail = { from: string; to: string[]; raw: string; mail: Email };

/**
 * A number: what it answers with, to whom the mail goes or once it has the mail. `broken`: it has the mail, and ends without a word;
 * `torn`: in the middle of its word.
 */
export type SmtpFailure = { to: number } | { mail: number } | "broken" | "torn" | "closed";

type Done = (error?: Error | null) => void;
type LoggedIn = (error: Error | null, response?: { user: string }) => void;

export class PlayedSmtp implements AsyncDisposable {
  readonly sent: SentMail[] = [];
  /** The password that is taken. */
  password = mailPassword;
  readonly port: number;
  readonly #server: SMTPServer;
  readonly #failures: SmtpFailure[] = [];

  private constructor(server: SMTPServer, port: number) {
    this.#server = server;
    this.port = port;
  }

  static async start(): Promise<PlayedSmtp> {
    const { promise, resolve } = Promise.withResolvers<PlayedSmtp>();
    const server = new SMTPServer({
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
      logger: false,
      onAuth: (login, _session, done) => void promise.then((played) => played.#takeLogin(login, done)),
      onRcptTo: (_address, session, done) => void promise.then((played) => played.#takeRecipient(session, done)),
      onData: (stream, session, done) => void promise.then((played) => played.#takeMail(stream, session, done)),
    });
    // A connection that ends in the middle is told of here.
    server.on("error", () => {});
    server.listen(0, "127.0.0.1");
    await once(server.server, "listening");
    resolve(new PlayedSmtp(server, (server.server.address() as AddressInfo).port));
    return promise;
  }

  /** The next mail fails so. */
  fail(failure: SmtpFailure): void {
    this.#failures.push(failure);
  }

  #takeLogin({ username, password }: SMTPServerAuthentication, done: LoggedIn): void {
    const isRight = username === mailUser && password === this.password;
    done(isRight ? null : new Error("Invalid username or password"), isRight ? { user: mailUser } : undefined);
  }

  #takeRecipient({ id }: SMTPServerSession, done: Done): void {
    const [failure] = this.#failures;
    const isNow = failure === "closed" || (typeof failure === "object" && "to" in failure);
    if (isNow) this.#failures.shift();
    if (failure === "closed") this.#end(id);
    else done(isNow && typeof failure === "object" ? refusal(failure.to) : null);
  }

  async #takeMail(stream: SMTPServerDataStream, { id, envelope }: SMTPServerSession, done: Done): Promise<void> {
    const parts = await Array.fromAsync(stream as AsyncIterable<Buffer>).catch(() => null);
    // Who sends it was killed in the middle of it: there is no mail, and nobody to answer.
    if (parts === null) return;
    const raw = Buffer.concat(parts);
    const failure = this.#failures.shift();
    if (typeof failure === "object") return done(refusal("mail" in failure ? failure.mail : failure.to));
    const { mailFrom, rcptTo } = envelope;
    const from = mailFrom === false ? "" : mailFrom.address;
    const to = rcptTo.map(({ address }) => address);
    this.sent.push({ from, to, raw: raw.toString(), mail: await PostalMime.parse(raw) });
    if (failure === "broken") return this.#end(id);
    if (failure === "torn") return this.#end(id, "250 2.0.0 O");
    return done();
  }

  #end(id: string, lastWord = ""): void {
    for (const connection of this.#server.connections)
      if (connection.id === id) {
        const { _socket: socket } = connection as unknown as { _socket: Socket };
        socket.write(lastWord, () => socket.destroy());
      }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = Promise.withResolvers<void>();
    this.#server.close(() => closed.resolve());
    await closed.promise;
  }
}

const refusal = (responseCode: number) => Object.assign(new Error(`played ${responseCode}`), { responseCode });
