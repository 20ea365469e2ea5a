/** Shown for an address that no view has. */
import { Empty } from "../parts/loading/empty.tsx";
import { View } from "../parts/layout/view.tsx";

export function NotFound() {
  return (
    <View title="No such page">
      <Empty title="Nothing is at this address.">
        <a href="/">Go to Now</a>
      </Empty>
    </View>
  );
}
