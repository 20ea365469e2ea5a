/** The little of `sharp` that is used: it is an optional dependency, so its own types may not be there. */
declare module "sharp" {
  type Pipeline = {
    rotate(): Pipeline;
    resize(options: { width: number; height: number; fit: "inside"; withoutEnlargement: boolean }): Pipeline;
    jpeg(options: { quality: number }): Pipeline;
    toBuffer(): Promise<Buffer>;
  };
  export default function sharp(input: Buffer, options: { limitInputPixels: number }): Pipeline;
}
