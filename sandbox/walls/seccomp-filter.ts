/**
 * A filter of system calls for what mounts can't prevent: connecting to sockets of the file system, leaving files with the
 * set-uid bit behind (root's would be root's outside, too), kernel keys. In the kernel's own format (classic BPF).
 */
import { endianness } from "node:os";

type System = {
  /** AUDIT_ARCH of the kernel: calls in any other way, such as 32-bit ones, are refused. */
  arch: number;
  /** Calls numbered from here on belong to another table (x32). */
  foreignFrom?: number;
  socket: number;
  /** The calls that set a file's mode, each with the number of that argument. */
  modes: [call: number, argument: number][];
  /** Calls whose arguments can't be seen, or which nothing needs: they are "not implemented". */
  absent: number[];
};

const systems: Partial<Record<NodeJS.Architecture, System>> = {
  x64: {
    arch: 0xc000003e,
    foreignFrom: 0x40000000,
    socket: 41,
    // chmod, fchmod, fchmodat, fchmodat2, open, openat, creat, mknod, mknodat
    modes: [
      [90, 1],
      [91, 1],
      [268, 2],
      [452, 2],
      [2, 2],
      [257, 3],
      [85, 1],
      [133, 1],
      [259, 2],
    ],
    // openat2, io_uring_setup, add_key, request_key, keyctl, bpf, userfaultfd, perf_event_open
    absent: [437, 425, 248, 249, 250, 321, 323, 298],
  },
  arm64: {
    arch: 0xc00000b7,
    socket: 198,
    // fchmod, fchmodat, fchmodat2, openat, mknodat
    modes: [
      [52, 1],
      [53, 2],
      [452, 2],
      [56, 3],
      [33, 2],
    ],
    absent: [437, 425, 217, 218, 219, 280, 282, 241],
  },
};

/** Bits of a mode: set-uid and set-gid. */
const setIds = 0o6000;

/** The families of sockets that nobody may make: AF_UNIX, AF_VSOCK. */
const noSockets = [1, 40];

const [load, equal, atLeast, anyBit, give] = [0x20, 0x15, 0x35, 0x45, 0x06];
const [allow, notPermitted, notImplemented] = [0x7fff0000, 0x00050000 | 1, 0x00050000 | 38];
const [number, architecture] = [0, 4];

/** Where the lower half of an argument is: nothing that is compared here is longer. */
const argument = (index: number) => 16 + 8 * index;

type Step = [code: number, ifTrue: number, ifFalse: number, value: number];

/** The filter, ready for `bwrap --seccomp`; null on a processor whose calls aren't known here. */
export function seccompFilter(): Buffer | null {
  const system = systems[process.arch];
  if (!system || endianness() !== "LE") return null;
  const steps: Step[] = [
    [load, 0, 0, architecture],
    [equal, 1, 0, system.arch],
    [give, 0, 0, notPermitted],
    [load, 0, 0, number],
  ];
  if (system.foreignFrom !== undefined) steps.push([atLeast, 0, 1, system.foreignFrom], [give, 0, 0, notImplemented]);
  for (const call of system.absent) steps.push([equal, 0, 1, call], [give, 0, 0, notImplemented]);
  for (const [call, index] of system.modes)
    steps.push(
      [equal, 0, 4, call],
      [load, 0, 0, argument(index)],
      [anyBit, 0, 1, setIds],
      [give, 0, 0, notPermitted],
      [give, 0, 0, allow],
    );
  steps.push([equal, 0, 2 + 2 * noSockets.length, system.socket], [load, 0, 0, argument(0)]);
  for (const family of noSockets) steps.push([equal, 0, 1, family], [give, 0, 0, notPermitted]);
  steps.push([give, 0, 0, allow], [give, 0, 0, allow]);
  return Buffer.concat(steps.map(encoded));
}

function encoded([code, ifTrue, ifFalse, value]: Step): Buffer {
  const step = Buffer.alloc(8);
  step.writeUInt16LE(code, 0);
  step.writeUInt8(ifTrue, 2);
  step.writeUInt8(ifFalse, 3);
  step.writeUInt32LE(value >>> 0, 4);
  return step;
}
