/** A server's end of a WebSocket, as far as Slack's Socket Mode needs it: texts both ways, pings answered, an orderly end and a sudden one. */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

const magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const opcodes = { text: 1, close: 8, ping: 9, pong: 10 };

export class WebSocketEnd {
  readonly #socket: Duplex;
  readonly #onText: (text: string) => void;
  #unread = Buffer.alloc(0);
  #text: Buffer[] = [];

  constructor(request: IncomingMessage, socket: Duplex, onText: (text: string) => void, onEnd: () => void) {
    this.#socket = socket;
    this.#onText = onText;
    const accepted = createHash("sha1").update(`${request.headers["sec-websocket-key"]}${magic}`).digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accepted}\r\n\r\n`,
    );
    socket.on("data", (bytes: Buffer) => this.#read(bytes));
    socket.on("error", () => {});
    socket.once("close", onEnd);
  }

  send(text: string): void {
    this.#write(opcodes.text, Buffer.from(text));
  }

  /** Sends half of a text, and ends without a word. */
  tear(text: string): void {
    const frame = frameOf(opcodes.text, Buffer.from(text));
    this.#socket.write(frame.subarray(0, frame.length >> 1), () => this.#socket.destroy());
  }

  close(code = 1000): void {
    this.#write(opcodes.close, Buffer.from([code >> 8, code & 0xff]));
    this.#socket.end();
  }

  /** Ends without a word. */
  drop(): void {
    this.#socket.destroy();
  }

  #write(opcode: number, content: Buffer): void {
    if (this.#socket.writable) this.#socket.write(frameOf(opcode, content));
  }

  #read(bytes: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, bytes]);
    for (let frame = this.#next(); frame; frame = this.#next()) {
      if (frame.opcode === opcodes.close) return this.close();
      if (frame.opcode === opcodes.ping) this.#write(opcodes.pong, frame.content);
      if (frame.opcode > opcodes.text) continue;
      this.#text.push(frame.content);
      if (!frame.isLast) continue;
      const text = Buffer.concat(this.#text).toString("utf8");
      this.#text = [];
      this.#onText(text);
    }
  }

  /** A client's frames are masked. */
  #next(): { opcode: number; isLast: boolean; content: Buffer } | null {
    const all = this.#unread;
    if (all.length < 2) return null;
    const short = all.readUInt8(1) & 0x7f;
    const start = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (all.length < start + 4) return null;
    const length = short === 126 ? all.readUInt16BE(2) : short === 127 ? Number(all.readBigUInt64BE(2)) : short;
    if (all.length < start + 4 + length) return null;
    const mask = all.subarray(start, start + 4);
    const content = Buffer.from(all.subarray(start + 4, start + 4 + length)).map(
      (byte, n) => byte ^ (mask[n % 4] ?? 0),
    );
    this.#unread = all.subarray(start + 4 + length);
    const first = all.readUInt8(0);
    return { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, content: Buffer.from(content) };
  }
}

function frameOf(opcode: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 126 ? Buffer.from([0x80 | opcode, length]) : Buffer.alloc(length < 65_536 ? 4 : 10);
  if (length >= 126) {
    head[0] = 0x80 | opcode;
    head[1] = length < 65_536 ? 126 : 127;
    if (length < 65_536) head.writeUInt16BE(length, 2);
    else head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, content]);
}
