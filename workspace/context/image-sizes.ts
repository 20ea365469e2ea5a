/** The images of a context with their sizes: what a provider counts for one goes by that. */
import type { ImageSizes } from "../../files/image-sizes.ts";
import type { ContextSources } from "./assemble-context.ts";

/** One that isn't stored any more, or that can't be read, stays as it is. */
export async function withImageSizes(sources: ContextSources, images: ImageSizes): Promise<ContextSources> {
  const { earlier, begunOn, trigger } = sources;
  await images.look([...earlier, ...(begunOn ?? []), trigger]);
  const [sizedTrigger = trigger] = images.sized([trigger]);
  return {
    ...sources,
    earlier: images.sized(earlier),
    ...(begunOn && { begunOn: images.sized(begunOn) }),
    trigger: sizedTrigger,
  };
}
