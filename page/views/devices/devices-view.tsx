/** Browsers that are let in: let another one in by a code, and let one out. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { answered, type ApiRecord, client } from "../../api/client.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { Empty } from "../../parts/loading/empty.tsx";
import { Loading } from "../../parts/loading/loading.tsx";
import { View } from "../../parts/layout/view.tsx";
import { ago, dayOf } from "../../words/time/time.ts";
import { visible } from "../../words/text/visible-text.ts";
import { PairDevice } from "./pair-device.tsx";
import { PushHere } from "./push-here.tsx";
import "./devices.css";

type Device = ApiRecord<"SessionDevice">;

/** Milliseconds after which it is read anew: when another browser was here last is told by no event. */
const readAgainMs = 4000;

/** This browser first, then the newest: no row moves from under a hand since another browser was here again. */
const inOrder = (one: Device, other: Device) =>
  Number(other.is_this) - Number(one.is_this) || other.created_at.localeCompare(one.created_at);

export default function DevicesView() {
  const devices = useSignal<Device[] | null>(null);
  const problem = useSignal<unknown>(null);
  const isPairing = useSignal(false);

  const load = async () => {
    try {
      const { items } = await answered(client.GET("/api/v1/sessions", { params: { query: { limit: 200 } } }));
      devices.value = items.toSorted(inOrder);
      problem.value = null;
    } catch (error) {
      problem.value = error;
    }
  };
  useEffect(() => {
    void load();
    const timer = setInterval(() => document.hidden || void load(), readAgainMs);
    return () => clearInterval(timer);
  }, []);

  const revoke = async ({ id, is_this }: Device) => {
    await answered(client.DELETE("/api/v1/sessions/{id}", { params: { path: { id } } }));
    if (is_this) location.reload();
    else await load();
  };

  const count = devices.value?.length ?? 0;
  return (
    <View
      title="Devices"
      sum={count === 0 ? undefined : `${count} ${count === 1 ? "browser is" : "browsers are"} let in`}
      actions={<Button onPress={() => (isPairing.value = true)}>Pair a device</Button>}
    >
      <Loading isThere={devices.value !== null} error={problem.value} onRetry={load} rows={3} lines={2} />
      {isPairing.value && <PairDevice onClose={() => ((isPairing.value = false), void load())} />}
      {devices.value && <DeviceList devices={devices.value} onRevoke={revoke} />}
      <PushHere />
    </View>
  );
}

function DeviceList({ devices, onRevoke }: { devices: Device[]; onRevoke: (device: Device) => Promise<void> }) {
  if (devices.length === 0)
    return (
      <Empty title="No browser has a session." command="cortex open">
        You came with a token. A browser gets a session by a link:
      </Empty>
    );
  const now = Date.now();
  return (
    <ul class="devices" aria-label="Devices">
      {devices.map((device) => (
        <li key={device.id} data-row>
          <div>
            <b class="strong">
              <bdi>{visible(device.device)}</bdi>
            </b>
            {device.is_this && <span class="ink-3"> this browser</span>}
            <p class="small ink-3">
              let in on {dayOf(device.created_at)}, until {dayOf(device.expires_at)}
            </p>
          </div>
          <span class="ink-2 num">{ago(device.last_seen_at, now)}</span>
          <Button
            kind="quiet"
            label={device.is_this ? undefined : `Revoke ${visible(device.device)}`}
            {...(!device.is_this && { keyName: "X" })}
            busyText="Revoking"
            onPress={() => onRevoke(device)}
          >
            {device.is_this ? "Sign out" : "Revoke"}
          </Button>
        </li>
      ))}
    </ul>
  );
}
