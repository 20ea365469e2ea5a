/** A code to be read by another device's camera: a link that lets it in, once. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { answered, client } from "../../api/client.ts";
import { Dialog } from "../../parts/layout/dialog.tsx";
import { Problem } from "../../parts/loading/problem.tsx";

export function PairDevice({ onClose }: { onClose: () => void }) {
  const link = useSignal<{ url: string; path: string; size: number } | null>(null);
  const problem = useSignal<unknown>(null);

  const make = async () => {
    try {
      const [made, { encode }] = await Promise.all([answered(client.POST("/api/v1/session-links", {})), import("uqr")]);
      const url = made.public_url ?? made.url;
      const { data, size } = encode(url, { border: 3 });
      link.value = { url, path: pathOf(data), size };
      problem.value = null;
    } catch (error) {
      problem.value = error;
    }
  };
  useEffect(() => void make(), []);

  const { url = "", path, size } = link.value ?? {};
  return (
    <Dialog title="Pair a device" onClose={onClose}>
      <div class="pair">
        <Problem error={problem.value} onRetry={make} />
        <p class="ink-2">Read this with the other device’s camera, within ten minutes. It lets one browser in, once.</p>
        {path !== undefined && (
          <svg
            class="qr"
            viewBox={`0 0 ${size} ${size}`}
            role="img"
            aria-label="Code of the link"
            shape-rendering="crispEdges"
          >
            <path d={path} />
          </svg>
        )}
        {isOfThisMachine(url) && (
          <p class="small ink-2">This page listens on this machine alone, so only browsers here can follow the link.</p>
        )}
        <pre class="link">{url}</pre>
      </div>
    </Dialog>
  );
}

/** The dark modules of a code, each a square of one unit. */
const pathOf = (rows: readonly boolean[][]): string =>
  rows.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")).join("")).join("");

const isOfThisMachine = (url: string) => /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/]/.test(url);
