/** The place of what is read from the server: bars until it is there; why it couldn't be read, and a way to try again. */
import { Problem } from "./problem.tsx";
import { Skeleton, type SkeletonProps } from "./skeleton.tsx";

type LoadingProps = SkeletonProps & {
  /** It has been read: nothing stands here then, unless reading it anew has failed. */
  isThere: boolean;
  error: unknown;
  onRetry?: () => unknown;
};

export function Loading({ isThere, error, onRetry, ...rows }: LoadingProps) {
  if (error !== null && error !== undefined) return <Problem error={error} {...(onRetry && { onRetry })} />;
  return isThere ? null : <Skeleton {...rows} />;
}
