/** Keeps an error within the view where it happened: the frame stays, and says what is so. */
import { Component, type ComponentChildren } from "preact";
import { ErrorBoundary } from "preact-iso";
import { Empty } from "../parts/loading/empty.tsx";
import { View } from "../parts/layout/view.tsx";

type Props = { path: string; children: ComponentChildren };

export class ViewBoundary extends Component<Props, { error: Error | null }> {
  override state = { error: null as Error | null };

  static override getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidUpdate({ path }: Props) {
    if (this.state.error !== null && path !== this.props.path) this.setState({ error: null });
  }

  override render({ children }: Props) {
    const { error } = this.state;
    // What suspends a view while it loads is caught by ErrorBoundary.
    if (error === null) return <ErrorBoundary>{children}</ErrorBoundary>;
    return (
      <View title="This view broke off">
        <Empty title={error.message}>
          <p>Nothing that runs is affected.</p>
          <button type="button" class="btn" onClick={() => location.reload()}>
            Load it again
          </button>
        </Empty>
      </View>
    );
  }
}
