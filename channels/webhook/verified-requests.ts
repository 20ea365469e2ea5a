/** Requests to the webhook whose signature is right, each signature for one address alone. */
import type { FastifyRequest } from "fastify";
import type { UploadCheck } from "../../journal/attachments/store-upload.ts";
import { JsonDepthError, parseJson } from "../../protocol/json/parse-json.ts";
import { HttpError } from "../adapter/http-server.ts";
import { checkSignature, type SignatureCheck, type VerifiedMessage } from "./signature.ts";
import { UsedSignatures } from "./used-signatures.ts";

export type Verified = Exclude<VerifiedMessage, { problem: string }>;

export class VerifiedRequests {
  readonly #secret: string;
  readonly #used: UsedSignatures = new UsedSignatures();

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Checks a request whose body has been read. @throws HttpError 401 */
  verified(request: FastifyRequest): { body: Buffer; signed: Verified } {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const check = this.#check(request);
    check.update(body);
    return { body, signed: this.#accept(request, check) };
  }

  /** The body of such a request. @throws HttpError 401, and 400 where it isn't JSON */
  json(request: FastifyRequest): unknown {
    return bodyJson(this.verified(request).body);
  }

  /** Checks a body while it is stored: its signature is known at its end. */
  upload(request: FastifyRequest): UploadCheck {
    const check = this.#check(request);
    const accept = () => this.#accept(request, check);
    return async function* (content) {
      for await (const part of content) {
        check.update(part);
        yield part;
      }
      accept();
    };
  }

  #check({ headers }: FastifyRequest): SignatureCheck {
    return checkSignature(this.#secret, headers, Date.now());
  }

  #accept({ method, url }: FastifyRequest, check: SignatureCheck): Verified {
    const signed = check.end();
    if (signed.problem !== undefined) throw new HttpError(401, signed.problem);
    if (!this.#used.use(signed.stamp, `${method} ${url}`, Date.now()))
      throw new HttpError(401, "this signature was used for another address: sign each request anew");
    return signed;
  }
}

/** @throws HttpError 400 */
export function bodyJson(body: Buffer): unknown {
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    throw new HttpError(400, `the body is ${error instanceof JsonDepthError ? error.message : "not JSON"}`);
  }
}
