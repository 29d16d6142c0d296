import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import type { AnimationFrame } from './animation.ts';

/** Of the whole picture: the screen, and a line below it that says what one sees. */
export const pictureSize = { width: 960, height: 648 };
const quality = 0.82;

export interface Shot {
  /** A screenshot, as PNG. */
  png: Buffer;
  caption: string;
  /** Where one points, in the screenshot. */
  pointer?: { x: number; y: number } | undefined;
}

/** Draws screenshots with what they show, and returns of each what differs from the one before; undefined, if nothing does. */
export async function openComposer(browser: Browser) {
  const [sheet, canvas] = [await browser.newPage({ viewport: pictureSize }), await browser.newPage()];
  await sheet.setContent(html());
  return async (shot: Shot): Promise<Omit<AnimationFrame, 'ms'> | undefined> => {
    const png = await drawn(sheet, shot);
    const changed = await canvas.evaluate(changedPart, { png: png.toString('base64'), quality });
    return changed && { ...changed, webp: Buffer.from(changed.webp, 'base64') };
  };
}

const font = createRequire(import.meta.url).resolve(
  '@fontsource-variable/geist/files/geist-latin-wght-normal.woff2',
);

const html = () => `<style>
  @font-face { font-family: Geist; font-weight: 100 900; src: url(data:font/woff2;base64,${readFileSync(font, 'base64')}) }
  body { margin: 0; background: #15181e; color: #fff; font: 500 19px / 48px Geist }
  img { display: block; width: 960px; height: 600px }
  p { margin: 0; padding: 0 20px; white-space: nowrap }
  i { position: absolute; width: 24px; height: 24px; margin: -15px; border: 3px solid #4f46e5; border-radius: 50%; background: #4f46e544 }
</style><img><p></p><i></i>`;

async function drawn(sheet: Page, { png, caption, pointer }: Shot): Promise<Buffer> {
  const ratio = pictureSize.width / png.readUInt32BE(16);
  const place = pointer && { x: pointer.x * ratio, y: pointer.y * ratio };
  await sheet.evaluate(show, { png: png.toString('base64'), caption, place });
  return sheet.screenshot();
}

interface Shown {
  png: string;
  caption: string;
  place: { x: number; y: number } | undefined;
}

/** Runs in the page. */
async function show({ png, caption, place }: Shown): Promise<void> {
  const [image, text, pointer] = ['img', 'p', 'i'].map((name) => document.querySelector<HTMLElement>(name));
  if (!(image instanceof HTMLImageElement) || !text || !pointer) return;
  image.src = `data:image/png;base64,${png}`;
  text.textContent = caption;
  pointer.style.display = place ? 'block' : 'none';
  Object.assign(pointer.style, { left: `${place?.x}px`, top: `${place?.y}px` });
  await Promise.all([image.decode(), document.fonts.ready]);
}

/** Runs in the page. The rectangle in which a picture differs from the one before, as WebP. */
async function changedPart({ png, quality: asked }: { png: string; quality: number }) {
  const kept = globalThis as unknown as { pixels?: Uint32Array };
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const { width, height } = image;
  const contextOf = (size: { width: number; height: number }) => {
    const canvas = Object.assign(document.createElement('canvas'), size);
    return canvas.getContext('2d', { alpha: false }) as CanvasRenderingContext2D;
  };
  const whole = contextOf({ width, height });
  whole.drawImage(image, 0, 0);
  const pixels = new Uint32Array(whole.getImageData(0, 0, width, height).data.buffer);
  const { pixels: before } = kept;
  kept.pixels = pixels;
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let at = 0; at < pixels.length; at++) {
    if (before && pixels[at] === before[at]) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    [left, right, top, bottom] = [
      Math.min(left, x),
      Math.max(right, x),
      Math.min(top, y),
      Math.max(bottom, y),
    ];
  }
  if (right < 0) return undefined;
  // The format has even places only.
  [left, top] = [left - (left % 2), top - (top % 2)];
  const part = contextOf({ width: right - left + 1, height: bottom - top + 1 });
  part.drawImage(image, -left, -top);
  const webp = part.canvas.toDataURL('image/webp', asked).split(',')[1] ?? '';
  return { x: left, y: top, width: part.canvas.width, height: part.canvas.height, webp };
}
