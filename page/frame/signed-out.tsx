/** Shown instead of a view when the session has ended: elsewhere, or by time. */
import { Empty } from "../parts/loading/empty.tsx";
import { View } from "../parts/layout/view.tsx";

export function SignedOut() {
  return (
    <View title="Signed out">
      <Empty title="This browser isn't let in any more." command="cortex open">
        Its session has ended, or somebody has revoked it. Make a new link at the terminal:
      </Empty>
    </View>
  );
}
