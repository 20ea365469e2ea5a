/** Whether this browser is told of what happens while the page isn't open, and which others are. */
import { signal } from "@preact/signals";
import { answered, type ApiRecord, client } from "../../api/client.ts";

export type PushState = ApiRecord<"PushState">;
export type PushDevice = ApiRecord<"PushDevice">;
export type PushKind = PushDevice["kinds"][number];

export const pushState = signal<PushState | null>(null);

/** Whether the browser has it: not on every phone, and not without TLS beyond this machine. */
export const hasPush = (): boolean => isSecureContext && "serviceWorker" in navigator && "PushManager" in window;

export async function readPush(): Promise<void> {
  pushState.value = await answered(client.GET("/api/v1/push"));
}

/** This browser is told of these, and of nothing else. @throws what the browser or the server said when it refuses */
export async function tellHere(kinds: PushKind[]): Promise<void> {
  const here = pushState.value?.devices.find((device) => device.is_this);
  if (kinds.length === 0) {
    if (here) await tellNothing(here.id);
    return;
  }
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error("This browser doesn’t let the page notify you: allow it beside the address.");
  const { endpoint, keys } = await subscribed();
  await answered(client.POST("/api/v1/push", { body: { endpoint, keys, kinds } }));
  await readPush();
}

export async function tryPush(id: string): Promise<void> {
  await answered(client.POST("/api/v1/push/{id}/try", { params: { path: { id } } }));
}

export async function tellNothing(id: string): Promise<void> {
  await answered(client.DELETE("/api/v1/push/{id}", { params: { path: { id } } }));
  await readPush();
}

type Subscribed = { endpoint: string; keys: { p256dh: string; auth: string } };

async function subscribed(): Promise<Subscribed> {
  await navigator.serviceWorker.register(workerAddress());
  const { pushManager } = await navigator.serviceWorker.ready;
  const applicationServerKey = pushState.value?.public_key ?? "";
  const known = await pushManager.getSubscription();
  // One that was made for another key is of no use: the server's was lost.
  if (known && keyOf(known) !== applicationServerKey) await known.unsubscribe();
  const { endpoint, keys } = (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })).toJSON();
  const { p256dh, auth } = keys ?? {};
  if (endpoint === undefined || p256dh === undefined || auth === undefined)
    throw new Error("This browser’s push service gave no address.");
  return { endpoint, keys: { p256dh, auth } };
}

function keyOf({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0));
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The page's policy wants to be told that this address is ours. */
function workerAddress(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy: (name: string, rules: object) => Policy } };
  policy ??= trustedTypes?.createPolicy("cortex-worker", { createScriptURL: () => "/sw.js" }) ?? null;
  return policy?.createScriptURL("") ?? "/sw.js";
}

type Policy = { createScriptURL: (url: string) => string };
let policy: Policy | null = null;
